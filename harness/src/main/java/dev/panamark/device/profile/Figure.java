package dev.panamark.device.profile;

import org.jspecify.annotations.Nullable;

/**
 * One number about a device and where it comes from, or why it is not there.
 *
 * @param value in {@code unit}; null exactly when {@code reason} is not
 * @param unit SI without prefix: {@code Hz}, {@code FLOP/s}, {@code B/s}, {@code B}, {@code W}; or what is counted
 * @param source who publishes it, or the formula with its inputs; null exactly when the value is
 * @param computed whether it follows from other figures by the formula in {@code source}
 * @param rounded whether its source gives it too roughly to be reproduced from rate, units and clock
 * @param reason why there is no value
 */
public record Figure(
        @Nullable Double value,
        String unit,
        @Nullable String source,
        boolean computed,
        boolean rounded,
        @Nullable String reason) {

    /** Refuses a value without source, a reason with a value, and what is not positive. */
    public Figure {
        if ((value == null) == (reason == null) || (value == null) != (source == null)) {
            throw new IllegalArgumentException(
                    "a figure has a value and a source, or a reason; not " + value + ", " + source + ", " + reason);
        }
        if (value != null && !(value > 0 && Double.isFinite(value))) {
            throw new IllegalArgumentException("a figure is positive and finite, not " + value);
        }
        if ((source != null && source.isBlank()) || (reason != null && reason.isBlank())) {
            throw new IllegalArgumentException("source and reason are words, not blank");
        }
    }

    /** A published figure. */
    static Figure published(double value, String unit, String source) {
        return new Figure(value, unit, source, false, false, null);
    }

    /** A figure that follows from others. */
    static Figure computed(double value, String unit, String formula) {
        return new Figure(value, unit, formula, true, false, null);
    }

    /** What was read rather than published: of a driver, or of a clock. */
    public static Figure told(double value, String unit, String by) {
        return new Figure(value, unit, by, false, false, null);
    }

    /** A part of it, where it is of several alike. */
    public Figure dividedBy(int parts) {
        return value == null ? this : computed(value / parts, unit, source + ", over " + parts + " devices");
    }

    /** No figure, and why. */
    public static Figure missing(String unit, String reason) {
        return new Figure(null, unit, null, false, false, reason);
    }

    /** The same, known to be too rough to be reproduced. */
    Figure roughly() {
        return new Figure(value, unit, source, computed, true, reason);
    }
}
