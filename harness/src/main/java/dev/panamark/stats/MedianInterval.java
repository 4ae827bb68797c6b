package dev.panamark.stats;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The median of a series that may be autocorrelated, with a 95 % confidence interval.
 *
 * <p>The interval is the sign test turned round: it runs from the order statistic h ranks below the middle to the one
 * h ranks above, so it needs no distribution, follows skew and always holds the median. For independent samples
 * {@code h = z sqrt(n) / 2}; {@link Dependence} says what h is where samples depend on each other, by batch means of
 * signs and by the autocorrelation of ranks, whichever is wider. With fewer than about 40 samples a strong
 * autocorrelation cannot be seen, and the interval is then too narrow. {@code benchmarks/coverage} measures how often
 * intervals hold the truth.
 *
 * <p>Where even the longest batches depend on each other, as when a shared machine is slower for seconds at a time, the
 * samples drifted. Such an interval is wide, at most from the smallest to the largest sample, and marked.
 *
 * @param median of all samples
 * @param n how many samples
 * @param ci95 the interval; null exactly when {@code reason} is not
 * @param batch samples of a batch
 * @param batches how many there are
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
        Dependence dependence = Dependence.of(samples);
        double middle = (n + 1) / 2.0;
        double reach = Math.min(dependence.half(), middle - 1);
        double[] sorted = samples.clone();
        Arrays.sort(sorted);
        return new MedianInterval(
                median,
                n,
                new Bounds(Descriptive.between(sorted, middle - reach), Descriptive.between(sorted, middle + reach)),
                dependence.batch(),
                dependence.batches(),
                dependence.drifted() || dependence.half() > reach,
                null);
    }
}
