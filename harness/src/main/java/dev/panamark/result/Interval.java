package dev.panamark.result;

/**
 * A 95 % confidence interval, in the unit of its metric.
 *
 * @param lo lower end
 * @param hi upper end, at least {@code lo}
 */
public record Interval(double lo, double hi) {
    /** Refuses ends that are not finite or lie the wrong way round. */
    public Interval {
        if (!Double.isFinite(lo) || !Double.isFinite(hi) || lo > hi) {
            throw new IllegalArgumentException(
                    "an interval needs two finite ends, the lower first, not [" + lo + ", " + hi + "]");
        }
    }

    /** Half its width. */
    public double half() {
        return (hi - lo) / 2;
    }
}
