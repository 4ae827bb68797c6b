package dev.panamark.device.cuda;

import dev.panamark.device.CacheSweep;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.Hold;
import dev.panamark.device.LaunchGraphs;
import dev.panamark.device.Module;
import dev.panamark.device.Profiler;
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
import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaDevice;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.cuda.CudaEvent;
import dev.panamark.driver.cuda.CudaException;
import dev.panamark.driver.cuda.CudaFunction;
import dev.panamark.driver.cuda.CudaModule;
import dev.panamark.driver.cuda.CudaStream;
import dev.panamark.driver.cuda.DeviceAttribute;
import dev.panamark.ffi.Availability;
import dev.panamark.image.Code;
import dev.panamark.image.CudaImages;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.Step;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A GPU, opened: its primary context, and one stream in which everything is done. */
final class CudaGpu implements Device, Gpu {
    private static final List<String> SUFFIXES = List.of(".cu", ".ptx", ".cubin", ".fatbin");

    private final CudaDriver driver;
    private final CudaDevice device;
    private final DeviceInfo info;
    private final CudaContext context;
    private final CudaStream stream;
    private final Refusals refusals;
    private final CudaImages images;
    private final LaunchGate gate;
    private final EventTimer<CudaEvent> timer;
    private final OwnKernels own;
    private final Availability<SmClock> clock;
    private final Availability<GpuState> state;
    private final Map<String, String> env;
    private @Nullable Availability<CuptiProfiler> profiler;
    private @Nullable GpuCacheSweep sweep;
    private boolean closed;

    private CudaGpu(
            CudaDriver driver,
            CudaDevice device,
            DeviceInfo info,
            CudaContext context,
            CudaImages images,
            Availability<GpuState> state,
            Map<String, String> env) {
        this.driver = driver;
        this.device = device;
        this.info = info;
        this.context = context;
        this.images = images;
        this.state = state;
        this.env = env;
        this.refusals = new Refusals(info.id(), new CudaMeanings(context));
        context.makeCurrent();
        this.stream = context.createStream();
        this.gate = LaunchGate.of(driver, context, stream);
        this.timer = new EventTimer<>(new CudaEvents(context, stream, gate), refusals);
        refusals.beforeWaiting(gate::open);
        this.own = new OwnKernels(context, stream);
        this.clock = clock();
    }

    /** Made before any row takes memory. What a GPU is too old for costs the clock alone. */
    private Availability<SmClock> clock() {
        try {
            return Availability.of(refusals.attempt(() -> new SmClock(context, stream, own, refusals)));
        } catch (DeviceException | UnsupportedException e) {
            return Availability.missing(
                    "the kernel that reads the clock cannot be used: " + e.getMessage(), "Times are as good without.");
        }
    }

    /** Retains the device's primary context and makes it the calling thread's. */
    static CudaGpu open(CudaDriver driver, CudaDevice device, DeviceInfo info, Map<String, String> env, Path cacheDir) {
        Availability<GpuState> state = GpuState.of(String.valueOf(info.facts().get("pci")), env);
        try {
            CudaContext context = device.retainPrimaryContext();
            try {
                return new CudaGpu(driver, device, info, context, new CudaImages(env, cacheDir), state, env);
            } catch (RuntimeException e) {
                try {
                    context.close();
                } catch (CudaException other) {
                    e.addSuppressed(other);
                }
                throw e;
            }
        } catch (RuntimeException e) {
            close(state);
            throw e;
        }
    }

