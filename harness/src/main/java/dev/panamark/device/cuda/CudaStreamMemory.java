package dev.panamark.device.cuda;

import dev.panamark.device.gpu.GpuMemory;
import dev.panamark.driver.cuda.CudaMemory;
import dev.panamark.driver.cuda.CudaStream;
import java.lang.foreign.MemorySegment;

/** Memory that is used in a stream of CUDA's. */
record CudaStreamMemory(CudaMemory memory, CudaStream stream) implements GpuMemory {
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
