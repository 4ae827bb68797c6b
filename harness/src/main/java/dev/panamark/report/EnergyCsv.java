package dev.panamark.report;

import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.telemetry.EnergyRun;
import dev.panamark.telemetry.MeterEnergy;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Energy as comma-separated values (RFC 4180): a header, then one record a meter, those of the total first, and one
 * whose meter is {@code total}. Numbers are written to the last bit; what is not known is empty, and {@code reason}
 * says why.
 */
public final class EnergyCsv {
    private EnergyCsv() {}

    /** Renders it; records end with CR LF. */
    public static String render(EnergyRun run) {
        StringBuilder out = new StringBuilder();
        CsvTable.record(
                out,
                List.of(
                        "meter",
                        "device",
                        "uuid",
                        "scope",
                        "source",
                        "method",
                        "in_total",
                        "duration (s)",
                        "energy (J)",
                        "energy.lo (J)",
                        "energy.hi (J)",
                        "power (W)",
                        "power.lo (W)",
                        "power.hi (W)",
                        "update_period (s)",
                        "systematic",
                        "reason",
                        "note"));
        for (MeterEnergy m : run.meters()) {
            record(
                    out,
                    run,
                    List.of(
                            m.meter(),
                            m.device(),
                            m.uuid() == null ? "" : m.uuid(),
                            m.scope(),
                            m.source(),
                            m.method(),
                            Boolean.toString(m.isCounted())),
                    m.joules(),
                    m.power(),
                    number(m.updatePeriod()),
                    m.systematic());
        }
        record(out, run, List.of("total", "", "", "", "", "", ""), run.joules(), run.power(), "", "");
        return out.toString();
    }

    private static void record(
            StringBuilder out,
            EnergyRun run,
            List<String> names,
            Metric joules,
            Metric power,
            String period,
            String systematic) {
        List<String> record = new java.util.ArrayList<>(names);
        record.add(Double.toString(run.seconds()));
        for (Metric m : List.of(joules, power)) {
            Interval ci = m.ci95();
            record.add(number(m.value()));
            record.add(number(ci == null ? null : ci.lo()));
            record.add(number(ci == null ? null : ci.hi()));
        }
        record.add(period);
        record.add(systematic);
        record.add(joules.reason() == null ? "" : joules.reason());
        record.add(joules.note() == null ? "" : joules.note());
        CsvTable.record(out, record);
    }

    /** Header of a file of samples. */
    public static String samplesHeader() {
        StringBuilder out = new StringBuilder();
        CsvTable.record(out, List.of("time", "meter", "start (s)", "end (s)", "energy (J)", "power (W)"));
        return out.toString();
    }

    /**
     * One sample.
     *
     * @param started when the run began; {@code time} is the end of the sample
     * @param from s since then
     * @param to s since then, above {@code from}
     * @param joules between them
     */
    public static String sample(Instant started, String meter, double from, double to, double joules) {
        StringBuilder out = new StringBuilder();
        CsvTable.record(
                out,
                List.of(
                        started.plusNanos(Math.round(to * 1e9)).toString(),
                        meter,
                        String.format(Locale.ROOT, "%.6f", from),
                        String.format(Locale.ROOT, "%.6f", to),
                        Double.toString(joules),
                        Double.toString(joules / (to - from))));
        return out.toString();
    }

    private static String number(@Nullable Double value) {
        return value == null ? "" : value.toString();
    }
}
