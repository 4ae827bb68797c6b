package dev.panamark.device.gpu;

import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.GuardZones;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Device memory between two guard zones; everything that is done with it is done in the device's stream. */
public final class GpuBuffer implements DeviceBuffer {
    private static final long ZONE = GuardZones.BYTES;

    private final Gpu gpu;
    private final String name;
    private final GpuMemory memory;
    private final GuardZones zones = new GuardZones();
    private final long bytes;
    private boolean closed;

    private GpuBuffer(Gpu gpu, String name, GpuMemory memory, long bytes) {
        this.gpu = gpu;
        this.name = name;
        this.memory = memory;
        this.bytes = bytes;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment before = arena.allocate(ZONE);
            MemorySegment after = arena.allocate(ZONE);
            zones.arm(before, after);
            gpu.waiting(() -> {
                memory.upload(0, before);
                memory.upload(ZONE + bytes, after);
            });
        }
    }

    /**
     * A buffer on a GPU.
     *
     * @param name for messages
     * @param bytes at least 1
     */
    public static GpuBuffer allocate(Gpu gpu, String name, long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("buffer '" + name + "' takes at least 1 byte, not " + bytes);
        }
        GpuMemory memory = gpu.memory("buffer '" + name + "'", bytes + 2L * ZONE);
        try {
            return new GpuBuffer(gpu, name, memory, bytes);
        } catch (RuntimeException e) {
            gpu.release(memory);
            throw e;
        }
    }

    /** Whose memory it is. */
    Gpu gpu() {
        return gpu;
    }

    /** As kernels see it; a multiple of 256. */
    long address() {
        requireOpen();
        return memory.address() + ZONE;
    }

    void requireOpen() {
        if (closed) {
            throw new IllegalStateException("buffer '" + name + "' is closed");
        }
    }

    @Override
    public long size() {
        return bytes;
    }

    @Override
    public void upload(MemorySegment from) {
        requireSize("upload", from);
        gpu.waiting(() -> memory.upload(ZONE, from.asSlice(0, bytes)));
    }

    @Override
    public void download(MemorySegment to) {
        requireSize("download", to);
        gpu.waiting(() -> memory.download(ZONE, to.asSlice(0, bytes)));
    }

    /** Done in its turn, as a launch is. */
    @Override
    public void fill(byte value) {
        requireOpen();
        gpu.queued(() -> memory.fill(ZONE, bytes, value));
    }

    @Override
    public Optional<String> damage() {
        requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment before = arena.allocate(ZONE);
            MemorySegment after = arena.allocate(ZONE);
            gpu.waiting(() -> {
                memory.download(0, before);
                memory.download(ZONE + bytes, after);
            });
            return zones.damage(before, after);
        }
    }

    private void requireSize(String call, MemorySegment host) {
        requireOpen();
        if (host.byteSize() < bytes) {
            throw new IllegalArgumentException(call + " of buffer '" + name + "': expected host memory of at least "
                    + bytes + " bytes, not " + host.byteSize());
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            gpu.release(memory);
        }
    }
}
