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
 * <p>Where even the longest batches depend on each other, as when a shared machine is slower for seconds at a time, the
 * samples drifted: the longest batches are taken, widened as above with r at most 0.9, and Student's t has only the
 * degrees of freedom of {@code k (1 - r) / (1 + r)} independent batches. Such an interval is wide, at most from the
 * smallest to the largest sample, and marked.
 *
 * @param median of all samples
 * @param n how many samples
 * @param ci95 the interval; null exactly when {@code reason} is not
 * @param batch samples of a batch
 * @param batches k
 * @param drifted whether even the batches depended on each other, or the interval would reach beyond all samples
 * @param reason why there is no interval
 */
public record MedianInterval(
        double median,
        int n,
        @Nullable Bounds ci95,
        int batch,
        int batches,
        boolean drifted,
        @Nullable String reason) {

    /** Fewer samples or batches than this give no interval. */
    public static final int LEAST = 10;

    /** An autocorrelation of some ten batches is not known well enough to tell more than this from 1. */
    private static final double MOST_LEFT = 0.9;

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
                    median, n, null, 1, n, false, "only " + n + " samples; an interval needs at least " + LEAST);
        }
        double[] signs = new double[n];
        for (int i = 0; i < n; i++) {
            signs[i] = Math.signum(samples[i] - median);
        }
        for (int batch = 1; ; batch *= 2) {
            double[] means = batchMeans(signs, batch);
            int k = means.length;
            double raw = Descriptive.lag1(means);
            double left = raw + (1 + 3 * raw) / k;
            boolean last = n / (2 * batch) < LEAST;
            if (left <= Math.max(0.1, 1.645 / Math.sqrt(k))) {
                return interval(samples, median, means, batch, Math.max(0, left), k - 1, false);
            }
            if (last) {
                double r = Math.min(MOST_LEFT, left);
                double independent = k * (1 - r) / (1 + r);
                return interval(samples, median, means, batch, r, Math.max(1, independent - 1), true);
            }
        }
    }

    private static MedianInterval interval(
            double[] samples, double median, double[] means, int batch, double left, double freedom, boolean drifted) {
        int n = samples.length;
        int k = means.length;
        double deviation = Descriptive.stdev(means);
        double variance = deviation * deviation / k * (1 + left) / (1 - left);
        double t = new TDistribution(freedom).inverseCumulativeProbability(0.975);
        double half = n * t * Math.sqrt(Math.max(variance, 1.0 / n)) / 2;
        double middle = (n + 1) / 2.0;
        double reach = Math.min(half, middle - 1);
        double[] sorted = samples.clone();
        Arrays.sort(sorted);
        return new MedianInterval(
                median,
                n,
                new Bounds(Descriptive.between(sorted, middle - reach), Descriptive.between(sorted, middle + reach)),
                batch,
                k,
                drifted || half > reach,
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
