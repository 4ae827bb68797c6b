package dev.panamark.device.hip;

import dev.panamark.device.gpu.GpuMemory;
import dev.panamark.driver.hip.HipMemory;
import dev.panamark.driver.hip.HipStream;
import java.lang.foreign.MemorySegment;

/** Memory that is used in a stream of HIP's. */
record HipStreamMemory(HipMemory memory, HipStream stream) implements GpuMemory {
    @Override
    public long address() {
        return memory.address();
    }

    @Override
    public void upload(long offset, MemorySegment from) {
        stream.upload(memory, offset, from);
    }

    @Override
    public void download(long offset, MemorySegment to) {
        stream.download(memory, offset, to);
    }

    @Override
    public void fill(long offset, long length, byte value) {
        stream.fill(memory, offset, length, value);
    }

    @Override
    public void close() {
        memory.close();
    }
}
