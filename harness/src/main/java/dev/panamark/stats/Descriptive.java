package dev.panamark.stats;

import java.util.Arrays;

/** Figures that describe a series. Every value must be finite; every function refuses a series that is too short. */
public final class Descriptive {
    private Descriptive() {}

    /** The median: {@code quantile(x, 0.5)}. */
    public static double median(double[] x) {
        return quantile(x, 0.5);
    }

    /**
     * A quantile by definition 7 of Hyndman and Fan (1996), the default of R and NumPy: linear between the order
     * statistics around position {@code 1 + q (n - 1)}.
     *
     * @param x at least 1 value
     * @param q from 0 to 1
     */
    public static double quantile(double[] x, double q) {
        requireLength(x, 1);
        if (!(q >= 0 && q <= 1)) {
            throw new IllegalArgumentException("a quantile lies between 0 and 1, not at " + q);
        }
        double[] sorted = x.clone();
        Arrays.sort(sorted);
        return between(sorted, 1 + q * (x.length - 1));
    }

    /** The value at a position between 1 and n of a sorted array, linear between neighbours. */
    static double between(double[] sorted, double position) {
        int below = (int) Math.floor(position);
        double share = position - below;
        double lo = sorted[below - 1];
        return share == 0 ? lo : lo + share * (sorted[below] - lo);
    }

    /** The arithmetic mean of at least 1 value, corrected once for rounding. */
    public static double mean(double[] x) {
        requireLength(x, 1);
        double first = Arrays.stream(x).sum() / x.length;
        double rest = 0;
        for (double v : x) {
            rest += v - first;
        }
        return first + rest / x.length;
    }

    /** The standard deviation of at least 2 values, with divisor n - 1. */
    public static double stdev(double[] x) {
        requireLength(x, 2);
        double mean = mean(x);
        double sum = 0;
        for (double v : x) {
            sum += (v - mean) * (v - mean);
        }
        return Math.sqrt(sum / (x.length - 1));
    }

    /**
     * The spread of the samples relative to their mean, stdev / mean.
     *
     * @param x at least 2 values with a positive mean
     */
    public static double noise(double[] x) {
        double mean = mean(x);
        if (!(mean > 0)) {
            throw new IllegalArgumentException("a relative spread needs a positive mean, not " + mean);
        }
        return stdev(x) / mean;
    }

    /**
     * The autocorrelation at lag 1, {@code sum (x[i] - m)(x[i+1] - m) / sum (x[i] - m)^2}, as NIST's StRD defines it;
     * 0 for a constant series.
     *
     * @param x at least 2 values
     */
    public static double lag1(double[] x) {
        requireLength(x, 2);
        double mean = mean(x);
        double both = 0;
        double all = (x[0] - mean) * (x[0] - mean);
        for (int i = 1; i < x.length; i++) {
            both += (x[i - 1] - mean) * (x[i] - mean);
            all += (x[i] - mean) * (x[i] - mean);
        }
        return all == 0 ? 0 : both / all;
    }

    static void requireLength(double[] x, int least) {
        if (x.length < least) {
            throw new IllegalArgumentException("needs at least " + least + " values, not " + x.length);
        }
    }
}
