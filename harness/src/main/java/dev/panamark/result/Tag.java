package dev.panamark.result;

/**
 * The name of a metric, which never changes its meaning.
 *
 * @param path {@code time/device/median}
 * @param unit SI without prefix; {@code ratio} for a share
 * @param meaning one sentence: what it is and where its number comes from
 */
public record Tag(String path, String unit, String meaning) {

    /** A value in this tag's unit. */
    public Metric value(double value, Source source) {
        return Metric.value(value, unit, source);
    }

    /** No value, and why. */
    public Metric missing(String reason) {
        return Metric.missing(unit, reason);
    }
}
