package dev.panamark.device.gpu;

import dev.panamark.device.CacheSweep;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** Writes twice the last cache before the memory, then reads as much of other memory. */
public final class GpuCacheSweep implements CacheSweep {
    private static final int TIMES = 2;
    private static final int VECTOR = 16;
    private static final int THREADS = 256;
    private static final int BLOCKS_PER_UNIT = 4;

    private final Gpu gpu;
    private final GpuMemory written;
    private final Runnable reading;
    private final long bytes;
    private final SequencedMap<String, Object> facts = new LinkedHashMap<>();
    private byte value;

    private GpuCacheSweep(Gpu gpu, GpuMemory written, Runnable reading, long bytes) {
        this.gpu = gpu;
        this.written = written;
        this.reading = reading;
        this.bytes = bytes;
        facts.put("written_bytes", bytes);
        facts.put("read_bytes", bytes);
    }

    /** Makes launches of a kernel that reads. */
    @FunctionalInterface
    public interface Reader {
        /**
         * A launch, ready but for the call, of {@code panamark_read(from, vectors, to)}, which reads so many times 16 bytes.
         * They are zeros; where they were not, it would write to {@code to}.
         */
        Runnable launch(int blocks, int threads, long from, long vectors, long to);
    }

    /** For a cache of this size. */
    public static GpuCacheSweep of(Gpu gpu, Reader reader, long cache, int units) {
        long bytes = (TIMES * cache + VECTOR - 1) / VECTOR * VECTOR;
        GpuMemory written = gpu.memory("sweeping the cache", bytes);
        GpuMemory read;
        try {
            read = gpu.memory("sweeping the cache", bytes + VECTOR);
        } catch (RuntimeException e) {
            gpu.release(written);
            throw e;
        }
        try {
            gpu.waiting(() -> read.fill(0, bytes + VECTOR, (byte) 0));
            Runnable reading = gpu.refusals()
                    .attempt(() -> reader.launch(
                            BLOCKS_PER_UNIT * units, THREADS, read.address(), bytes / VECTOR, read.address() + bytes));
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
        gpu.waiting(() -> {
            written.fill(0, bytes, value);
            reading.run();
        });
    }

    @Override
    public SequencedMap<String, Object> facts() {
        return facts;
    }
}
