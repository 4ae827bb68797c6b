package dev.panamark.device.cuda;

import dev.panamark.device.CacheSweep;
import dev.panamark.driver.cuda.CudaLaunch;
import dev.panamark.driver.cuda.CudaMemory;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** Writes twice the L2 cache, then reads as much of other memory. */
final class GpuCacheSweep implements CacheSweep {
    private static final int TIMES = 2;
    private static final int VECTOR = 16;
    private static final int THREADS = 256;
    private static final int BLOCKS_PER_UNIT = 4;

    private final CudaGpu gpu;
    private final CudaMemory written;
    private final CudaLaunch reading;
    private final long bytes;
    private final SequencedMap<String, Object> facts = new LinkedHashMap<>();
    private byte value;

    private GpuCacheSweep(CudaGpu gpu, CudaMemory written, CudaLaunch reading, long bytes) {
        this.gpu = gpu;
        this.written = written;
        this.reading = reading;
        this.bytes = bytes;
        facts.put("written_bytes", bytes);
        facts.put("read_bytes", bytes);
    }

    /** For a cache of this size. */
    static GpuCacheSweep of(CudaGpu gpu, OwnKernels own, long cache, int units) {
        long bytes = (TIMES * cache + VECTOR - 1) / VECTOR * VECTOR;
        CudaMemory written = gpu.memory("sweeping the cache", bytes);
        CudaMemory read;
        try {
            read = gpu.memory("sweeping the cache", bytes + VECTOR);
        } catch (RuntimeException e) {
            gpu.release(written);
            throw e;
        }
        try {
            gpu.waiting(stream -> stream.fill(read, 0, bytes + VECTOR, (byte) 0));
            CudaLaunch reading = gpu.refusals()
                    .attempt(() -> own.launch(
                            "panamark_read",
                            BLOCKS_PER_UNIT * units,
                            THREADS,
                            read.address(),
                            bytes / VECTOR,
                            read.address() + bytes));
            GpuCacheSweep sweep = new GpuCacheSweep(gpu, written, reading, bytes);
            sweep.sweep(); // the first time code is loaded
            return sweep;
        } catch (RuntimeException e) {
            gpu.release(written);
            gpu.release(read);
            throw e;
        }
    }

    @Override
    public void sweep() {
        value++;
        gpu.waiting(stream -> {
            stream.fill(written, 0, bytes, value);
            reading.launch();
        });
    }

    @Override
    public SequencedMap<String, Object> facts() {
        return facts;
    }
}
