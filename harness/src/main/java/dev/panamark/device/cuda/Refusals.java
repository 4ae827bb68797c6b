package dev.panamark.device.cuda;

import dev.panamark.device.BrokenDeviceException;
import dev.panamark.device.DeviceException;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaException;
import dev.panamark.driver.cuda.MissingCudaFunctionException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes of what the driver says what a row says, and remembers when nothing can be done with the device any more. */
final class Refusals {
    private final String device;
    private final CudaContext context;
    private @Nullable String broken;
    private Runnable beforeWaiting = () -> {};
    private boolean collecting;

    Refusals(String device, CudaContext context) {
        this.device = device;
        this.context = context;
    }

    /** Run before the device is waited for. */
    void beforeWaiting(Runnable opens) {
        beforeWaiting = opens;
    }

    /** Whether the stream collects a graph, which the device must not be waited for meanwhile. */
    void collecting(boolean now) {
        collecting = now;
    }

    boolean isCollecting() {
        return collecting;
    }

    /** Why the device cannot be used any more; empty while it can. */
    Optional<String> broken() {
        return Optional.ofNullable(broken);
    }

    /** Does something with the driver. */
    void attempt(Runnable call) {
        attempt(() -> {
            call.run();
            return true;
        });
    }

    /**
     * Does something with the driver.
     *
     * @throws BrokenDeviceException where no further call can succeed
     * @throws UnsupportedException where the device has too little of something, or the driver cannot do it
     * @throws DeviceException where it fails otherwise
     */
    <T> T attempt(Supplier<T> call) {
        try {
            return call.get();
        } catch (CudaException e) {
            throw of(e);
        } catch (MissingCudaFunctionException e) {
            throw new UnsupportedException(String.valueOf(e.getMessage()), e);
        }
    }

    /** What a row says of a failed call. */
    RuntimeException of(CudaException e) {
        String message = String.valueOf(e.getMessage());
        if (e.isOfResources() || e.isUnsupported()) {
            return new UnsupportedException(message, e);
        }
        if (e.isOfImage() || e.isNotFound()) {
            return new DeviceException(message, e);
        }
        if (e.isFatal() || !responds()) {
            broken = message;
            return new BrokenDeviceException(message, e);
        }
        return new DeviceException(message, e);
    }

    /** What the driver says next tells whether it was this call alone. */
    private boolean responds() {
        if (collecting) {
            return true;
        }
        beforeWaiting.run();
        try {
            context.synchronize();
            return true;
        } catch (CudaException e) {
            return false;
        }
    }

    /** Gives something back. What cannot be given back spoils the device for others, and no row that is done. */
    void release(AutoCloseable what) {
        try {
            what.close();
        } catch (CudaException e) {
            if (broken == null) {
                broken = "what was made on " + device + " cannot be given back: " + e.getMessage();
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
