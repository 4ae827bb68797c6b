package dev.panamark.telemetry;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.panamark.json.IndentedJson;
import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.result.Source;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the energy of a command or a stretch of time as JSON, {@code panamark.energy/1}. */
public final class EnergyJson {
    private final JsonGenerator g;

    private EnergyJson(JsonGenerator g) {
        this.g = g;
    }

    /** Writes it, indented, with a line end. */
    public static String render(EnergyRun run) {
        return IndentedJson.text(g -> new EnergyJson(g).all(run));
    }

    private void all(EnergyRun run) throws IOException {
        g.writeStartObject();
        g.writeStringField("schema", EnergyRun.SCHEMA);
        texts("argv", run.argv());
        g.writeFieldName("host");
        value(run.host());
        g.writeStringField("started", run.started().toString());
        List<String> command = run.command();
        if (command == null) {
            g.writeNullField("command");
        } else {
            texts("command", command);
        }
        Integer exit = run.exit();
        if (exit == null) {
            g.writeNullField("exit_status");
        } else {
            g.writeNumberField("exit_status", exit);
        }
        g.writeNumberField("duration_s", run.seconds());
        g.writeObjectFieldStart("total");
        texts("meters", run.counted().stream().map(MeterEnergy::meter).toList());
        metric("energy", run.joules());
        metric("power", run.power());
        g.writeEndObject();
        g.writeArrayFieldStart("meters");
        for (MeterEnergy m : run.meters()) {
            meter(m);
        }
        g.writeEndArray();
        g.writeArrayFieldStart("absent");
        for (EnergyRun.Absent a : run.absent()) {
            g.writeStartObject();
            texts("reasons", a.reasons());
            g.writeStringField("remedy", a.remedy());
            g.writeEndObject();
        }
        g.writeEndArray();
        g.writeEndObject();
    }

    private void meter(MeterEnergy m) throws IOException {
        g.writeStartObject();
        g.writeStringField("meter", m.meter());
        g.writeStringField("device", m.device());
        text("uuid", m.uuid());
        g.writeStringField("source", m.source());
        g.writeStringField("place", m.place());
        g.writeStringField("scope", m.scope());
        g.writeStringField("method", m.method());
        g.writeBooleanField("in_total", m.isCounted());
        text("overlap", m.overlap());
        metric("energy", m.joules());
        metric("power", m.power());
        number("update_period_s", m.updatePeriod());
        g.writeStringField("systematic", m.systematic());
        g.writeEndObject();
    }

    private void metric(String name, Metric m) throws IOException {
        g.writeObjectFieldStart(name);
        number("value", m.value());
        g.writeStringField("unit", m.unit());
        Source source = m.source();
        text("source", source == null ? null : source.tag());
        Interval ci = m.ci95();
        if (ci == null) {
            g.writeNullField("ci95");
        } else {
            g.writeArrayFieldStart("ci95");
            g.writeNumber(ci.lo());
            g.writeNumber(ci.hi());
            g.writeEndArray();
        }
        text("reason", m.reason());
        text("note", m.note());
        g.writeEndObject();
    }

    private void value(Object value) throws IOException {
        switch (value) {
            case Map<?, ?> map -> {
                g.writeStartObject();
                for (Map.Entry<?, ?> e : map.entrySet()) {
                    g.writeFieldName(String.valueOf(e.getKey()));
                    value(e.getValue());
                }
                g.writeEndObject();
            }
            case List<?> list -> {
                g.writeStartArray();
                for (Object item : list) {
                    value(item);
                }
                g.writeEndArray();
            }
            case Integer whole -> g.writeNumber(whole);
            case Long whole -> g.writeNumber(whole);
            case Double real -> g.writeNumber(real);
            case Boolean bool -> g.writeBoolean(bool);
            default -> g.writeString(value.toString());
        }
    }

    private void number(String name, @Nullable Double value) throws IOException {
        if (value == null) {
            g.writeNullField(name);
        } else {
            g.writeNumberField(name, value);
        }
    }

    private void text(String name, @Nullable String value) throws IOException {
        if (value == null) {
            g.writeNullField(name);
        } else {
            g.writeStringField(name, value);
        }
    }

    private void texts(String name, List<String> values) throws IOException {
        g.writeArrayFieldStart(name);
        for (String value : values) {
            g.writeString(value);
        }
        g.writeEndArray();
    }
}
