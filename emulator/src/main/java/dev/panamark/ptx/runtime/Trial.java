package dev.panamark.ptx.runtime;

import java.util.Arrays;

/**
 * Whether something is faster with vectors than without: both are timed now and then, one after the other, until it is or a while is
 * over, since the JVM compiles them only after some calls and they are slow before. Threads may use one at the same time: what
 * one of them notes may get lost, which only makes a trial longer.
 */
public final class Trial {
    /** Of how many of the latest times the middle one counts. */
    private static final int TIMES = 15;

    /** What vectors may take of the time meanwhile: one part in so many. */
    private static final int SHARE = 2;

    /** After so much time with vectors they will not become faster any more. */
    private static final long LONGEST_NANOS = 2_000_000_000L;

    /** What share of the time they may take at most to be chosen. */
    private static final double ENOUGH = 0.9;

    private static final int READINGS = 200;

    /** What reading the time takes, at least. */
    private static final long READING = reading();

    private final long[] plainTimes = new long[TIMES];
    private final long[] vectorTimes = new long[TIMES];
    private int plainCount;
    private int vectorCount;
    private long spent;
    private long wait;
    private volatile boolean faster;
    private volatile boolean slower;

    private static long reading() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < READINGS; i++) {
            long begun = System.nanoTime();
            least = Math.min(least, System.nanoTime() - begun);
        }
        return least;
    }

    /** Whether vectors were found to be faster. */
    public boolean faster() {
        return faster;
    }

    /** Whether they were found not to be. */
    public boolean slower() {
        return slower;
    }

    /** Whether the next call is to be timed; others are made without vectors. */
    public boolean due() {
        if (wait > 0) {
            wait--;
            return false;
        }
        return true;
    }

    /** Whether that call is to be made with vectors. One of the other kind comes after each, as other load changes both. */
    public boolean vectors() {
        return vectorCount < plainCount;
    }

    /** What a timed call took. */
    public void took(boolean vectors, long nanos) {
        long time = Math.max(0, nanos - READING);
        if (vectors) {
            vectorTimes[vectorCount++ % TIMES] = time;
            spent += time;
            wait = SHARE * time / Math.max(1, middle(plainTimes, plainCount));
            judge();
        } else {
            plainTimes[plainCount++ % TIMES] = time;
        }
    }

    private void judge() {
        if (vectorCount >= TIMES) {
            if (middle(vectorTimes, vectorCount) < ENOUGH * middle(plainTimes, plainCount)) {
                faster = true;
            } else if (spent > LONGEST_NANOS) {
                slower = true;
            }
        }
    }

    private static long middle(long[] times, int count) {
        long[] sorted = Arrays.copyOf(times, Math.min(count, times.length));
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
