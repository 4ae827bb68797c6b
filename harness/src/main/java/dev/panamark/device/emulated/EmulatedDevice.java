package dev.panamark.device.emulated;

import dev.panamark.device.CacheSweep;
import dev.panamark.device.Counted;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.FaultFinder;
import dev.panamark.device.Hold;
import dev.panamark.device.LaunchCounter;
import dev.panamark.device.LaunchExplainer;
import dev.panamark.device.Module;
import dev.panamark.device.Timer;
import dev.panamark.device.UnsupportedException;
import dev.panamark.device.profile.DeviceProfile;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Dim3;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.Step;
import dev.panamark.ptx.DeviceMemory;
import dev.panamark.ptx.LaunchOptions;
import dev.panamark.ptx.OutOfDeviceMemory;
import dev.panamark.ptx.PtxException;
import dev.panamark.ptx.PtxModule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An emulated GPU, opened. */
final class EmulatedDevice implements Device, LaunchCounter {
    /** Addresses to allocate from; only what kernels touch takes memory of the host. */
    static final long MEMORY = 8L << 30;

    private static final long ENOUGH = 2L << 30;
    private static final Path IN_MEMORY = Path.of("/dev/shm");

    private final DeviceInfo info;
    private final DeviceProfile profile;
    private final Limits limits;
    private final PtxImages images;
    private final DeviceMemory memory;
    private final Path folder;
    private final int threads = Runtime.getRuntime().availableProcessors();
    private final Faults faults;
    private final Explainer explainer;
    private @Nullable Consumer<String> printing;
    private @Nullable Tallies tallies;
    private @Nullable BlockSample sample;
    private boolean leftOut;
    private boolean closed;

    EmulatedDevice(DeviceInfo info, DeviceProfile profile, Limits limits, Map<String, String> env, Path cacheDir) {
        this.info = info;
        this.profile = profile;
        this.limits = limits;
        this.images = new PtxImages(env, cacheDir, profile.architecture().target());
        this.folder = folder();
        try {
            memory = DeviceMemory.create(MEMORY, folder);
        } catch (UncheckedIOException e) {
            throw new DeviceException(info.id() + " cannot be opened: " + e.getMessage(), e);
        }
        faults = new Faults(memory, folder, info.id());
        explainer = new Explainer(memory, folder, new OccupancyRules(limits));
    }

    /** Containers often have a /dev/shm of 64 MB, and a write to a mapped file that finds no room ends the process. */
    private static Path folder() {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        return Files.isWritable(IN_MEMORY) && room(IN_MEMORY) >= Math.min(ENOUGH, room(temporary))
                ? IN_MEMORY
                : temporary;
    }

    private static long room(Path folder) {
        try {
            return Files.getFileStore(folder).getUsableSpace();
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    DeviceMemory memory() {
        return memory;
    }

    Limits limits() {
        return limits;
    }

    /** Host threads that run blocks. */
    int threads() {
        return threads;
    }

    /** Where launches are counted; null where they are not. */
    @Nullable
    Tallies tallies() {
        return tallies;
    }

    /** The groups of blocks that a launch of this grid runs; empty where it runs all. */
    List<List<Long>> groups(Dim3 grid) {
        List<List<Long>> groups = sample == null ? List.of() : sample.of(grid);
        leftOut |= !groups.isEmpty();
        return groups;
    }

    /** A fill is a launch of the driver's: what it wrote may be in the cache. */
    void filled(long bytes) {
        if (tallies != null) {
            tallies.touch(bytes);
        }
    }

    @Override
    public DeviceBuffer allocate(String name, long bytes) {
        requireOpen();
        if (bytes < 1) {
            throw new IllegalArgumentException("buffer '" + name + "' takes at least 1 byte, not " + bytes);
        }
        long room = room(folder);
        long needed = bytes * faults.room();
        if (needed > room) {
            throw new UnsupportedException("buffer '" + name + "' takes " + needed + " bytes"
                    + (faults.room() > 1 ? " while faults are looked for" : "") + ", and " + folder
                    + ", where the memory of emulated devices lies, has " + room + " left; choose a smaller problem");
        }
        try {
            long address = memory.allocate(bytes, name);
            faults.emptied(address, bytes);
            return new EmulatedBuffer(this, name, address, bytes);
        } catch (OutOfDeviceMemory e) {
            throw new UnsupportedException("buffer '" + name + "': " + e.getMessage(), e);
        }
    }

    @Override
    public Module load(Image image) {
        requireOpen();
        if (!image.backend().equals("cuda")) {
            throw new UnsupportedException(
                    info.id() + " runs images of backend cuda; " + image.file() + " is for " + image.backend());
        }
        PtxImages.Text text = images.text(image);
        try {
            PtxModule module = PtxModule.load(text.name(), text.ptx());
            return new EmulatedModule(this, module, module.link(memory), text);
        } catch (PtxException e) {
            String message = String.valueOf(e.getMessage());
            if (e.isUnsupported()) {
                throw new UnsupportedException(message, e);
            }
            throw new DeviceException(message, e);
        } catch (OutOfDeviceMemory e) {
            throw new UnsupportedException(text.name() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void checkLaunch(Step.Launch launch) {
        if (launch.cluster().isPresent()) {
            throw new UnsupportedException(launch.entry() + ": clusters of blocks are not emulated");
        }
    }

    @Override
    public Availability<Timer> timer() {
        return Availability.missing(
                "an emulated device has no clock", "See time/bound, or measure on the device itself.");
    }

    @Override
    public Availability<LaunchCounter> counter() {
        return Availability.of(this);
    }

    Faults faults() {
        return faults;
    }

    @Override
    public Availability<FaultFinder> faultFinder() {
        return Availability.of(faults);
    }

    Explainer explainer() {
        return explainer;
    }

    @Override
    public Availability<LaunchExplainer> launchExplainer() {
        return Availability.of(explainer);
    }

    @Override
    public void printing(Consumer<String> sink) {
        printing = sink;
    }

    /** The options of a launch, with where it prints. */
    LaunchOptions printing(LaunchOptions options) {
        return printing == null ? options : options.printing(printing);
    }

    @Override
    public Counted count(Runnable launches) {
        requireOpen();
        Tallies counting = new Tallies(profile, limits);
        tallies = counting;
        try {
            launches.run();
        } finally {
            tallies = null;
        }
        return counting.counted();
    }

    @Override
    public boolean some(int blocks, long seed, Runnable launches) {
        requireOpen();
        sample = new BlockSample(blocks, seed);
        leftOut = false;
        try {
            launches.run();
            return leftOut;
        } finally {
            sample = null;
        }
    }

    @Override
    public Hold hold() {
        throw new UnsupportedException("an emulated device has no clock to hold still");
    }

    @Override
    public Availability<CacheSweep> cacheSweep() {
        return Availability.missing("an emulated device has no caches", "Measure hot (--hot).");
    }

    /** Launches return when they are done. */
    @Override
    public void synchronize() {
        requireOpen();
    }

    void requireOpen() {
        if (closed) {
            throw new IllegalStateException(info.id() + " is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        memory.close();
    }
}
