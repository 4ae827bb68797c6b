package dev.panamark.stats;

import java.util.Arrays;
import org.hipparchus.distribution.continuous.NormalDistribution;

/**
 * Whether a series rises or falls, by the Mann-Kendall test (Mann 1945, Kendall 1975) and the Theil-Sen slope. Takes
 * time and memory quadratic in the length, so it is for windows of some hundred values.
 *
 * @param s pairs that rise less pairs that fall
 * @param z {@code s}, moved by 1 towards 0, over its standard deviation when there is no trend, ties allowed for
 * @param p probability of a z as far from 0 when there is no trend
 * @param slope median slope of all pairs, per sample
 * @param change that slope over the whole window, relative to the window's median
 */
public record Trend(long s, double z, double p, double slope, double change) {

    /**
     * Tests a window.
     *
     * @param x at least 4 finite values in the order of measuring, with a median other than 0
     */
    public static Trend of(double[] x) {
        Descriptive.requireLength(x, 4);
        int n = x.length;
        double[] slopes = new double[n * (n - 1) / 2];
        long s = 0;
        int at = 0;
        for (int i = 0; i < n; i++) {
            for (int j = i + 1; j < n; j++) {
                s += (long) Math.signum(x[j] - x[i]);
                slopes[at++] = (x[j] - x[i]) / (j - i);
            }
        }
        double variance = pairs(n);
        double[] sorted = x.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < n; ) {
            int end = i;
            while (end < n && sorted[end] == sorted[i]) {
                end++;
            }
            variance -= pairs(end - i);
            i = end;
        }
        double z = variance == 0 ? 0 : (s - Math.signum((double) s)) / Math.sqrt(variance);
        double p = 2 * new NormalDistribution().cumulativeProbability(-Math.abs(z));
        double slope = Descriptive.median(slopes);
        double median = Descriptive.between(sorted, (n + 1) / 2.0);
        return new Trend(s, z, p, slope, slope * (n - 1) / median);
    }

    /**
     * Whether the window may count as warmed up: there is no trend, or one too small to matter.
     *
     * @param tolerance largest relative change over the window that does not matter, such as 0.01
     */
    public boolean steady(double tolerance) {
        return p > 0.05 || Math.abs(change) <= tolerance;
    }

    private static double pairs(long n) {
        return n * (n - 1) * (2 * n + 5) / 18.0;
    }
}
