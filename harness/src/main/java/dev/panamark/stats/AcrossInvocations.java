package dev.panamark.stats;

import org.hipparchus.distribution.continuous.TDistribution;
import org.jspecify.annotations.Nullable;

/**
 * The median of what several invocations found, with a 95 % interval that holds the spread between them. Invocations
 * are independent of each other (fresh processes), so Student's t applies to their medians; as the published value is
 * their median and not their mean, the half-width is that of a mean times the square root of the two variances' ratio.
 * For normal values the variance of a median of n is {@code pi / (2 (n + pi / 2 - 1))} to within 2 % for n of 3 and
 * more (a fit that is exact as n grows; for 5 it gives 0.2820 against 0.2868), and that of a mean {@code 1 / n}.
 *
 * @param median of the invocations' values
 * @param n how many invocations
 * @param half half of the interval; null exactly when {@code reason} is not
 * @param reason why there is no interval
 */
public record AcrossInvocations(
        double median,
        int n,
        @Nullable Double half,
        @Nullable String reason) {

    /** Fewer invocations than this give an interval of no use. */
    public static final int LEAST = 3;

    /**
     * Computes it.
     *
     * @param values one for each invocation, finite, at least one
     */
    public static AcrossInvocations of(double[] values) {
        int n = values.length;
        double median = Descriptive.median(values);
        if (n < LEAST) {
            return new AcrossInvocations(
                    median, n, null, n + " invocations give no interval; it takes at least " + LEAST);
        }
        double t = new TDistribution(n - 1).inverseCumulativeProbability(0.975);
        double ofMean = t * Descriptive.stdev(values) / Math.sqrt(n);
        double ratio = n * Math.PI / (2 * (n + Math.PI / 2 - 1));
        return new AcrossInvocations(median, n, ofMean * Math.sqrt(ratio), null);
    }
}
