package dev.panamark.measure;

import dev.panamark.stats.MedianInterval;
import java.util.Arrays;

/**
 * When to stop sampling: when half of the median's 95 % interval is narrow enough. It is fed numbers and reads no clock.
 * It looks only after the least number of samples, or 30 if that is more, and then whenever there are 1.25 times as many
 * (rounded up): looking after every sample and stopping at the first narrow interval would make the intervals of stopped
 * rows too narrow. Few looks do not help where the first one comes before dependence can be seen; {@link
 * Effort#MIN_SAMPLES} is chosen for that. Used for one series, by one thread.
 */
public final class StoppingRule {
    private static final int FIRST_LOOK = 30;
    private static final double LOOK_GROWTH = 1.25;

    private final Effort effort;
    private int nextLook;

    /** A rule for one series. */
    public StoppingRule(Effort effort) {
        this.effort = effort;
        this.nextLook = Math.max(FIRST_LOOK, effort.minSamples());
    }

    /**
     * Whether what is there is enough.
     *
     * @param samples seconds per launch; the first {@code n} count
     * @param n how many there are
     * @param sampled seconds that the samples took together
     */
    public boolean enough(double[] samples, int n, double sampled) {
        if (n < nextLook) {
            return false;
        }
        nextLook = (int) Math.ceil(n * LOOK_GROWTH);
        if (n < effort.minSamples() || sampled < effort.minTime()) {
            return false;
        }
        MedianInterval interval = MedianInterval.of(Arrays.copyOf(samples, n));
        MedianInterval.Bounds ci95 = interval.ci95();
        return ci95 != null && (ci95.hi() - ci95.lo()) / 2 <= effort.precision() * interval.median();
    }
}
