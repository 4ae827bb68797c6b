package dev.panamark.measure;

/**
 * How much measuring a row gets.
 *
 * @param minSamples samples before the stopping rule may end a row; at least 1
 * @param minTime seconds of samples before it may
 * @param precision half of the 95 % interval over the median at which sampling may end; 0.01 is 1 %
 * @param seconds that the whole row may take, validation included; sampling ends when they are spent, whatever the
 *     rule says
 */
public record Effort(int minSamples, double minTime, double precision, double seconds) {
    /** Refuses what cannot be meant. */
    public Effort {
        if (minSamples < 1 || !(minTime >= 0) || !(precision > 0) || !(seconds > 0)) {
            throw new IllegalArgumentException("min-samples " + minSamples + ", min-time " + minTime + ", precision "
                    + precision + ", seconds " + seconds);
        }
    }
}
