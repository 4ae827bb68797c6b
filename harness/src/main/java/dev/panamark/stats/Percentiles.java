package dev.panamark.stats;

import java.util.Arrays;
import java.util.Locale;
import org.HdrHistogram.DoubleHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Percentiles of single launches: the value that so many of them did not exceed.
 *
 * <p>One is given only where a 95 % interval for it exists, that is where the largest of n samples lies above the true
 * quantile q with probability {@code 1 - q^n >= 0.975}. That takes 6 samples for the median, 36 for p90 and 368 for
 * p99. Values come from a histogram of four significant digits, so they are right to 0.01 %.
 *
 * @param p50 half
 * @param p90 nine in ten
 * @param p99 ninety-nine in a hundred
 * @param max the largest sample, exact
 */
public record Percentiles(Percentile p50, Percentile p90, Percentile p99, Percentile max) {
    private static final double CONFIDENCE = 0.975;
    private static final int DIGITS = 4;

    /**
     * One of them.
     *
     * @param value null exactly when {@code reason} is not
     * @param reason why there is none
     */
    public record Percentile(
            @Nullable Double value, @Nullable String reason) {}

    /**
     * Computes them.
     *
     * @param samples not negative, finite; may be empty
     * @param launches how many launches each sample averages; with more than 1 there are no percentiles
     */
    public static Percentiles of(double[] samples, long launches) {
        if (launches > 1) {
            Percentile none = new Percentile(
                    null, "a sample is the mean of " + launches + " launches; percentiles are of single launches");
            return new Percentiles(none, none, none, none);
        }
        DoubleHistogram histogram = new DoubleHistogram(DIGITS);
        for (double sample : samples) {
            histogram.recordValue(sample);
        }
        double max = Arrays.stream(samples).max().orElse(Double.NaN);
        return new Percentiles(
                percentile(histogram, samples.length, 50, max),
                percentile(histogram, samples.length, 90, max),
                percentile(histogram, samples.length, 99, max),
                samples.length == 0 ? new Percentile(null, "no samples") : new Percentile(max, null));
    }

    /**
     * Fewest samples for a percentile: the smallest n with {@code 1 - q^n >= 0.975}.
     *
     * @param q at least 0.5 and below 1
     */
    public static long needed(double q) {
        if (!(q >= 0.5 && q < 1)) {
            throw new IllegalArgumentException("q must be at least 0.5 and below 1, not " + q);
        }
        return (long) Math.ceil(Math.log(1 - CONFIDENCE) / Math.log(q));
    }

    private static Percentile percentile(DoubleHistogram histogram, int n, int percent, double max) {
        long need = needed(percent / 100.0);
        if (n < need) {
            return new Percentile(
                    null, String.format(Locale.ROOT, "p%d needs %d samples, and there are %d", percent, need, n));
        }
        // The histogram gives the upper edge of a bucket, which may lie above every sample in it.
        return new Percentile(Math.min(histogram.getValueAtPercentile(percent), max), null);
    }
}
