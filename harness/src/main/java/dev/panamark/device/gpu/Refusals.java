package dev.panamark.device.gpu;

import dev.panamark.device.BrokenDeviceException;
import dev.panamark.device.DeviceException;
import dev.panamark.device.UnsupportedException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes of what the driver says what a row says, and remembers when nothing can be done with the device any more. */
public final class Refusals {
    private final String device;
    private final Driver driver;
    private @Nullable String broken;
    private Runnable beforeWaiting = () -> {};
    private boolean collecting;

    /**
     * Those of one open device.
     *
     * @param device as on the command line
     */
    public Refusals(String device, Driver driver) {
        this.device = device;
        this.driver = driver;
    }

    /** What a failed call means. */
    public enum Meaning {
        /** The device has too little of something, or the driver cannot do it. */
        UNSUPPORTED,
        /** What was given to the call is at fault. */
        OF_WHAT_WAS_GIVEN,
        /** No further call can succeed. */
        FATAL,
        /** What the driver says next tells. */
        UNKNOWN
    }

    /** The driver whose refusals they are. */
    public interface Driver {
        /** What a failure means; empty where it is none of the driver's. */
        Optional<Meaning> meaning(RuntimeException failure);

        /** Waits for everything on the device. */
        void synchronize();
    }

    /** Run before the device is waited for. */
    public void beforeWaiting(Runnable opens) {
        beforeWaiting = opens;
    }

    /** Whether the stream collects a graph, which the device must not be waited for meanwhile. */
    public void collecting(boolean now) {
        collecting = now;
    }

    /** Whether it does now. */
    public boolean isCollecting() {
        return collecting;
    }

    /** Why the device cannot be used any more; empty while it can. */
    public Optional<String> broken() {
        return Optional.ofNullable(broken);
    }

    /** Does something with the driver. */
    public void attempt(Runnable call) {
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
    public <T> T attempt(Supplier<T> call) {
        try {
            return call.get();
        } catch (RuntimeException e) {
            throw of(e);
        }
    }

    /** What a row says of a failure; the failure itself where it is none of the driver's. */
    public RuntimeException of(RuntimeException e) {
        Optional<Meaning> meaning = driver.meaning(e);
        if (meaning.isEmpty()) {
            return e;
        }
        String message = String.valueOf(e.getMessage());
        return switch (meaning.get()) {
            case UNSUPPORTED -> new UnsupportedException(message, e);
            case OF_WHAT_WAS_GIVEN -> new DeviceException(message, e);
            case FATAL -> broken(message, e);
            case UNKNOWN -> responds() ? new DeviceException(message, e) : broken(message, e);
        };
    }

    private BrokenDeviceException broken(String message, RuntimeException e) {
        broken = message;
        return new BrokenDeviceException(message, e);
    }

    /** What the driver says next tells whether it was this call alone. */
    private boolean responds() {
        if (collecting) {
            return true;
        }
        beforeWaiting.run();
        try {
            driver.synchronize();
            return true;
        } catch (RuntimeException e) {
            if (driver.meaning(e).isEmpty()) {
                throw e;
            }
            return false;
        }
    }

    /** Gives something back. What cannot be given back spoils the device for others, and no row that is done. */
    public void release(AutoCloseable what) {
        try {
            what.close();
        } catch (RuntimeException e) {
            if (driver.meaning(e).isEmpty()) {
                throw e;
            }
            if (broken == null) {
                broken = "what was made on " + device + " cannot be given back: " + e.getMessage();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
