package dev.panamark.stats;

import java.util.Arrays;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.hipparchus.distribution.continuous.NormalDistribution;
import org.jspecify.annotations.Nullable;

/**
 * A median and how far it may lie from the true one: {@link #REPLICATES} deviations of its logarithm, from which {@link
 * LogRatio} makes intervals of ratios. They come from whatever is known:
 *
 * <ul>
 *   <li>samples of one invocation: the circular block bootstrap (Politis and Romano, "A circular block-resampling
 *       procedure for stationary data", 1992). Blocks of consecutive samples are as long as the batches that {@link
 *       MedianInterval} needs, 1 for independent samples. What autocorrelation r the batches still have widens the
 *       deviations by {@code sqrt((1 + r) / (1 - r))}, and so does what batches do not see but ranks do ({@link
 *       Dependence}). Where the level drifted, deviations are those of MedianInterval's interval.
 *   <li>medians of 4 or more invocations: the bootstrap over invocations (Efron 1979), samples being too many to matter.
 *       {@link LogRatio} uses the medians themselves where both sides have them.
 *   <li>medians of 2 or 3 invocations, too few to draw from: Student's t with n - 1 degrees of freedom, of the standard
 *       deviation of their logarithms; taking the median of 3 rather than their mean costs a factor of 1.1602.
 *   <li>an interval alone: a normal distribution of the logarithm with that 95 % interval (the delta method).
 * </ul>
 *
 * Bootstrap deviations are widened by {@code sqrt(b / (b - 1))} for b blocks or invocations, as resampling divides by
 * b where an unbiased variance divides by b - 1 (Hesterberg, "What Teachers Should Know About the Bootstrap", 2015).
 */
public final class MedianSpread {
    /** Deviations kept of each median. */
    public static final int REPLICATES = 2000;

    /** From so many invocations on, they are drawn from; fewer are taken as normal. */
    public static final int ENOUGH_INVOCATIONS = 4;

    /** Standard deviation of the median of three normal values over that of their mean. */
    private static final double MEDIAN_OF_THREE = 1.1602;

    private static final NormalDistribution NORMAL = new NormalDistribution();
    private static final double Z = NORMAL.inverseCumulativeProbability(0.975);

    /** Computed once, when a spread first comes from an interval. */
    private static final class Quantiles {
        /** Of the standard normal distribution, at the middle of each of as many equal shares. */
        static final double[] NORMAL_ONES = IntStream.range(0, REPLICATES)
                .mapToDouble(i -> NORMAL.inverseCumulativeProbability((i + 0.5) / REPLICATES))
                .toArray();

        private Quantiles() {}
    }

    /** What the deviations stand on. */
    public enum Basis {
        /** Samples of one invocation: the spread between invocations is not in them. */
        SAMPLES,
        /** Samples of one invocation whose level drifted. */
        DRIFTED_SAMPLES,
        /** Medians of several invocations. */
        INVOCATIONS,
        /** A published 95 % interval. */
        INTERVAL,
        /** A number without uncertainty: a count. */
        EXACT,
        /** Nothing; the reason says why. */
        NONE
    }

    private final double log;
    private final Basis basis;
    private final double[] deviations;
    private final double[] invocations;
    private final @Nullable String reason;

    private MedianSpread(double log, Basis basis, double[] deviations, @Nullable String reason) {
        this(log, basis, deviations, new double[0], reason);
    }

    private MedianSpread(double log, Basis basis, double[] deviations, double[] invocations, @Nullable String reason) {
        this.log = log;
        this.basis = basis;
        this.deviations = deviations;
        this.invocations = invocations;
        this.reason = reason;
    }

