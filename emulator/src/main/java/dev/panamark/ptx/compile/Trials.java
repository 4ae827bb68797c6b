package dev.panamark.ptx.compile;

import dev.panamark.ptx.runtime.Executor;
import dev.panamark.ptx.runtime.Warp;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Executes a kernel lane after lane, and now and then a segment with vectors to see whether that is faster. Both do the same.
 * Threads may use one at the same time: what one of them notes may get lost, which only makes a trial longer.
 */
final class Trials implements Executor {
    static final Trials NONE = new Trials();

    private static final int READINGS = 200;

    private final Executor plain;
    private final Executor vectors;
    private final @Nullable ClassLoader loader;
    private final @Nullable Trial[] open;
    private final long reading = reading();
    private volatile int undecided;
    private final BitSet chosen = new BitSet();

    private Trials() {
        plain = (segment, warp, mask) -> 0;
        vectors = plain;
        loader = null;
        open = new Trial[0];
    }

    /**
     * Of the segments of {@code tried}.
     *
     * @param loader of the methods with vectors
     */
    Trials(Executor plain, Executor vectors, ClassLoader loader, BitSet tried) {
        this.plain = plain;
        this.vectors = vectors;
        this.loader = loader;
        open = new Trial[tried.length()];
        tried.stream().forEach(segment -> open[segment] = new Trial());
        undecided = tried.cardinality();
    }

    @Override
    public int run(int segment, Warp warp, int mask) {
        if (mask == -1 && segment < open.length) {
            Trial trial = open[segment];
            if (trial != null) {
                return trial.faster ? vectors.run(segment, warp, mask) : trial.run(segment, warp);
            }
        }
        return plain.run(segment, warp, mask);
    }

    /** Whether nothing is left to try. */
    boolean decided() {
        return undecided == 0;
    }

    /** Segments that are faster with vectors. */
    synchronized BitSet chosen() {
        return (BitSet) chosen.clone();
    }

    ClassLoader vectors() {
        if (loader == null) {
            throw new IllegalStateException("nothing is tried");
        }
        return loader;
    }

    private synchronized void decide(int segment, Trial trial, boolean faster) {
        if (!trial.decided) {
            trial.decided = true;
            trial.faster = faster;
            chosen.set(segment, faster);
            undecided--;
            if (!faster) {
                open[segment] = null;
            }
        }
    }

    /** What reading the time takes, at least. */
    private static long reading() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < READINGS; i++) {
            long begun = System.nanoTime();
            least = Math.min(least, System.nanoTime() - begun);
        }
        return least;
    }

    /** Of one segment. */
    private final class Trial {
        /** Of how many of the latest times the middle one counts. */
        private static final int TIMES = 15;

        /** What vectors may take of the time meanwhile: one part in so many. */
        private static final int SHARE = 4;

        /** After so much time it will not become faster any more. */
        private static final long LONGEST = 2_000_000_000L;

        /** How much faster it must be. */
        private static final double ENOUGH = 0.9;

        private final long[] plainTimes = new long[TIMES];
        private final long[] vectorTimes = new long[TIMES];
        private int plainCount;
        private int vectorCount;
        private long spent;
        private long wait;
        private boolean decided;
        private volatile boolean faster;

        int run(int segment, Warp warp) {
            if (wait > 0) {
                wait--;
                return plain.run(segment, warp, -1);
            }
            // One of the other kind after each, as what else the machine does changes both.
            boolean vector = vectorCount < plainCount;
            long begun = System.nanoTime();
            int result = (vector ? vectors : plain).run(segment, warp, -1);
            long time = System.nanoTime() - begun - reading;
            if (vector) {
                vectorTimes[vectorCount++ % TIMES] = time;
                spent += time;
                wait = SHARE * time / Math.max(1, middle(plainTimes, plainCount));
                judge(segment);
            } else {
                plainTimes[plainCount++ % TIMES] = time;
            }
            return result;
        }

        private void judge(int segment) {
            if (vectorCount < TIMES) {
                return;
            }
            boolean is = middle(vectorTimes, vectorCount) < ENOUGH * middle(plainTimes, plainCount);
            if (is || spent > LONGEST) {
                decide(segment, this, is);
            }
        }

        private static long middle(long[] times, int count) {
            long[] sorted = Arrays.copyOf(times, Math.min(count, times.length));
            Arrays.sort(sorted);
            return sorted[sorted.length / 2];
        }
    }
}
