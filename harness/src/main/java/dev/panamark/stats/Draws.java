package dev.panamark.stats;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which of n values each of {@link MedianSpread#REPLICATES} resamples draws, for any n: what rows have in common that
 * were measured by the same invocations. Safe for several
 * threads.
 */
public final class Draws {
    private final long seed;
    private final Map<Integer, int[]> known = new ConcurrentHashMap<>();

    /** The same seed gives the same draws. */
    public Draws(long seed) {
        this.seed = seed;
    }

    long seed() {
        return seed;
    }

    /** How often each of the n values is drawn: n numbers for each resample, one resample after the other. */
    int[] of(int n) {
        return known.computeIfAbsent(n, this::drawn);
    }

    private int[] drawn(int n) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] counts = new int[MedianSpread.REPLICATES * n];
        for (int first = 0; first < counts.length; first += n) {
            for (int i = 0; i < n; i++) {
                counts[first + random.nextInt(n)]++;
            }
        }
        return counts;
    }
}
