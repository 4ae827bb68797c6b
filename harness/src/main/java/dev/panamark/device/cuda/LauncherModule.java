package dev.panamark.device.cuda;

import dev.panamark.device.Bound;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceException;
import dev.panamark.device.Entry;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.Module;
import dev.panamark.device.gpu.GpuArguments;
import dev.panamark.device.gpu.GpuMemory;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.cuda.CudaHostLaunch;
import dev.panamark.driver.host.HostLauncher;
import dev.panamark.driver.host.HostLibrary;
import dev.panamark.driver.host.MissingFunctionException;
import dev.panamark.kernel.Argument;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Host code that launches kernels of its own into the stream that it is given; grid, block and shared memory are its own. */
final class LauncherModule implements Module {
    private final CudaGpu gpu;
    private final HostLibrary library;
    private final String sha256;
    private final List<GpuMemory> pointedTo = new ArrayList<>();

    private LauncherModule(CudaGpu gpu, HostLibrary library, String sha256) {
        this.gpu = gpu;
        this.library = library;
        this.sha256 = sha256;
    }

    /** Takes over the library. */
    static LauncherModule open(CudaGpu gpu, HostLibrary library) {
        try {
            return new LauncherModule(gpu, library, Sha256.of(library.file()));
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
        CudaHostLaunch launch = new CudaHostLaunch(launcher, gpu.stream(), arguments.values());
        return (grid, block, shared) -> {
            arguments.requireOpen();
            gpu.gate().open(); // it may wait for the stream, or fill it
            int status = launch.launch();
            if (status != 0) {
                if (!gpu.refusals().isCollecting()) {
                    gpu.synchronize(); // what the driver says is more than a number
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
        gpu.release(() -> gpu.stream().synchronize()); // its code must not be unloaded under a launch
        pointedTo.forEach(gpu::release);
        pointedTo.clear();
        library.close();
    }
}
