package dev.panamark.device.gpu;

import java.lang.foreign.MemorySegment;

/** Memory of a GPU. What is done with it is put into the GPU's stream; segments of the host are native. */
public interface GpuMemory extends AutoCloseable {
    /** As kernels see it; a multiple of 256. */
    long address();

    /** Copies from the host. */
    void upload(long offset, MemorySegment from);

    /** Copies to the host. */
    void download(long offset, MemorySegment to);

    /** Sets bytes to a value. */
    void fill(long offset, long length, byte value);

    @Override
    void close();
}
