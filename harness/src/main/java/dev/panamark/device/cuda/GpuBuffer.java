package dev.panamark.device.cuda;

import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.GuardZones;
import dev.panamark.driver.cuda.CudaMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Device memory between two guard zones; everything that is done with it is done in the device's stream. */
final class GpuBuffer implements DeviceBuffer {
    private static final long ZONE = GuardZones.BYTES;

    private final CudaGpu gpu;
    private final String name;
    private final CudaMemory memory;
    private final GuardZones zones = new GuardZones();
    private final long bytes;
    private boolean closed;

    GpuBuffer(CudaGpu gpu, String name, CudaMemory memory, long bytes) {
        this.gpu = gpu;
        this.name = name;
        this.memory = memory;
        this.bytes = bytes;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment before = arena.allocate(ZONE);
            MemorySegment after = arena.allocate(ZONE);
            zones.arm(before, after);
            gpu.waiting(stream -> {
                stream.upload(memory, 0, before);
                stream.upload(memory, ZONE + bytes, after);
            });
        }
    }

    CudaGpu gpu() {
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
        gpu.waiting(stream -> stream.upload(memory, ZONE, from.asSlice(0, bytes)));
    }

    @Override
    public void download(MemorySegment to) {
        requireSize("download", to);
        gpu.waiting(stream -> stream.download(memory, ZONE, to.asSlice(0, bytes)));
    }

    /** Done in its turn, as a launch is. */
    @Override
    public void fill(byte value) {
        requireOpen();
        gpu.queued(stream -> stream.fill(memory, ZONE, bytes, value));
    }

    @Override
    public Optional<String> damage() {
        requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment before = arena.allocate(ZONE);
            MemorySegment after = arena.allocate(ZONE);
            gpu.waiting(stream -> {
                stream.download(memory, 0, before);
                stream.download(memory, ZONE + bytes, after);
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
