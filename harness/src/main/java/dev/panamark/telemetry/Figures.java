package dev.panamark.telemetry;

import dev.panamark.result.Metric;
import dev.panamark.result.Source;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Turns the windows of one meter into energies of a launch.
 *
 * @param windows under load, at least one
 * @param idle windows: before and after, or the one of the device
 * @param flags what to know about the values
 * @param noNet why there is no net figure though everything was measured; null where there is one
 */
record Figures(
        MeterTrack track,
        List<Window> windows,
        List<IdlePower> idle,
        List<String> flags,
        @Nullable String noNet) {

    private static final String ONE_WINDOW = "one window: what differs from window to window is not in the interval";
    private static final String NO_SPREAD =
            "no interval: the window holds fewer than " + Estimate.FEWEST_PARTS + " launches, or parts between updates";

    LaunchEnergy energy() {
        String fault = windows.stream()
                .map(Window::fault)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (fault != null) {
            return energy(
                    Tags.ENERGY_GROSS.missing(fault),
                    Tags.ENERGY_IDLE.missing(fault),
                    Tags.ENERGY_NET.missing(fault),
                    Tags.POWER_AVERAGE.missing(fault),
                    Double.NaN,
                    0);
        }
        double seconds = windows.stream().mapToDouble(Window::seconds).sum();
        double launches = windows.stream().mapToDouble(Window::launches).sum();
        Estimate gross = Estimate.of(windows, s -> s.joules() / s.launches());
        Estimate power = Estimate.of(windows, Window.Stretch::watts);
        Metric idleMetric;
        Metric netMetric;
        String idleFault = idle.stream()
                .map(IdlePower::fault)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (idleFault != null) {
            idleMetric = Tags.ENERGY_IDLE.missing(idleFault);
            netMetric = Tags.ENERGY_NET.missing(idleFault);
        } else {
            double each = seconds / launches;
            double watts = idle.stream().mapToDouble(IdlePower::watts).average().orElse(Double.NaN);
            Double half = idleHalf();
            idleMetric = metric(Tags.ENERGY_IDLE, watts * each, half == null ? null : half * each, idle.size());
            netMetric = noNet != null
                    ? Tags.ENERGY_NET.missing(noNet)
                    : net(gross, watts * each, half == null ? null : half * each, drift() * each);
        }
        return energy(
                noted(metric(Tags.ENERGY_GROSS, gross.value(), gross.half(), gross.n())),
                idleMetric,
                netMetric,
                noted(metric(Tags.POWER_AVERAGE, power.value(), power.half(), power.n())),
                seconds / windows.size(),
                launches);
    }

    private @Nullable Double idleHalf() {
        double sum = 0;
        for (IdlePower i : idle) {
            Double half = i.half();
            if (half == null) {
                return null;
            }
            sum += half * half;
        }
        return Math.sqrt(sum) / idle.size();
    }

    /** W from the first idle window to the last, as twice its standard deviation, which is half of it. */
    private double drift() {
        return Math.abs(idle.getLast().watts() - idle.getFirst().watts());
    }

    private static Metric net(Estimate gross, double idle, @Nullable Double idleHalf, double drift) {
        Metric net =
                Tags.ENERGY_NET.value(gross.value() - idle, Source.COMPUTED).withN(gross.n());
        Double grossHalf = gross.half();
        if (grossHalf == null || idleHalf == null) {
            return net.withNote(NO_SPREAD);
        }
        double half = Math.sqrt(grossHalf * grossHalf + idleHalf * idleHalf + drift * drift);
        return net.withCi95(gross.value() - idle - half, gross.value() - idle + half);
    }

    private static Metric metric(Tag tag, double value, @Nullable Double half, int n) {
        Metric m = tag.value(value, Source.MEASURED).withN(n);
        return half == null ? m.withNote(NO_SPREAD) : m.withCi95(value - half, value + half);
    }

    private Metric noted(Metric metric) {
        return windows.size() == 1 && metric.ci95() != null ? metric.withNote(ONE_WINDOW) : metric;
    }

    private LaunchEnergy energy(
            Metric gross, Metric idleMetric, Metric net, Metric power, double window, double launches) {
        return new LaunchEnergy(
                track.info().id(),
                gross,
                idleMetric,
                net,
                power,
                window,
                launches > 0 ? windows.size() : 0,
                launches,
                track.period(),
                track.info().method(),
                track.info().scope().tag(),
                track.info().systematic(),
                flags,
                List.of());
    }
}
