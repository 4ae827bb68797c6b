package dev.panamark.measure;

/**
 * How much measuring a row gets.
 *
 * @param minSamples samples before the stopping rule may end a row; at least 1
 * @param minTime seconds of samples before it may
 * @param precision half of the 95 % interval over the median at which sampling may end; 0.01 is 1 %
 * @param seconds that the whole row may take, validation included; sampling ends when they are spent, whatever the
 *     rule says
 * @param blocks of a launch that a device which counts runs at most; 0 for all
 */
public record Effort(int minSamples, double minTime, double precision, double seconds, int blocks) {
    /**
     * Samples that {@code panamark run} takes at least. With 30, rows whose samples depend on each other (lag-1
     * autocorrelation 0.6) would end on intervals that hold the truth in 93 % of cases instead of 95 %, with 0.9 in 87 %
     * to 90 %, as those rows end first whose dependence does not show; see {@code benchmarks/coverage}.
     */
    public static final int MIN_SAMPLES = 100;

    /** Seconds of samples that it takes at least. */
    public static final double MIN_TIME = 0.5;

    /** Half of the 95 % interval over the median at which it has sampled enough. */
    public static final double PRECISION = 0.01;

    /** Refuses what cannot be meant. */
    public Effort {
        if (minSamples < 1 || !(minTime >= 0) || !(precision > 0) || !(seconds > 0) || blocks < 0) {
            throw new IllegalArgumentException("min-samples " + minSamples + ", min-time " + minTime + ", precision "
                    + precision + ", seconds " + seconds + ", blocks " + blocks);
        }
    }

    /** With all blocks. */
    public Effort(int minSamples, double minTime, double precision, double seconds) {
        this(minSamples, minTime, precision, seconds, 0);
    }

    /** The same within another time. */
    public Effort within(double other) {
        return new Effort(minSamples, minTime, precision, other, blocks);
    }
}
