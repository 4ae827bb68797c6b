package dev.panamark.telemetry;

import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.result.Source;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Energy of a command, or of a stretch of time.
 *
 * @param argv the command line
 * @param host what identifies machine and software
 * @param started when it began
 * @param command that ran; null where a stretch of time was metered
 * @param exit its exit status; null where there was no command or it was not started
 * @param seconds that it took, or the stretch
 * @param meters that were found, those of a total first
 * @param absent why others, or all, were not
 */
public record EnergyRun(
        List<String> argv,
        SequencedMap<String, Object> host,
        Instant started,
        @Nullable List<String> command,
        @Nullable Integer exit,
        double seconds,
        List<MeterEnergy> meters,
        List<Absent> absent) {

    /** What the JSON names as its schema. */
    public static final String SCHEMA = "panamark.energy/1";

    /** Where the schema lies in the jar. */
    public static final String SCHEMA_RESOURCE = "/dev/panamark/telemetry/panamark.energy-1.schema.json";

    /**
     * Meters that are not there.
     *
     * @param reasons at least one
     * @param remedy what to do
     */
    public record Absent(List<String> reasons, String remedy) {
        /** Copies the reasons. */
        public Absent {
            reasons = List.copyOf(reasons);
        }

        /** All of it in one line. */
        public String text() {
            return String.join("; ", reasons) + ". " + remedy;
        }
    }

    /** Copies, and puts the meters of the total first. */
    public EnergyRun {
        argv = List.copyOf(argv);
        host = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(host));
        command = command == null ? null : List.copyOf(command);
        List<MeterEnergy> ordered = new ArrayList<>();
        meters.stream().filter(MeterEnergy::isCounted).forEach(ordered::add);
        meters.stream().filter(m -> !m.isCounted()).forEach(ordered::add);
        meters = List.copyOf(ordered);
        absent = List.copyOf(absent);
    }

    /** The meters that add up. */
    public List<MeterEnergy> counted() {
        return meters.stream().filter(MeterEnergy::isCounted).toList();
    }

    /** Joules of all meters that add up; missing where one of them is, as a part is not the whole. */
    public Metric joules() {
        return total("J", counted().stream().map(MeterEnergy::joules).toList());
    }

    /** Power of all meters that add up. */
    public Metric power() {
        return total("W", counted().stream().map(MeterEnergy::power).toList());
    }

    private Metric total(String unit, List<Metric> parts) {
        if (parts.isEmpty()) {
            return Metric.missing(
                    unit,
                    absent.isEmpty()
                            ? "there is no energy meter"
                            : absent.stream().map(Absent::text).collect(Collectors.joining(" ")));
        }
        double value = 0;
        double half = 0;
        boolean bounded = true;
        for (int i = 0; i < parts.size(); i++) {
            Metric part = parts.get(i);
            Double v = part.value();
            if (v == null) {
                return Metric.missing(unit, counted().get(i).meter() + ": " + part.reason());
            }
            value += v;
            Interval ci = part.ci95();
            bounded &= ci != null;
            half += ci == null ? 0 : ci.half();
        }
        Metric total = Metric.value(value, unit, Source.COMPUTED);
        return bounded ? total.withCi95(value - half, value + half) : total;
    }
}
