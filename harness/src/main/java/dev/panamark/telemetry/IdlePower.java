package dev.panamark.telemetry;

import org.jspecify.annotations.Nullable;

/**
 * Power of the idle device by one meter.
 *
 * @param watts mean over the window
 * @param half half of its 95 % interval, W; null where the window has too few parts
 * @param seconds of the window
 * @param fault why there is none; null where there is
 */
record IdlePower(
        double watts,
        @Nullable Double half,
        double seconds,
        @Nullable String fault) {
    static IdlePower failed(String fault) {
        return new IdlePower(Double.NaN, null, 0, fault);
    }
}
