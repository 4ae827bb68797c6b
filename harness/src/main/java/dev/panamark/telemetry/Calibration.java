package dev.panamark.telemetry;

import org.jspecify.annotations.Nullable;

/**
 * How often a meter updates, as measured.
 *
 * @param period s between updates, the median; NaN where there is a fault
 * @param jitter s by which the times between updates spread: from the 10th to the 90th of 100
 * @param gap s between two readings, the median: what happens within is not seen
 * @param fault why the meter cannot be used; null where it can
 */
record Calibration(
        double period, double jitter, double gap, @Nullable String fault) {
    /** Of a meter that cannot be used. */
    static Calibration failed(String fault) {
        return new Calibration(Double.NaN, Double.NaN, Double.NaN, fault);
    }

    /** Whether readings were too far apart to tell the period: it may be shorter. */
    boolean unresolved() {
        return gap > period / 3;
    }
}