    /**
     * From the samples of one invocation.
     *
     * @param samples at least 1, in the order of measuring, with a positive median
     * @param seed of the resampling
     */
    public static MedianSpread ofSamples(double[] samples, long seed) {
        double log = log(Descriptive.median(samples));
        if (Arrays.stream(samples).min().orElse(0) <= 0) {
            return none(log, "a sample of 0 has no logarithm; the clock is too coarse for this launch");
        }
        MedianInterval interval = MedianInterval.of(samples);
        MedianInterval.Bounds bounds = interval.ci95();
        if (bounds == null) {
            return none(log, String.valueOf(interval.reason()));
        }
        if (interval.drifted()) {
            MedianSpread wide = ofInterval(Math.exp(log), bounds.lo(), bounds.hi(), seed);
            return wide.basis == Basis.NONE
                    ? wide
                    : new MedianSpread(log, Basis.DRIFTED_SAMPLES, wide.deviations, null);
        }
        Dependence dependence = Dependence.of(samples);
        double blocks = (double) samples.length / dependence.batch();
        double left = dependence.left();
        double widening = dependence.beyondBatches() * Math.sqrt(blocks / (blocks - 1) * (1 + left) / (1 - left));
        return new MedianSpread(log, Basis.SAMPLES, resampled(samples, dependence.batch(), widening, seed), null);
    }

    /**
     * From the medians of several invocations.
     *
     * @param medians at least 2, all positive, one an invocation; in the same order for all rows of a run when the spreads
     *     of several rows are combined
     * @param draws of the resampling; the same for all rows of a run draws the same invocations in all of them, which
     *     keeps what the rows of an invocation have in common
     */
    public static MedianSpread ofInvocations(double[] medians, Draws draws) {
        Descriptive.requireLength(medians, 2);
        double[] logs = Arrays.stream(medians).map(MedianSpread::log).toArray(); // refuses what is not positive
        int n = medians.length;
        double log = log(Descriptive.median(medians));
        if (n >= ENOUGH_INVOCATIONS) {
            double widening = Math.sqrt(n / (n - 1.0));
            double[] deviations = resampled(medians, draws.of(n), widening);
            return new MedianSpread(log, Basis.INVOCATIONS, deviations, logs, null);
        }
        double scale = Descriptive.stdev(logs) / Math.sqrt(n) * (n == 3 ? MEDIAN_OF_THREE : 1);
        double[] deviations = new double[REPLICATES];
        for (int i = 0; i < REPLICATES; i++) {
            deviations[i] = scale * student(n - 1, (i + 0.5) / REPLICATES);
        }
        shuffle(deviations, draws.seed());
        return new MedianSpread(log, Basis.INVOCATIONS, deviations, null);
    }

    /**
     * From a published median and its 95 % interval.
     *
     * @param median positive
     * @param lo lower end
     * @param hi upper end
     * @param seed of the order of the deviations
     */
    public static MedianSpread ofInterval(double median, double lo, double hi, long seed) {
        double log = log(median);
        if (!(lo > 0)) {
            return none(log, "its interval reaches down to " + lo + ", which has no logarithm");
        }
        double sigma = (Math.log(hi) - Math.log(lo)) / (2 * Z);
        double[] deviations = new double[REPLICATES];
        for (int i = 0; i < REPLICATES; i++) {
            deviations[i] = sigma * Quantiles.NORMAL_ONES[i];
        }
        shuffle(deviations, seed);
        return new MedianSpread(log, Basis.INTERVAL, deviations, null);
    }

    /** A positive number that has no uncertainty. */
    public static MedianSpread exact(double value) {
        return new MedianSpread(log(value), Basis.EXACT, new double[REPLICATES], null);
    }

    /** A positive number of which no uncertainty is known. */
    public static MedianSpread unknown(double value, String reason) {
        return none(log(value), reason);
    }

    /**
     * The spread of a rate that is a constant over this median.
     *
     * @param value the rate, positive
     */
    public MedianSpread inverse(double value) {
        double product = log(value) + log;
        return new MedianSpread(
                log(value),
                basis,
                Arrays.stream(deviations).map(d -> -d).toArray(),
                Arrays.stream(invocations).map(l -> product - l).toArray(),
                reason);
    }

    /** Logarithm of the median. */
    double log() {
        return log;
    }

