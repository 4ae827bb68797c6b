package dev.panamark.measure;

import dev.panamark.device.Watch;
import dev.panamark.ffi.Availability;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** What a row says of the state that its device was in while it was sampled; nothing for devices that have none to tell. */
final class StateMetrics {
    private StateMetrics() {}

    static void add(Row.Builder row, Track.Samples samples) {
        samples.watch().seen().ifPresent(seen -> {
            row.metric(
                    Tags.CLOCK_SM,
                    samples.clockMean().isPresent()
                            ? Tags.CLOCK_SM
                                    .value(samples.clockMean().getAsDouble(), Source.MEASURED)
                                    .withN(2L * samples.visits())
                            : Tags.CLOCK_SM.missing("it cannot be read here; the row's run says why"));
            switch (seen) {
                case Availability.Unavailable<Watch.Seen> no ->
                    row.metric(Tags.THROTTLE_REASONS, Tags.THROTTLE_REASONS.missing(no.text()));
                case Availability.Available<Watch.Seen>(Watch.Seen state) -> state(row, state);
            }
        });
    }

    private static void state(Row.Builder row, Watch.Seen state) {
        row.metric(Tags.THROTTLE_REASONS, reasons(state));
        List<Watch.Lowered> harmless =
                state.lowered().stream().filter(l -> !l.invalidates()).toList();
        List<Watch.Lowered> harmful =
                state.lowered().stream().filter(Watch.Lowered::invalidates).toList();
        if (!harmless.isEmpty()) {
            row.flag("clocks were lowered while sampling: " + text(harmless, state.looks()));
        }
        if (!harmful.isEmpty()) {
            row.status(
                    Status.UNSTABLE,
                    "the device slowed down while it was sampled: " + text(harmful, state.looks())
                            + heat(state)
                            + "; its times are not those of its usual state. See to its cooling and power"
                            + " (nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER), then run again");
        }
    }

    private static Metric reasons(Watch.Seen state) {
        Metric count = Tags.THROTTLE_REASONS
                .value(state.lowered().size(), Source.MEASURED)
                .withN(state.looks());
        if (state.hottest().isPresent()) {
            count = count.withDetail("hottest_celsius", state.hottest().getAsDouble());
        }
        if (state.lowered().isEmpty()) {
            return count;
        }
        SequencedMap<String, Object> looks = new LinkedHashMap<>();
        state.lowered().forEach(l -> looks.put(l.reason(), l.looks()));
        return count.withDetail("looks", looks)
                .withNote(state.lowered().stream().map(Watch.Lowered::reason).collect(Collectors.joining(", ")));
    }

    private static String text(List<Watch.Lowered> reasons, long looks) {
        return reasons.stream()
                .map(l -> l.reason() + " in " + l.looks() + " of " + looks + " looks")
                .collect(Collectors.joining(", "));
    }

    private static String heat(Watch.Seen state) {
        return state.hottest().isPresent()
                ? String.format(
                        Locale.ROOT, ", at up to %.0f degrees", state.hottest().getAsDouble())
                : "";
    }
}
