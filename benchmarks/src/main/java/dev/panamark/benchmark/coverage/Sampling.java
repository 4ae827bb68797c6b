package dev.panamark.benchmark.coverage;

import dev.panamark.measure.Effort;
import dev.panamark.measure.StoppingRule;
import java.util.Arrays;
import java.util.Locale;

/**
 * Samples launches as {@code panamark run} does without options: until the stopping rule has enough, or the row's share
 * of time is spent.
 *
 * @param launch seconds that a launch of a quiet machine takes
 */
record Sampling(double launch) {
    /** Seconds: what 26 rows get of 90 seconds when warming up and checking are done. */
    static final double SHARE = 2.5;

    /**
     * Samples.
     *
     * @param factor by which this subject is slower
     * @return seconds of single launches
     */
    double[] sample(Course course, double factor) {
        StoppingRule rule = new StoppingRule(new Effort(Effort.MIN_SAMPLES, Effort.MIN_TIME, Effort.PRECISION, SHARE));
        double[] seconds = new double[1024];
        int n = 0;
        double sampled = 0;
        do {
            if (n == seconds.length) {
                seconds = Arrays.copyOf(seconds, 2 * n);
            }
            double time = factor * launch * course.next();
            seconds[n++] = time;
            sampled += time;
        } while (sampled < SHARE && !rule.enough(seconds, n, sampled));
        return Arrays.copyOf(seconds, n);
    }

    String label() {
        return String.format(Locale.ROOT, "%.0f ms", 1e3 * launch);
    }
}
