package dev.panamark.report;

import dev.panamark.result.Interval;
import dev.panamark.telemetry.EnergyRun;
import dev.panamark.telemetry.MeterEnergy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Energy as OpenMetrics text (version 1.0). A meter without a figure has no sample of it, but one of
 * {@code panamark_meter_missing_info} with the reason. Meters with {@code in_total="true"} add up without counting a
 * joule twice.
 */
public final class EnergyOpenMetrics {
    private final StringBuilder out = new StringBuilder();

    private EnergyOpenMetrics() {}

    /** Renders it; ends with {@code # EOF}. */
    public static String render(EnergyRun run) {
        EnergyOpenMetrics text = new EnergyOpenMetrics();
        List<MeterEnergy> meters = run.meters();
        text.family("panamark_energy_joules", "counter", "joules", "Energy of the whole run by this meter.");
        text.samples("panamark_energy_joules_total", meters, m -> m.joules().value());
        text.family("panamark_energy_low_joules", "gauge", "joules", "Lower end of the 95 % interval of that energy.");
        text.samples("panamark_energy_low_joules", meters, m -> low(m.joules().ci95()));
        text.family("panamark_energy_high_joules", "gauge", "joules", "Upper end of that interval.");
        text.samples("panamark_energy_high_joules", meters, m -> high(m.joules().ci95()));
        text.family("panamark_power_watts", "gauge", "watts", "Power on average over the run.");
        text.samples("panamark_power_watts", meters, m -> m.power().value());
        text.family(
                "panamark_update_period_seconds", "gauge", "seconds", "Time between updates of the meter, measured.");
        text.samples("panamark_update_period_seconds", meters, MeterEnergy::updatePeriod);
        text.family("panamark_meter_missing", "info", null, "Why there is no figure.");
        for (MeterEnergy m : meters) {
            String reason = m.joules().reason();
            if (reason != null) {
                SequencedMap<String, String> labels = labels(m);
                labels.put("reason", reason);
                text.sample("panamark_meter_missing_info", labels, "1");
            }
        }
        for (EnergyRun.Absent a : run.absent()) {
            SequencedMap<String, String> labels = new LinkedHashMap<>();
            labels.put("meter", "");
            labels.put("reason", a.text());
            text.sample("panamark_meter_missing_info", labels, "1");
        }
        text.family("panamark_meter_doubt", "info", null, "What makes a figure doubtful.");
        for (MeterEnergy m : meters) {
            String note = m.joules().note();
            if (note != null) {
                SequencedMap<String, String> labels = labels(m);
                labels.put("note", note);
                text.sample("panamark_meter_doubt_info", labels, "1");
            }
        }
        text.family("panamark_run_duration_seconds", "gauge", "seconds", "How long the run took.");
        text.sample("panamark_run_duration_seconds", new LinkedHashMap<>(), Double.toString(run.seconds()));
        Integer exit = run.exit();
        if (exit != null) {
            text.family("panamark_run_exit_status", "gauge", null, "Exit status of the command.");
            text.sample("panamark_run_exit_status", new LinkedHashMap<>(), exit.toString());
        }
        text.out.append("# EOF\n");
        return text.out.toString();
    }

    private static @Nullable Double low(@Nullable Interval ci) {
        return ci == null ? null : ci.lo();
    }

    private static @Nullable Double high(@Nullable Interval ci) {
        return ci == null ? null : ci.hi();
    }

    private void family(String name, String type, @Nullable String unit, String help) {
        out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
        if (unit != null) {
            out.append("# UNIT ").append(name).append(' ').append(unit).append('\n');
        }
        out.append("# HELP ").append(name).append(' ').append(escaped(help)).append('\n');
    }

    private void samples(String name, List<MeterEnergy> meters, Function<MeterEnergy, @Nullable Double> value) {
        for (MeterEnergy m : meters) {
            Double v = value.apply(m);
            if (v != null) {
                sample(name, labels(m), v.toString());
            }
        }
    }

    private static SequencedMap<String, String> labels(MeterEnergy m) {
        SequencedMap<String, String> labels = new LinkedHashMap<>();
        labels.put("meter", m.meter());
        labels.put("device", m.device());
        String uuid = m.uuid();
        if (uuid != null) {
            labels.put("uuid", uuid);
        }
        labels.put("scope", m.scope());
        labels.put("source", m.source());
        labels.put("in_total", Boolean.toString(m.isCounted()));
        return labels;
    }

    private void sample(String name, Map<String, String> labels, String value) {
        List<String> pairs = new ArrayList<>();
        labels.forEach((k, v) -> pairs.add(k + "=\"" + escaped(v) + "\""));
        out.append(name);
        if (!pairs.isEmpty()) {
            out.append('{').append(String.join(",", pairs)).append('}');
        }
        out.append(' ').append(value).append('\n');
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
