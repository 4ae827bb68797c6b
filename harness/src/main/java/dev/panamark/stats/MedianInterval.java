package dev.panamark.stats;

import java.util.Arrays;
import org.hipparchus.distribution.continuous.TDistribution;
import org.jspecify.annotations.Nullable;

/**
 * The median of a series that may be autocorrelated, with a 95 % confidence interval.
 *
 * <p>The interval is the sign test turned round: it runs from the order statistic h ranks below the middle to the one
 * h ranks above, so it needs no distribution, follows skew and always holds the median. For independent samples
 * {@code h = z sqrt(n) / 2}. Here the variance of the mean sign comes from batch means instead (Heidelberger and
 * Lewis, "Quantile Estimation in Dependent Sequences", 1984): the signs {@code (x > median) - (x < median)} are
 * averaged in consecutive batches, whose size doubles from 1 until the batch means' lag-1 autocorrelation, corrected
 * for its bias of {@code -(1 + 3 r) / k}, is at most {@code max(0.1, 1.645 / sqrt(k))}, the bound that k independent
 * values exceed once in 20 times. What autocorrelation r > 0 is left widens the variance by {@code (1 + r) / (1 - r)},
 * and {@code h = n t sqrt(variance / k) / 2} with Student's t of {@code k - 1} degrees of freedom. The variance is
 * never taken below that of independent samples. With fewer than about 40 samples a strong autocorrelation cannot be
 * seen, and the interval is then too narrow.
 *
 * @param median of all samples
 * @param n how many samples
 * @param ci95 the interval; null exactly when {@code reason} is not
 * @param batch samples of a batch
 * @param batches k
 * @param reason why there is no interval
 */
public record MedianInterval(
        double median,
        int n,
        @Nullable Bounds ci95,
        int batch,
        int batches,
        @Nullable String reason) {

    /** Fewer samples or batches than this give no interval. */
    public static final int LEAST = 10;

    /**
     * The ends of an interval.
     *
     * @param lo lower end
     * @param hi upper end
     */
    public record Bounds(double lo, double hi) {}

    /**
     * Computes it.
     *
     * @param samples at least 1, finite, in the order of measuring
     */
    public static MedianInterval of(double[] samples) {
        double median = Descriptive.median(samples);
        int n = samples.length;
        if (n < LEAST) {
            return new MedianInterval(
                    median, n, null, 1, n, "only " + n + " samples; an interval needs at least " + LEAST);
        }
        double[] signs = new double[n];
        for (int i = 0; i < n; i++) {
            signs[i] = Math.signum(samples[i] - median);
        }
        double left = 0;
        for (int batch = 1; n / batch >= LEAST; batch *= 2) {
            double[] means = batchMeans(signs, batch);
            int k = means.length;
            double raw = Descriptive.lag1(means);
            left = raw + (1 + 3 * raw) / k;
            if (left <= Math.max(0.1, 1.645 / Math.sqrt(k))) {
                return decorrelated(samples, median, means, batch, Math.max(0, left));
            }
        }
        return new MedianInterval(
                median,
                n,
                null,
                1,
                n,
                "samples depend on each other even over batches, as when other work shares the machine;"
                        + " measure for longer");
    }

    private static MedianInterval decorrelated(
            double[] samples, double median, double[] means, int batch, double left) {
        int n = samples.length;
        int k = means.length;
        double deviation = Descriptive.stdev(means);
        double variance = deviation * deviation / k * (1 + left) / (1 - left);
        double t = new TDistribution(k - 1).inverseCumulativeProbability(0.975);
        double half = n * t * Math.sqrt(Math.max(variance, 1.0 / n)) / 2;
        double middle = (n + 1) / 2.0;
        if (middle - half < 1) {
            return new MedianInterval(
                    median,
                    n,
                    null,
                    batch,
                    k,
                    n + " samples are too few for an interval at the autocorrelation they have; measure for longer");
        }
        double[] sorted = samples.clone();
        Arrays.sort(sorted);
        return new MedianInterval(
                median,
                n,
                new Bounds(Descriptive.between(sorted, middle - half), Descriptive.between(sorted, middle + half)),
                batch,
                k,
                null);
    }

    /** Means of consecutive batches; what is left over at the end is left out. */
    private static double[] batchMeans(double[] x, int batch) {
        double[] means = new double[x.length / batch];
        for (int i = 0; i < means.length; i++) {
            double sum = 0;
            for (int j = 0; j < batch; j++) {
                sum += x[i * batch + j];
            }
            means[i] = sum / batch;
        }
        return means;
    }
}
