package dev.panamark.device.cpu;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The threads that work through a grid: the caller and daemon helpers, handing out ranges of blocks as threads become
 * free. A run allocates nothing. One thread at a time may call {@link #run}.
 *
 * <p>Helpers join a run while its gate is open, and each that joined is waited for; one that wakes too late finds the
 * gate closed and costs nothing. So a run never waits for a thread that has not begun to work.
 */
final class BlockPool implements AutoCloseable {

    /** What is done for a range of blocks; called by several threads at once. */
    @FunctionalInterface
    interface Task {
        /** Does blocks {@code [first, last)}. */
        void run(long first, long last);
    }

    private static final int RANGES_PER_THREAD = 8;
    private static final long SPIN_NANOS = 30_000;
    private static final int WAKE_FANOUT = 4;
    // Kernels keep tiles on the stack, and C code expects what a process's first thread has.
    private static final long STACK_BYTES = 8L << 20;

    // The gate: bits 0-31 count helpers at work, bit 32 is set while more may join, above it the number of the run.
    private static final long OPEN = 1L << 32;
    private static final long RUN = 1L << 33;
    private static final long AT_WORK = OPEN - 1;

    // Both counters are written by all threads, so each has 128 bytes (two lines, for adjacent-line prefetch) around
    // it.
    private static final int NEXT = 16;
    private static final int GATE = 32;
    private final AtomicLongArray cells = new AtomicLongArray(48);

    private final Helper[] helpers;
    private final IntConsumer atStart;
    private @Nullable Task task;
    private long blocks;
    private long chunk;
    private int wanted;
    private volatile @Nullable Thread waiter;
    private volatile @Nullable Throwable failure;
    private volatile boolean closed;

    /** With {@code threads - 1} helpers, which start at once and sleep. */
    BlockPool(int threads) {
        this(threads, index -> {});
    }

    /** The same; each helper calls {@code atStart} with its number, from 1, before anything else. */
    BlockPool(int threads, IntConsumer atStart) {
        this.atStart = atStart;
        if (threads < 1) {
            throw new IllegalArgumentException("a pool needs at least 1 thread, not " + threads);
        }
        helpers = new Helper[threads - 1];
        for (int i = 0; i < helpers.length; i++) {
            helpers[i] = new Helper(i);
        }
        for (Helper helper : helpers) {
            helper.thread.start();
        }
    }

    /** Threads that work, the caller included. */
    int threads() {
        return helpers.length + 1;
    }

    /** Whether every thread of the pool may touch this memory; a confined arena's belongs to one thread. */
    boolean canAccess(java.lang.foreign.MemorySegment segment) {
        return helpers.length == 0 || segment.isAccessibleBy(helpers[0].thread);
    }

    /**
     * Does blocks {@code [0, n)}, each exactly once, and returns when all are done. One block runs on the caller alone.
     *
     * @param n at least 1
     */
    void run(Task work, long n) {
        if (n == 1 || helpers.length == 0) {
            work.run(0, n);
            return;
        }
        failure = null; // of a run whose caller failed too, and whose failure it reported
        task = work;
        blocks = n;
        chunk = Math.max(1, n / ((long) threads() * RANGES_PER_THREAD));
        wanted = (int) Math.min(helpers.length, (n - 1) / chunk);
        cells.set(NEXT, 0);
        long gate = cells.get(GATE);
        cells.set(GATE, (gate & ~(OPEN | AT_WORK)) + RUN + OPEN);
        try {
            wake(0);
            drain(work);
        } finally {
            cells.getAndAdd(GATE, -OPEN);
            awaitHelpers();
        }
        Throwable failed = failure;
        if (failed != null) {
            failure = null;
            if (failed instanceof Error e) {
                throw e;
            }
            throw failed instanceof RuntimeException e ? e : new IllegalStateException(failed);
        }
    }

    private void drain(Task work) {
        long end = blocks;
        long step = chunk;
        while (true) {
            long first = cells.getAndAdd(NEXT, step);
            if (first >= end || first < 0) { // negative: past 2^63, so long after the end
                return;
            }
            work.run(first, first + Math.min(step, end - first));
        }
    }

    /** Wakes a few sleepers, each of which wakes a few more, so that no thread pays for all. */
    private void wake(int from) {
        for (int i = from; i < Math.min(from + WAKE_FANOUT, wanted); i++) {
            if (helpers[i].asleep) {
                LockSupport.unpark(helpers[i].thread);
            }
        }
    }

    private void awaitHelpers() {
        if (allLeft()) {
            return;
        }
        long deadline = System.nanoTime() + SPIN_NANOS;
        while (System.nanoTime() < deadline) {
            for (int i = 0; i < 32; i++) {
                if (allLeft()) {
                    return;
                }
                Thread.onSpinWait();
            }
        }
        waiter = Thread.currentThread();
        while (!allLeft()) {
            LockSupport.park(this);
        }
        waiter = null;
    }

    private boolean allLeft() {
        return (cells.get(GATE) & AT_WORK) == 0;
    }

    /** Ends the helpers; later runs are the caller's alone. */
    @Override
    public void close() {
        closed = true;
        for (Helper helper : helpers) {
            LockSupport.unpark(helper.thread);
        }
    }

    private final class Helper implements Runnable {
        private final int index;
        private final Thread thread;
        private volatile boolean asleep;
        private long lastRun;

        Helper(int index) {
            this.index = index;
            this.thread = new Thread(null, this, "panamark-cpu-" + (index + 1), STACK_BYTES);
            thread.setDaemon(true);
        }

        @Override
        public void run() {
            atStart.accept(index + 1);
            while (awaitRun()) {
                long gate = cells.get(GATE);
                if (isNew(gate) && cells.compareAndSet(GATE, gate, gate + 1)) {
                    lastRun = gate / RUN;
                    work();
                    if ((cells.addAndGet(GATE, -1) & (OPEN | AT_WORK)) == 0) {
                        Thread waiting = waiter;
                        if (waiting != null) {
                            LockSupport.unpark(waiting);
                        }
                    }
                }
            }
        }

        private void work() {
            Task current = task;
            if (current == null) {
                return;
            }
            try {
                wake((index + 1) * WAKE_FANOUT);
                drain(current);
            } catch (Throwable t) {
                failure = t;
            }
        }

        /** An open gate of a run that this helper has not been in. */
        private boolean isNew(long gate) {
            return (gate & OPEN) != 0 && gate / RUN != lastRun;
        }

        /** Waits for a run, awake for a little while and then asleep; false when the pool is closed. */
        private boolean awaitRun() {
            long deadline = System.nanoTime() + SPIN_NANOS;
            do {
                for (int i = 0; i < 32; i++) {
                    if (isNew(cells.get(GATE))) {
                        return true;
                    }
                    Thread.onSpinWait();
                }
            } while (System.nanoTime() < deadline);
            asleep = true;
            while (!closed && !isNew(cells.get(GATE))) {
                LockSupport.park(BlockPool.this);
            }
            asleep = false;
            return !closed;
        }
    }
}
