package dev.panamark.stats;

import org.hipparchus.distribution.continuous.TDistribution;

/**
 * A mean with half of its 95 % confidence interval by Student's t.
 *
 * @param mean of all values
 * @param n how many, at least 2
 * @param half half of the interval, at least 0
 */
public record MeanInterval(double mean, int n, double half) {
    /** An autocorrelation of some ten values is not known well enough to tell more than this from 1. */
    private static final double MOST_LEFT = 0.9;

    /**
     * Of values that do not depend on each other: {@code t(0.975, n - 1) s / sqrt(n)}.
     *
     * @param x at least 2 finite values
     */
    public static MeanInterval independent(double[] x) {
        return of(x, 0);
    }

    /**
     * Of a series in the order of measuring. Where its lag-1 autocorrelation r, corrected for its bias of
     * {@code -(1 + 3 r) / n}, is above {@code max(0.1, 1.645 / sqrt(n))}, which independent values exceed once in 20
     * times, the variance is widened by {@code (1 + r) / (1 - r)} with r at most 0.9, and t has the degrees of freedom
     * of {@code n (1 - r) / (1 + r)} independent values. Nothing is narrowed where r is negative.
     *
     * @param x at least 2 finite values
     */
    public static MeanInterval series(double[] x) {
        double raw = Descriptive.lag1(x);
        double r = raw + (1 + 3 * raw) / x.length;
        return of(x, r <= Math.max(0.1, 1.645 / Math.sqrt(x.length)) ? 0 : Math.min(MOST_LEFT, r));
    }

    private static MeanInterval of(double[] x, double r) {
        Descriptive.requireLength(x, 2);
        int n = x.length;
        double freedom = Math.max(1, n * (1 - r) / (1 + r) - 1);
        double t = new TDistribution(freedom).inverseCumulativeProbability(0.975);
        double half = t * Descriptive.stdev(x) * Math.sqrt((1 + r) / (1 - r) / n);
        return new MeanInterval(Descriptive.mean(x), n, half);
    }
}
