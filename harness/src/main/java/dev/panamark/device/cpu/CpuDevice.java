package dev.panamark.device.cpu;

import dev.panamark.device.CacheSweep;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.GuardZones;
import dev.panamark.device.Hold;
import dev.panamark.device.Module;
import dev.panamark.device.Timer;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.host.CompiledObject;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.driver.host.HostLibrary;
import dev.panamark.driver.host.HostLibraryException;
import dev.panamark.driver.host.HostMemory;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.Step;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.OptionalLong;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** The host CPU, opened. */
final class CpuDevice implements Device {
    private final DeviceInfo info;
    private final HostCompiler compiler;
    private final Path cacheDir;
    private final MemoryLeft memoryLeft;
    private final BlockPool pool;
    private final Bulk bulk;
    private final Pinning pinning;
    private final Frequency frequency;
    private final CpuTimer timer = new CpuTimer();
    private @Nullable CpuCacheSweep sweep;
    private long allocated;
    private boolean closed;

    CpuDevice(DeviceInfo info, HostCompiler compiler, Path cacheDir, HostRoots roots, int threads) {
        this.info = info;
        this.compiler = compiler;
        this.cacheDir = cacheDir;
        this.memoryLeft = new MemoryLeft(roots);
        this.pinning = Pinning.of(threads);
        this.frequency = new Frequency(roots);
        this.pool = new BlockPool(threads, pinning::bind);
        this.bulk = new Bulk(pool);
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    BlockPool pool() {
        return pool;
    }

    Bulk bulk() {
        return bulk;
    }

    @Override
    public DeviceBuffer allocate(String name, long bytes) {
        requireOpen();
        if (bytes < 1) {
            throw new IllegalArgumentException("buffer '" + name + "' takes at least 1 byte, not " + bytes);
        }
        requireMemory("buffer '" + name + "'", bytes);
        HostMemory memory;
        try {
            memory = HostMemory.map(bytes + 2L * GuardZones.BYTES);
        } catch (HostLibraryException e) {
            throw new UnsupportedException("buffer '" + name + "': " + e.getMessage(), e);
        }
        CpuBuffer buffer = new CpuBuffer(this, name, bytes, memory);
        allocated += bytes;
        buffer.fill((byte) 0); // by all threads: a page belongs to the NUMA node of whoever touches it first
        return buffer;
    }

    private void requireMemory(String what, long bytes) {
        long left = Long.MAX_VALUE;
        OptionalLong now = memoryLeft.bytes();
        if (now.isPresent()) {
            left = now.getAsLong();
        }
        Number atStart = info.values().get("memory");
        if (atStart != null) {
            left = Math.min(left, Math.max(0, atStart.longValue() - allocated));
        }
        if (bytes > left - 2L * GuardZones.BYTES || bytes > Long.MAX_VALUE - 2L * GuardZones.BYTES) {
            throw new UnsupportedException(what + " takes " + bytes + " bytes, and " + info.id() + " has " + left
                    + " bytes of memory left; choose a smaller problem or free memory");
        }
    }

    void released(long bytes) {
        allocated -= bytes;
    }

    @Override
    public Module load(Image image) {
        requireOpen();
        String file = image.file().toString();
        if (!image.backend().equals(info.backend())) {
            throw new UnsupportedException(
                    info.id() + " runs images of backend cpu; " + file + " is for " + image.backend());
        }
        try {
            if (file.endsWith(".c")) {
                return compiled(image);
            }
            if (file.endsWith(".so")) {
                return prebuilt(image.file());
            }
        } catch (CompileException | HostLibraryException e) {
            throw new DeviceException(String.valueOf(e.getMessage()), e);
        }
        throw new UnsupportedException(info.id() + " runs .c sources and .so shared objects, not " + file);
    }

    private CpuModule compiled(Image image) {
        CompiledObject object = compiler.compile(image.file(), image.options(), cacheDir);
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("compiler", object.compiler());
        facts.put("flags", object.flags());
        facts.put("source_sha256", object.sourceSha256());
        return new CpuModule(this, HostLibrary.open(object.sharedObject()), object.sha256(), facts);
    }

    private CpuModule prebuilt(Path file) {
        HostLibrary library = HostLibrary.open(file);
        try {
            return new CpuModule(this, library, Sha256.of(file), new LinkedHashMap<>());
        } catch (IOException e) {
            library.close();
            throw new DeviceException(file + " cannot be read: " + e, e);
        }
    }

    @Override
    public void checkLaunch(Step.Launch launch) {
        CpuLaunchRules.check(launch);
    }

    @Override
    public Availability<Timer> timer() {
        return Availability.of(timer);
    }

    @Override
    public Hold hold() {
        requireOpen();
        return new CpuHold(pinning, frequency);
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
                    "the size of the last-level cache is not readable on " + info.id(),
                    "Measure hot (--hot), or where /sys/devices/system/cpu/cpu0/cache is there.");
        }
        long bytes = 2L * CpuCacheSweep.TIMES * cache.longValue();
        try {
            requireMemory("sweeping the caches", bytes);
            sweep = CpuCacheSweep.of(bulk, cache.longValue());
        } catch (UnsupportedException | HostLibraryException e) {
            return Availability.missing(String.valueOf(e.getMessage()), "Free memory or measure hot (--hot).");
        }
        allocated += bytes;
        return Availability.of(sweep);
    }

    /** Launches return when they are done, so there is nothing to wait for; only a closed device is refused. */
    @Override
    public void synchronize() {
        requireOpen();
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(info.id() + " is closed");
        }
    }

    @Override
    public void close() {
        closed = true;
        pool.close();
        if (sweep != null) {
            sweep.close();
            sweep = null;
        }
    }
}