    /** Deviation number i of the logarithm. */
    double deviation(int i) {
        return deviations[i];
    }

    /** Logarithms of the invocations' medians where these are {@link #ENOUGH_INVOCATIONS}; otherwise none. */
    double[] invocations() {
        return invocations;
    }

    /** What it stands on. */
    public Basis basis() {
        return basis;
    }

    /** Why nothing is known; null exactly when something is. */
    public @Nullable String reason() {
        return reason;
    }

    private static MedianSpread none(double log, String reason) {
        return new MedianSpread(log, Basis.NONE, new double[0], reason);
    }

    private static double log(double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException("a ratio needs positive finite numbers, not " + value);
        }
        return Math.log(value);
    }

    /** Logarithms of medians of circular blocks drawn with replacement, less that of all, widened. */
    private static double[] resampled(double[] x, int block, double widening, long seed) {
        int n = x.length;
        double[] sorted = x.clone();
        Arrays.sort(sorted);
        int[] rank = new int[n];
        for (int i = 0; i < n; i++) {
            rank[i] = Arrays.binarySearch(sorted, x[i]); // ties share a rank, and have one value
        }
        double all = log(Descriptive.median(x));
        SplittableRandom random = new SplittableRandom(seed);
        int[] counts = new int[n];
        double[] out = new double[REPLICATES];
        for (int r = 0; r < REPLICATES; r++) {
            Arrays.fill(counts, 0);
            for (int drawn = 0; drawn < n; ) {
                int at = random.nextInt(n);
                for (int j = 0; j < block && drawn < n; j++, drawn++) {
                    counts[rank[at]]++;
                    at = at + 1 == n ? 0 : at + 1;
                }
            }
            out[r] = widening * (Math.log(middle(sorted, counts)) - all);
        }
        return out;
    }

    /** The same with single values, of which it is drawn already how often each is in a resample. */
    private static double[] resampled(double[] x, int[] draws, double widening) {
        int n = x.length;
        int[] bySize = IntStream.range(0, n)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> x[i]))
                .mapToInt(i -> i)
                .toArray();
        double all = log(Descriptive.median(x));
        double[] out = new double[REPLICATES];
        // Few values have few medians, and a logarithm takes longer than finding one: the latest of each is kept.
        double[] medians = new double[n];
        double[] deviations = new double[n];
        for (int r = 0; r < REPLICATES; r++) {
            int first = r * n;
            int below = 0;
            int i = -1;
            while (below <= (n - 1) / 2) {
                below += draws[first + bySize[++i]];
            }
            double median = x[bySize[i]];
            if (n % 2 == 0 && below <= n / 2) {
                int upper = i + 1;
                while (draws[first + bySize[upper]] == 0) {
                    upper++;
                }
                median = (median + x[bySize[upper]]) / 2;
            }
            if (medians[i] != median) {
                medians[i] = median;
                deviations[i] = widening * (Math.log(median) - all);
            }
            out[r] = deviations[i];
        }
        return out;
    }

    /** The median of a resample that holds value i of the sorted ones so many times. */
    private static double middle(double[] sorted, int[] counts) {
        int n = sorted.length;
        int below = 0;
        int i = -1;
        while (below <= (n - 1) / 2) {
            below += counts[++i];
        }
        double lower = sorted[i];
        if (n % 2 == 1 || below > n / 2) {
            return lower;
        }
        do {
            i++;
        } while (counts[i] == 0);
        return (lower + sorted[i]) / 2;
    }

    /** Quantile of Student's t in the two cases that have a closed form, Cauchy's among them. */
    private static double student(int freedom, double p) {
        return freedom == 1 ? Math.tan(Math.PI * (p - 0.5)) : (2 * p - 1) / Math.sqrt(2 * p * (1 - p));
    }

    private static void shuffle(double[] x, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = x.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            double swap = x[i];
            x[i] = x[j];
            x[j] = swap;
        }
    }
}
