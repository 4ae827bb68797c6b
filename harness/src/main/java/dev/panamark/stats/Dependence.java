package dev.panamark.stats;

import java.util.Arrays;
import org.hipparchus.distribution.continuous.NormalDistribution;
import org.hipparchus.distribution.continuous.TDistribution;

/**
 * How much the samples of a series depend on each other, and so how far the middle ranks may be off: the larger of two
 * estimates, as each misses what the other sees.
 *
 * <p><em>Batch means of signs</em> assume no kind of dependence, but need a few hundred samples to see a strong one
 * (Heidelberger and Lewis, "Quantile Estimation in Dependent Sequences", 1984). The signs {@code (x > median) - (x <
 * median)} are averaged in consecutive batches, whose size doubles from 1 until the means' lag-1 autocorrelation,
 * corrected for its bias of {@code -(1 + 3 r) / k}, is at most {@code max(0.1, 1.645 / sqrt(k))}, the bound that k
 * independent values exceed once in 20 times. What autocorrelation r > 0 is left widens the variance by {@code (1 + r) /
 * (1 - r)}. Where even the longest batches depend on each other, as when a shared machine is slower for seconds at a
 * time, the samples drifted: the longest are taken, with r at most 0.9, and Student's t has only the degrees of freedom
 * of {@code k (1 - r) / (1 + r)} independent batches.
 *
 * <p><em>Autocorrelation of ranks</em> needs fewer samples, but takes dependence to fade by one factor from sample to
 * sample. Its lag-1 value rho is that of the samples' normal scores (van der Waerden), so no distribution matters,
 * corrected as above. Signs of such a normal series correlate by {@code 2 / pi asin(rho^j)} at lag j (the arcsine law:
 * Van Vleck and Middleton, "The spectrum of clipped noise", 1966), so the variance of their mean is {@code (1 + 4 / pi
 * sum asin(rho^j)) / n}, and Student's t has the degrees of freedom of {@code n (1 - rho) / (1 + rho)} independent
 * samples. It counts where rho is more than independent samples exceed once in 20 times.
 *
 * @param batch samples of a batch
 * @param batches how many there are
 * @param left autocorrelation that the batch means still have; not below 0
 * @param drifted whether even the longest batches depend on each other
 * @param half half of the median's 95 % interval, in ranks
 * @param beyondBatches how many times as wide that is as the batches alone have it; at least 1
 */
record Dependence(int batch, int batches, double left, boolean drifted, double half, double beyondBatches) {

    /** An autocorrelation of some ten batches is not known well enough to tell more than this from 1. */
    private static final double MOST_LEFT = 0.9;

    /** Of the standard normal distribution: exceeded once in 20 times. */
    private static final double SELDOM = 1.645;

    /** Batches that are still told from drift may have this autocorrelation. */
    private static final double NO_MATTER = 0.1;

    private static final NormalDistribution NORMAL = new NormalDistribution();

    /**
     * Estimates it.
     *
     * @param samples at least {@link MedianInterval#LEAST}, in the order of measuring
     */
    static Dependence of(double[] samples) {
        int n = samples.length;
        Batches found = batches(signs(samples));
        // Never taken to be less than that of independent samples.
        double independent = Math.sqrt(1.0 / n);
        double byBatches = student(found.freedom) * Math.max(found.deviation, independent);
        double half = Math.max(byBatches, byRanks(samples));
        return new Dependence(found.size, found.count, found.left, found.drifted, n * half / 2, half / byBatches);
    }

    private static double[] signs(double[] samples) {
        double median = Descriptive.median(samples);
        return Arrays.stream(samples).map(x -> Math.signum(x - median)).toArray();
    }

    /** Deviation is that of the mean of all signs. */
    private record Batches(int size, int count, double left, boolean drifted, double deviation, double freedom) {}

    private static Batches batches(double[] signs) {
        for (int size = 1; ; size *= 2) {
            double[] means = means(signs, size);
            int k = means.length;
            double r = lag1(means);
            boolean faded = r <= Math.max(NO_MATTER, SELDOM / Math.sqrt(k));
            if (!faded && signs.length / (2 * size) >= MedianInterval.LEAST) {
                continue;
            }
            double left = Math.clamp(r, 0, MOST_LEFT);
            double freedom = faded ? k - 1 : Math.max(1, k * (1 - left) / (1 + left) - 1);
            double deviation = Descriptive.stdev(means) * Math.sqrt((1 + left) / (1 - left) / k);
            return new Batches(size, k, left, !faded, deviation, freedom);
        }
    }

    /** Means of consecutive batches; what is left over at the end is left out. */
    private static double[] means(double[] x, int batch) {
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

    /** Half of the interval of the mean sign; 0 where ranks show no dependence. */
    private static double byRanks(double[] samples) {
        int n = samples.length;
        double seen = lag1(normalScores(samples));
        if (seen <= SELDOM / Math.sqrt(n)) {
            return 0;
        }
        // Two independent samples are the fewest that a spread is known of.
        double rho = Math.min(seen, (n - 2.0) / (n + 2.0));
        double sum = 0;
        double power = rho;
        for (int lag = 1; lag < n && power > 1e-4; lag++) {
            sum += Math.asin(power);
            power *= rho;
        }
        double variance = (1 + 4 / Math.PI * sum) / n;
        return student(n * (1 - rho) / (1 + rho) - 1) * Math.sqrt(variance);
    }

    /** Normal quantiles of {@code rank / (n + 1)}; equal samples share the mean of their ranks. */
    private static double[] normalScores(double[] samples) {
        int n = samples.length;
        double[] sorted = samples.clone();
        Arrays.sort(sorted);
        double[] ofSorted = new double[n];
        for (int i = 0; i < n; ) {
            int end = i + 1;
            while (end < n && sorted[end] == sorted[i]) {
                end++;
            }
            double meanRank = (i + 1 + end) / 2.0;
            Arrays.fill(ofSorted, i, end, NORMAL.inverseCumulativeProbability(meanRank / (n + 1)));
            i = end;
        }
        // Equal samples have equal scores, so whichever of them is found will do.
        return Arrays.stream(samples)
                .map(x -> ofSorted[Arrays.binarySearch(sorted, x)])
                .toArray();
    }

    /** Autocorrelation at lag 1, corrected for the bias of a series that is centred on its own mean. */
    private static double lag1(double[] x) {
        double raw = Descriptive.lag1(x);
        return raw + (1 + 3 * raw) / x.length;
    }

    private static double student(double freedom) {
        return new TDistribution(freedom).inverseCumulativeProbability(0.975);
    }
}
