package dev.panamark.telemetry;

import dev.panamark.result.Metric;
import org.jspecify.annotations.Nullable;

/**
 * What one meter counted while something ran.
 *
 * @param meter its id
 * @param device whose energy it is; {@code host} where it is no single device's
 * @param uuid of the device, where one is known
 * @param source interface that was asked
 * @param place file or call that was read
 * @param scope which part of the machine is in it
 * @param method how readings became joules
 * @param overlap why it is in no total; null where it is
 * @param joules of the whole time, J, with the 95 % interval of what is random; a note says what makes them doubtful
 * @param power over the whole time, W
 * @param updatePeriod s between its updates as measured; null where unknown
 * @param systematic what is known of the sensor's own error
 */
public record MeterEnergy(
        String meter,
        String device,
        @Nullable String uuid,
        String source,
        String place,
        String scope,
        String method,
        @Nullable String overlap,
        Metric joules,
        Metric power,
        @Nullable Double updatePeriod,
        String systematic) {
    /** The same with other joules. */
    MeterEnergy withJoules(Metric other) {
        return new MeterEnergy(
                meter, device, uuid, source, place, scope, method, overlap, other, power, updatePeriod, systematic);
    }

    /** Whether it is one of those whose sum counts each joule once. */
    public boolean isCounted() {
        return overlap == null;
    }
}
