package dev.panamark.telemetry;

import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.result.Source;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Adds meters that count each joule once. A sum with a missing part is missing: part of a device is not the device.
 * Halves of intervals are added as they are, not in quadrature, as what moves one meter of a device moves the others.
 */
final class SumOfMeters {
    private SumOfMeters() {}

    /** Half of the interval of a sum; null where a part has none. */
    static @Nullable Double half(List<Metric> metrics) {
        double sum = 0;
        for (Metric m : metrics) {
            Interval ci = m.ci95();
            if (ci == null) {
                return null;
            }
            sum += ci.half();
        }
        return sum;
    }

    /**
     * The sum.
     *
     * @param counted at least one
     * @param others that are given besides
     */
    static LaunchEnergy of(List<LaunchEnergy> counted, List<LaunchEnergy> others) {
        List<LaunchEnergy> parts = new ArrayList<>(counted);
        parts.addAll(others);
        LaunchEnergy first = counted.getFirst();
        return new LaunchEnergy(
                distinct(counted, LaunchEnergy::meter),
                sum(Tags.ENERGY_GROSS, counted, LaunchEnergy::gross),
                sum(Tags.ENERGY_IDLE, counted, LaunchEnergy::idle),
                sum(Tags.ENERGY_NET, counted, LaunchEnergy::net),
                sum(Tags.POWER_AVERAGE, counted, LaunchEnergy::power),
                counted.stream().mapToDouble(LaunchEnergy::window).average().orElse(Double.NaN),
                counted.stream().mapToInt(LaunchEnergy::trials).min().orElse(0),
                first.launches(),
                counted.stream().mapToDouble(LaunchEnergy::updatePeriod).max().orElse(Double.NaN),
                distinct(counted, LaunchEnergy::method),
                distinct(counted, LaunchEnergy::scope),
                distinct(counted, LaunchEnergy::systematic),
                first.flags(),
                parts);
    }

    private static String distinct(List<LaunchEnergy> counted, Function<LaunchEnergy, String> what) {
        return counted.stream().map(what).distinct().collect(Collectors.joining("+"));
    }

    private static Metric sum(Tag tag, List<LaunchEnergy> counted, Function<LaunchEnergy, Metric> what) {
        double value = 0;
        long n = Long.MAX_VALUE;
        List<Metric> metrics = new ArrayList<>();
        for (LaunchEnergy e : counted) {
            Metric m = what.apply(e);
            Double v = m.value();
            if (v == null) {
                String reason = String.valueOf(m.reason());
                return tag.missing(counted.size() == 1 ? reason : e.meter() + ": " + reason);
            }
            value += v;
            n = Math.min(n, m.n() == null ? n : m.n());
            metrics.add(m);
        }
        Metric total = tag.value(value, counted.size() == 1 ? sourceOf(metrics.getFirst()) : Source.COMPUTED)
                .withN(n == Long.MAX_VALUE ? 1 : n);
        String note = metrics.getFirst().note();
        total = note == null ? total : total.withNote(note);
        Double half = half(metrics);
        return half == null ? total : total.withCi95(value - half, value + half);
    }

    private static Source sourceOf(Metric metric) {
        Source source = metric.source();
        return source == null ? Source.MEASURED : source;
    }
}
