package dev.panamark.device.cpu;

import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.GuardZones;
import dev.panamark.driver.host.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Host memory between two guard zones; starts on a page, and its end is exactly where the second zone begins. */
final class CpuBuffer implements DeviceBuffer {
    private final CpuDevice device;
    private final String name;
    private final HostMemory memory;
    private final MemorySegment data;
    private final GuardZones zones = new GuardZones();
    private final MemorySegment before;
    private final MemorySegment after;
    private boolean closed;

    CpuBuffer(CpuDevice device, String name, long bytes, HostMemory memory) {
        this.device = device;
        this.name = name;
        this.memory = memory;
        MemorySegment all = memory.segment();
        this.data = all.asSlice(GuardZones.BYTES, bytes);
        this.before = all.asSlice(0, GuardZones.BYTES);
        this.after = all.asSlice(GuardZones.BYTES + bytes, GuardZones.BYTES);
        zones.arm(before, after);
    }

    CpuDevice device() {
        return device;
    }

    /** What kernels get the address of. */
    MemorySegment data() {
        requireOpen();
        return data;
    }

    void requireOpen() {
        if (closed) {
            throw new IllegalStateException("buffer '" + name + "' is closed");
        }
    }

    @Override
    public long size() {
        return data.byteSize();
    }

    @Override
    public void upload(MemorySegment from) {
        requireOpen();
        requireSize("upload", from);
        device.bulk().copy(from.asSlice(0, size()), data);
    }

    @Override
    public void download(MemorySegment to) {
        requireOpen();
        requireSize("download", to);
        device.bulk().copy(data, to);
    }

    @Override
    public void fill(byte value) {
        requireOpen();
        device.bulk().fill(data, value);
    }

    @Override
    public Optional<String> damage() {
        requireOpen();
        return zones.damage(before, after);
    }

    private void requireSize(String call, MemorySegment host) {
        if (host.byteSize() < size()) {
            throw new IllegalArgumentException(call + " of buffer '" + name + "': expected host memory of at least "
                    + size() + " bytes, not " + host.byteSize());
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            memory.close();
            device.released(size());
        }
    }
}
