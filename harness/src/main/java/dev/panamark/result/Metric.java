package dev.panamark.result;

import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * One number of a row, or the reason why there is none.
 *
 * @param value finite; null exactly when {@code reason} is not
 * @param unit SI without prefix where there is one: {@code s}, {@code FLOP/s}, {@code B/s}, {@code ratio}
 * @param source where the value comes from; null exactly when the value is
 * @param n how many samples it stands on, at least 1
 * @param ci95 its 95 % confidence interval
 * @param reason why there is no value, as a person should read it
 * @param note what to know about the value
 * @param detail more about how it came about (an energy's window, update period, method, scope), as JSON values
 */
public record Metric(
        @Nullable Double value,
        String unit,
        @Nullable Source source,
        @Nullable Long n,
        @Nullable Interval ci95,
        @Nullable String reason,
        @Nullable String note,
        SequencedMap<String, Object> detail) {

    /** Refuses a value with a reason, nothing without one, a value without a source, and NaN or infinity. */
    public Metric {
        if ((value == null) == (reason == null)) {
            throw new IllegalArgumentException(
                    value == null
                            ? "a metric without a value needs a reason"
                            : "a metric with a value (" + value + ") takes no reason (\"" + reason + "\"); use a note");
        }
        if (value != null && !Double.isFinite(value)) {
            throw new IllegalArgumentException("a metric's value must be finite, not " + value
                    + "; what could not be computed is missing, with a reason");
        }
        if ((value == null) != (source == null)) {
            throw new IllegalArgumentException(
                    value == null ? "a metric without a value takes no source" : "a value needs a source");
        }
        if (value == null && (n != null || ci95 != null)) {
            throw new IllegalArgumentException("a metric without a value has neither n nor ci95");
        }
        if (n != null && n < 1) {
            throw new IllegalArgumentException("n must be at least 1, not " + n);
        }
        if (unit.isBlank()) {
            throw new IllegalArgumentException("a metric needs a unit; a share has the unit 'ratio'");
        }
        if (reason != null && reason.isBlank()) {
            throw new IllegalArgumentException("a metric's reason is blank");
        }
        detail = JsonValues.freeze("detail", detail);
    }

    /** A number and where it comes from. */
    public static Metric value(double value, String unit, Source source) {
        return new Metric(value, unit, source, null, null, null, null, FrozenMap.empty());
    }

    /** No number, and why. */
    public static Metric missing(String unit, String reason) {
        return new Metric(null, unit, null, null, null, reason, null, FrozenMap.empty());
    }

    /** The same, standing on {@code samples} samples. */
    public Metric withN(long samples) {
        return new Metric(value, unit, source, samples, ci95, reason, note, detail);
    }

    /** The same with its 95 % confidence interval. */
    public Metric withCi95(double lo, double hi) {
        return new Metric(value, unit, source, n, new Interval(lo, hi), reason, note, detail);
    }

    /** The same with a remark. */
    public Metric withNote(String remark) {
        return new Metric(value, unit, source, n, ci95, reason, remark, detail);
    }

    /** The same with one more detail. */
    public Metric withDetail(String name, Object what) {
        LinkedHashMap<String, Object> more = new LinkedHashMap<>(detail);
        more.put(name, what);
        return new Metric(value, unit, source, n, ci95, reason, note, more);
    }
}
