package dev.panamark.device.hip;

import dev.panamark.device.CacheSweep;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.Hold;
import dev.panamark.device.LaunchGraphs;
import dev.panamark.device.Module;
import dev.panamark.device.Timer;
import dev.panamark.device.UnsupportedException;
import dev.panamark.device.gpu.EventTimer;
import dev.panamark.device.gpu.Gpu;
import dev.panamark.device.gpu.GpuBuffer;
import dev.panamark.device.gpu.GpuCacheSweep;
import dev.panamark.device.gpu.GpuMemory;
import dev.panamark.device.gpu.LauncherModule;
import dev.panamark.device.gpu.Refusals;
import dev.panamark.device.gpu.StreamGraphs;
import dev.panamark.driver.hip.DeviceAttribute;
import dev.panamark.driver.hip.HipContext;
import dev.panamark.driver.hip.HipDevice;
import dev.panamark.driver.hip.HipDriver;
import dev.panamark.driver.hip.HipException;
import dev.panamark.driver.hip.HipFunction;
import dev.panamark.driver.hip.HipModule;
import dev.panamark.driver.hip.HipStream;
import dev.panamark.ffi.Availability;
import dev.panamark.image.Code;
import dev.panamark.image.HipImages;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.Step;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A GPU, opened: one stream in which everything is done. */
final class HipGpu implements Device, Gpu {
    private final HipDriver driver;
    private final HipDevice device;
    private final DeviceInfo info;
    private final String target;
    private final HipContext context;
    private final HipStream stream;
    private final Refusals refusals;
    private final HipImages images;
    private final Timer timer;
    private final OwnKernels own;
    private @Nullable GpuCacheSweep sweep;
    private boolean closed;

    private HipGpu(
            HipDriver driver,
            HipDevice device,
            DeviceInfo info,
            HipContext context,
            Map<String, String> env,
            Path cacheDir) {
        this.driver = driver;
        this.device = device;
        this.info = info;
        this.target = String.valueOf(info.facts().get("target"));
        this.context = context;
        this.images = new HipImages(env, cacheDir);
        this.refusals = new Refusals(info.id(), new HipMeanings(context));
        context.makeCurrent();
        this.stream = context.createStream();
        this.timer = new EventTimer<>(new HipEvents(context, stream), refusals);
        this.own = new OwnKernels(context, stream, images, target, cacheDir);
    }

    /** Makes the device the calling thread's. */
    static HipGpu open(HipDriver driver, HipDevice device, DeviceInfo info, Map<String, String> env, Path cacheDir) {
        HipContext context = device.open();
        try {
            return new HipGpu(driver, device, info, context, env, cacheDir);
        } catch (RuntimeException e) {
            try {
                context.close();
            } catch (HipException other) {
                e.addSuppressed(other);
            }
            throw e;
        }
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    HipDriver driver() {
        return driver;
    }

    HipStream stream() {
        return stream;
    }

    @Override
    public Refusals refusals() {
        return refusals;
    }

    int attribute(DeviceAttribute attribute) {
        return refusals.attempt(() -> device.attribute(attribute));
    }

    @Override
    public void queued(Runnable work) {
        requireOpen();
        refusals.attempt(work);
    }

    @Override
    public void waiting(Runnable work) {
        requireOpen();
        refusals.attempt(() -> {
            work.run();
            stream.synchronize();
        });
    }

    @Override
    public void release(AutoCloseable what) {
        refusals.release(what);
    }

    @Override
    public DeviceBuffer allocate(String name, long bytes) {
        requireOpen();
        return GpuBuffer.allocate(this, name, bytes);
    }

    @Override
    public GpuMemory memory(String whose, long bytes) {
        return refusals.attempt(() -> {
            try {
                return new HipStreamMemory(context.allocate(bytes), stream);
            } catch (HipException e) {
                if (!e.isOfResources()) {
                    throw e;
                }
                HipContext.MemoryInfo left = context.memoryInfo();
                throw tooLittle(whose, bytes, left.free(), left.total(), e.call() + ": " + e.name(), e);
            }
        });
    }

    @Override
    public Module load(Image image) {
        requireOpen();
        if (image.backend().equals("host")) {
            return LauncherModule.open(this, new HipHostStream(stream), image.file());
        }
        if (!image.backend().equals("hip")) {
            throw new UnsupportedException(
                    info.id() + " runs images of backend hip; " + image.file() + " is for " + image.backend());
        }
        Code code = images.code(image, target);
        HipModule module = refusals.attempt(() -> {
            try {
                return context.load(code.bytes());
            } catch (HipException e) {
                throw e.isOfImage() ? refused(code, e) : e;
            }
        });
        return new HipGpuModule(this, module, code);
    }

    private DeviceException refused(Code code, HipException e) {
        return new DeviceException(
                code.name() + " is not taken by HIP " + info.facts().get("driver_hip") + " for " + target
                        + CodeNotes.of(code)
                                .target()
                                .map(t -> "; it was compiled for " + t)
                                .orElse("")
                        + ": " + e.getMessage(),
                e);
    }

    @Override
    public void checkLaunch(Step.Launch launch) {
        if (launch.cluster().isPresent()) {
            throw new UnsupportedException(
                    launch.entry() + " is launched in clusters of blocks, which AMD GPUs do not have");
        }
        if (launch.cooperative() && attribute(DeviceAttribute.COOPERATIVE_LAUNCH) == 0) {
            throw new UnsupportedException(
                    launch.entry() + " is launched cooperatively, which " + info.id() + " cannot do");
        }
    }

    @Override
    public Availability<Timer> timer() {
        return Availability.of(timer);
    }

    @Override
    public Hold hold() {
        requireOpen();
        return new HipHold();
    }

    @Override
    public Availability<CacheSweep> cacheSweep() {
        requireOpen();
        if (sweep != null) {
            return Availability.of(sweep);
        }
        Number cache = info.values().get("llc");
        if (cache == null) {
            return Availability.missing(
                    "no profile tells the size of the last cache of " + info.name()
                            + ", and HIP tells the L2 of one die only",
                    "Measure hot (--hot).");
        }
        try {
            sweep = GpuCacheSweep.of(this, this::reading, cache.longValue(), value("units"));
        } catch (UnsupportedException | DeviceException e) {
            return Availability.missing(String.valueOf(e.getMessage()), "Mend that or measure hot (--hot).");
        }
        return Availability.of(sweep);
    }

    private Runnable reading(int blocks, int threads, long from, long vectors, long to) {
        return own.launch("panamark_read", blocks, threads, from, vectors, to)::launch;
    }

    @Override
    public Availability<LaunchGraphs> graphs() {
        return switch (driver.has(HipFunction.GRAPH_INSTANTIATE)) {
            case Availability.Available<HipFunction> there ->
                Availability.of(new StreamGraphs(this, new HipCapture(this)));
            case Availability.Unavailable<HipFunction> no -> no.as();
        };
    }

    @Override
    public Optional<String> broken() {
        return refusals.broken();
    }

    @Override
    public void synchronize() {
        requireOpen();
        refusals.attempt(stream::synchronize);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(info.id() + " is closed");
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            refusals.release(context); // and all that was made in it
        }
    }
}
