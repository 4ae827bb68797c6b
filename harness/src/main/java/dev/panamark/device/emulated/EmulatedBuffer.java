package dev.panamark.device.emulated;

import dev.panamark.device.DeviceBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** An allocation of emulated memory. A step over its ends ends the launch, so no damage can be found afterwards. */
final class EmulatedBuffer implements DeviceBuffer {
    private final EmulatedDevice device;
    private final String name;
    private final long address;
    private final long bytes;
    private boolean closed;

    EmulatedBuffer(EmulatedDevice device, String name, long address, long bytes) {
        this.device = device;
        this.name = name;
        this.address = address;
        this.bytes = bytes;
    }

    EmulatedDevice device() {
        return device;
    }

    /** As kernels see it. */
    long address() {
        requireOpen();
        return address;
    }

    private MemorySegment data() {
        requireOpen();
        return device.memory().at(address, bytes);
    }

    void requireOpen() {
        device.requireOpen();
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
        MemorySegment.copy(from, 0, data(), 0, bytes);
        device.faults().written(address, bytes);
    }

    @Override
    public void download(MemorySegment to) {
        requireSize("download", to);
        MemorySegment.copy(data(), 0, to, 0, bytes);
    }

    @Override
    public void fill(byte value) {
        data().fill(value);
        device.filled(bytes);
        device.faults().written(address, bytes);
    }

    @Override
    public void poison(byte pattern) {
        fill(pattern);
        device.faults().emptied(address, bytes);
    }

    @Override
    public Optional<String> damage() {
        requireOpen();
        return Optional.empty();
    }

    private void requireSize(String call, MemorySegment host) {
        if (host.byteSize() < bytes) {
            throw new IllegalArgumentException(call + " of buffer '" + name + "': expected host memory of at least "
                    + bytes + " bytes, not " + host.byteSize());
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            device.memory().free(address);
        }
    }
}
