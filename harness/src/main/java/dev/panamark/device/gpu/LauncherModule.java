package dev.panamark.device.gpu;

import dev.panamark.device.Bound;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceException;
import dev.panamark.device.Entry;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.Module;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.host.HostLauncher;
import dev.panamark.driver.host.HostLibrary;
import dev.panamark.driver.host.HostLibraryException;
import dev.panamark.driver.host.MissingFunctionException;
import dev.panamark.driver.launch.KernelArguments;
import dev.panamark.kernel.Argument;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.IntSupplier;

/** Host code that launches kernels of its own into the stream that it is given; grid, block and shared memory are its own. */
public final class LauncherModule implements Module {
    private final Gpu gpu;
    private final Stream stream;
    private final HostLibrary library;
    private final String sha256;
    private final List<GpuMemory> pointedTo = new ArrayList<>();

    private LauncherModule(Gpu gpu, Stream stream, HostLibrary library, String sha256) {
        this.gpu = gpu;
        this.stream = stream;
        this.library = library;
        this.sha256 = sha256;
    }

    /** The stream that host code launches into. */
    public interface Stream {
        /** A call of host code, ready but for the call, with these arguments; what it returns. Allocates nothing. */
        IntSupplier call(HostLauncher launcher, KernelArguments arguments);

        /** Waits until all its work is done. */
        void synchronize();
    }

    /**
     * Opens a library.
     *
     * @throws DeviceException where it cannot be read or loaded
     */
    public static LauncherModule open(Gpu gpu, Stream stream, Path file) {
        HostLibrary library;
        try {
            library = HostLibrary.open(file);
        } catch (HostLibraryException e) {
            throw new DeviceException(String.valueOf(e.getMessage()), e);
        }
        try {
            return new LauncherModule(gpu, stream, library, Sha256.of(library.file()));
        } catch (IOException e) {
            library.close();
            throw new DeviceException(library.file() + " cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public Entry entry(String name) {
        HostLauncher launcher;
        try {
            launcher = library.launcher(name);
        } catch (MissingFunctionException e) {
            throw new MissingEntryException(String.valueOf(e.getMessage()), e);
        }
        return (args, buffers) -> bind(launcher, args, buffers);
    }

    private Bound bind(HostLauncher launcher, List<Argument> args, Map<String, DeviceBuffer> buffers) {
        GpuArguments arguments = new GpuArguments(gpu, args, buffers, pointedTo);
        IntSupplier launch = stream.call(launcher, arguments.values());
        return (grid, block, shared) -> {
            arguments.requireOpen();
            int status = launch.getAsInt();
            if (status != 0) {
                if (!gpu.refusals().isCollecting()) {
                    gpu.refusals().attempt(stream::synchronize); // what the driver says is more than a number
                }
                throw new DeviceException(launcher.name() + " of " + library.file() + " returned " + status
                        + "; it returns 0 once its launches are in the stream");
            }
        };
    }

    @Override
    public List<String> entries() {
        return library.functions();
    }

    @Override
    public SequencedMap<String, Object> facts() {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("image_sha256", sha256);
        facts.put("host_launcher", true);
        return Collections.unmodifiableSequencedMap(facts);
    }

    @Override
    public String imageHash() {
        return sha256;
    }

    @Override
    public void close() {
        gpu.release(stream::synchronize); // its code must not be unloaded under a launch
        pointedTo.forEach(gpu::release);
        pointedTo.clear();
        library.close();
    }
}
