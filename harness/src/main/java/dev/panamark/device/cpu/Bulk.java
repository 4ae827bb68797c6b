package dev.panamark.device.cpu;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** Fills and copies memory by all threads of the pool, which also decides on whose NUMA node new pages land. */
final class Bulk {
    private static final long SLICE = 1L << 20;

    private final BlockPool pool;

    Bulk(BlockPool pool) {
        this.pool = pool;
    }

    void fill(MemorySegment target, byte value) {
        long size = target.byteSize();
        sliced(size, true, (first, last) -> target.asSlice(first, last - first).fill(value));
    }

    /** Copies all of {@code from}. */
    void copy(MemorySegment from, MemorySegment to) {
        boolean shared = pool.canAccess(from) && pool.canAccess(to);
        sliced(from.byteSize(), shared, (first, last) -> MemorySegment.copy(from, first, to, first, last - first));
    }

    /** Whether the two halves of every slice are the same; reads all of it. */
    boolean repeats(MemorySegment memory) {
        AtomicBoolean uniform = new AtomicBoolean(true);
        sliced(memory.byteSize(), true, (first, last) -> {
            MemorySegment slice = memory.asSlice(first, last - first);
            long half = slice.byteSize() / 2;
            if (slice.asSlice(0, half).mismatch(slice.asSlice(half, half)) >= 0) {
                uniform.set(false);
            }
        });
        return uniform.get();
    }

    private void sliced(long size, boolean parallel, BlockPool.Task bytes) {
        if (!parallel || size <= SLICE) {
            bytes.run(0, size);
            return;
        }
        pool.run((first, last) -> bytes.run(first * SLICE, Math.min(size, last * SLICE)), (size + SLICE - 1) / SLICE);
    }
}