    private static void close(Availability<GpuState> state) {
        if (state instanceof Availability.Available<GpuState>(GpuState there)) {
            there.close();
        }
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    CudaDriver driver() {
        return driver;
    }

    CudaStream stream() {
        return stream;
    }

    LaunchGate gate() {
        return gate;
    }

    @Override
    public Refusals refusals() {
        return refusals;
    }

    /** A property that a driver may be too old to know; 0 then. */
    int attribute(DeviceAttribute attribute) {
        return refusals.attempt(() -> {
            try {
                return device.attribute(attribute);
            } catch (CudaException e) {
                if (e.isInvalidValue()) {
                    return 0;
                }
                throw e;
            }
        });
    }

    @Override
    public void queued(Runnable work) {
        requireOpen();
        refusals.attempt(work);
    }

    @Override
    public void waiting(Runnable work) {
        requireOpen();
        gate.open(); // or it would be waited for in vain
        refusals.attempt(() -> {
            work.run();
            stream.synchronize();
        });
    }

    @Override
    public void release(AutoCloseable what) {
        gate.open();
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
                return new CudaStreamMemory(context.allocate(bytes), stream);
            } catch (CudaException e) {
                if (!e.isOfResources()) {
                    throw e;
                }
                CudaContext.MemoryInfo left = context.memoryInfo();
                throw tooLittle(whose, bytes, left.free(), left.total(), e.call() + ": " + e.name(), e);
            }
        });
    }

    @Override
    public Module load(Image image) {
        requireOpen();
        if (image.backend().equals("host")) {
            return LauncherModule.open(this, new CudaHostStream(stream, gate), image.file());
        }
        if (!image.backend().equals("cuda")) {
            throw new UnsupportedException(
                    info.id() + " runs images of backend cuda; " + image.file() + " is for " + image.backend());
        }
        String own = "sm_" + info.values().get("cc");
        Code code = images.code(
                image, SUFFIXES, image.arch().map(a -> a.target(own)).orElse(own));
        CudaModule module = refusals.attempt(() -> {
            try {
                return context.load(code.bytes());
            } catch (CudaException e) {
                throw e.isOfImage() ? refused(code, e) : e;
            }
        });
        return new GpuModule(this, module, code);
    }

    private DeviceException refused(Code code, CudaException e) {
        String text = new String(code.bytes(), StandardCharsets.ISO_8859_1);
        Optional<String> asks = PtxHead.of(text).map(PtxHead::text);
        return new DeviceException(
                code.name() + " is not taken by the driver, which serves CUDA "
                        + info.facts().get("driver_cuda") + ", for "
                        + info.facts().get("target")
                        + asks.map(a -> "; the text asks for " + a).orElse("") + ": " + e.getMessage(),
                e);
    }

    @Override
    public void checkLaunch(Step.Launch launch) {
        if (launch.cluster().isPresent() && attribute(DeviceAttribute.CLUSTER_LAUNCH) == 0) {
            throw new UnsupportedException(
                    launch.entry() + " is launched in clusters, which GPUs have from compute" + " capability 9.0 on; "
                            + info.id() + " has " + info.facts().get("target"));
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
    public Availability<Profiler> profiler() {
        requireOpen();
        Availability<CuptiProfiler> there = profiler;
        if (there == null) {
            there = CuptiProfiler.of(this, context, env);
            profiler = there;
        }
        return switch (there) {
            case Availability.Available<CuptiProfiler>(CuptiProfiler found) -> Availability.of(found);
            case Availability.Unavailable<CuptiProfiler> none -> none.as();
        };
    }

    @Override
    public Hold hold() {
        requireOpen();
        return new GpuHold(gate, clock, state);
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
                    "the driver does not tell the size of the L2 cache of " + info.id(), "Measure hot (--hot).");
        }
        try {
            sweep = GpuCacheSweep.of(this, this::reading, cache.longValue(), value("units"));
        } catch (UnsupportedException | DeviceException e) {
            return Availability.missing(String.valueOf(e.getMessage()), "Free memory or measure hot (--hot).");
        }
        return Availability.of(sweep);
    }

    private Runnable reading(int blocks, int threads, long from, long vectors, long to) {
        return own.launch("panamark_read", blocks, threads, from, vectors, to)::launch;
    }

    @Override
    public Availability<LaunchGraphs> graphs() {
        return switch (driver.has(CudaFunction.GRAPH_INSTANTIATE)) {
            case Availability.Available<CudaFunction> there ->
                Availability.of(new StreamGraphs(this, new CudaCapture(this)));
            case Availability.Unavailable<CudaFunction> no -> no.as();
        };
    }

    @Override
    public Optional<String> broken() {
        return refusals.broken();
    }

    @Override
    public void synchronize() {
        requireOpen();
        gate.open();
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
            gate.open();
            if (profiler instanceof Availability.Available<CuptiProfiler>(CuptiProfiler attached)
                    && refusals.broken().isEmpty()) {
                refusals.release(attached);
            }
            refusals.release(context); // and all that was made in it
            close(state);
        }
    }
}
