package dev.panamark.telemetry;

import dev.panamark.device.PowerMeter;
import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Compares meters that count the same joules: an energy counter with the integral of a sensor of power. They come from
 * different parts of a driver, so that a counter of wrong scale shows (facts of the field: 43 % at idle on one GPU).
 */
final class CrossCheck {
    /** The share by which two that are right may differ; chosen. */
    private static final double TOLERANCE = 0.05;

    private CrossCheck() {}

    /**
     * What two figures say of each other.
     *
     * @param checked of the meter that is believed
     * @param other of the one that is compared with it
     * @return what to know; null where they agree, or one is missing
     */
    static @Nullable String doubt(String checker, Metric checked, Metric other) {
        Double believed = checked.value();
        Double compared = other.value();
        if (believed == null || compared == null) {
            return null;
        }
        double difference = believed - compared;
        if (Math.abs(difference) <= TOLERANCE * Math.max(Math.abs(believed), Math.abs(compared))
                || Math.abs(difference) <= half(checked) + half(other)) {
            return null;
        }
        return String.format(
                Locale.ROOT,
                "%s shows %.4g %s, %.0f %% %s: the counter or the sensor is wrong",
                checker,
                compared,
                other.unit(),
                100 * Math.abs(difference) / Math.abs(believed),
                difference > 0 ? "less" : "more");
    }

    private static double half(Metric metric) {
        Interval ci = metric.ci95();
        return ci == null ? 0 : ci.half();
    }

    /** Energies with a note where their check differs. */
    static List<MeterEnergy> of(List<PowerMeter> meters, List<MeterEnergy> energies) {
        List<MeterEnergy> all = new ArrayList<>(energies);
        for (int i = 0; i < meters.size(); i++) {
            String checked = meters.get(i).checks().orElse("");
            for (int j = 0; j < all.size(); j++) {
                MeterEnergy one = all.get(j);
                String doubt = one.meter().equals(checked)
                        ? doubt(all.get(i).meter(), one.joules(), all.get(i).joules())
                        : null;
                if (doubt != null) {
                    all.set(j, one.withJoules(one.joules().withNote(doubt)));
                }
            }
        }
        return List.copyOf(all);
    }
}
