package dev.panamark.stats;

import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import org.jspecify.annotations.Nullable;

/**
 * A ratio of two medians, or the geometric mean of several ratios, with a 95 % interval. Everything is done on
 * logarithms, so that the ratio turned round has the interval turned round.
 *
 * <p>The interval is the percentile interval of the bootstrap (Efron 1979), except for one ratio with four or more
 * invocations on both sides: there the bootstrap of so few medians is wider than it need be, and the interval is that of
 * ranks ({@link RankShift}).
 *
 * <p>Over simulated runs it holds the truth in 95 to 98 % of cases with four to ten invocations a side, and in 94 to
 * 97 % with a hundred samples a side whose lag-1 autocorrelation is at most 0.6.
 */
public final class LogRatio {
    private final double log;
    private final double[] deviations;
    private final MedianInterval.@Nullable Bounds ofRanks;
    private final @Nullable String reason;

    private LogRatio(
            double log, double[] deviations, MedianInterval.@Nullable Bounds ofRanks, @Nullable String reason) {
        this.log = log;
        this.deviations = deviations;
        this.ofRanks = ofRanks;
        this.reason = reason;
    }

    /** The ratio of two independent medians, {@code next} over {@code base}. */
    public static LogRatio of(MedianSpread base, MedianSpread next) {
        double log = next.log() - base.log();
        String reason = base.reason() != null ? base.reason() : next.reason();
        if (reason != null) {
            return new LogRatio(log, new double[0], null, reason);
        }
        double[] deviations = new double[MedianSpread.REPLICATES];
        for (int i = 0; i < deviations.length; i++) {
            deviations[i] = next.deviation(i) - base.deviation(i);
        }
        boolean ranks = base.invocations().length > 0 && next.invocations().length > 0;
        return new LogRatio(log, deviations, ranks ? RankShift.of(base.invocations(), next.invocations()) : null, null);
    }

    /**
     * The geometric mean of ratios that come one after another, without an interval when one of them has none; in the memory of one of them: of {@link
     * MedianSpread#REPLICATES} deviations the sums alone are kept. Used by one thread.
     */
    public static final class GeometricMean {
        private final DoubleSummaryStatistics logs = new DoubleSummaryStatistics();
        private final double[] sums = new double[MedianSpread.REPLICATES];
        private @Nullable LogRatio first;
        private @Nullable String reason;

        /** Takes one more. */
        public void add(LogRatio ratio) {
            first = first == null ? ratio : first;
            logs.accept(ratio.log);
            if (reason == null && ratio.reason != null) {
                reason = "a ratio in it has none: " + ratio.reason;
            }
            for (int i = 0; i < ratio.deviations.length; i++) {
                sums[i] += ratio.deviations[i];
            }
        }

        /** How many there were. */
        public int count() {
            return (int) logs.getCount();
        }

        /**
         * The mean of those that came so far; without an interval when one of them has none.
         *
         * @throws IllegalStateException when none came
         */
        public LogRatio value() {
            int n = count();
            if (first == null) {
                throw new IllegalStateException("a mean of no ratios");
            }
            if (n == 1) {
                return first;
            }
            double log = logs.getSum() / n;
            if (reason != null) {
                return new LogRatio(log, new double[0], null, reason);
            }
            return new LogRatio(log, Arrays.stream(sums).map(s -> s / n).toArray(), null, null);
        }
    }

    /** The ratio. */
    public double value() {
        return Math.exp(log);
    }

    /** Its 95 % interval; null exactly when {@link #reason} is not. */
    public MedianInterval.@Nullable Bounds ci95() {
        if (reason != null) {
            return null;
        }
        if (ofRanks != null) {
            return new MedianInterval.Bounds(Math.exp(ofRanks.lo()), Math.exp(ofRanks.hi()));
        }
        double[] some = deviations.clone();
        return new MedianInterval.Bounds(
                Math.exp(log + OrderStatistics.between(some, 1 + 0.025 * (some.length - 1))),
                Math.exp(log + OrderStatistics.between(some, 1 + 0.975 * (some.length - 1))));
    }

    /** Why there is no interval. */
    public @Nullable String reason() {
        return reason;
    }
}
