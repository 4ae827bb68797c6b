package dev.panamark.compare;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.panamark.compare.Comparison.Apart;
import dev.panamark.compare.Comparison.Difference;
import dev.panamark.compare.Comparison.Overall;
import dev.panamark.compare.Comparison.Pair;
import dev.panamark.compare.Comparison.Side;
import dev.panamark.compare.Comparison.State;
import dev.panamark.json.IndentedJson;
import dev.panamark.result.Interval;
import dev.panamark.stats.MedianSpread;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a comparison as JSON, {@code panamark.compare/1}. */
public final class CompareJson {
    private final JsonGenerator g;
    private final Comparison comparison;

    private CompareJson(JsonGenerator g, Comparison comparison) {
        this.g = g;
        this.comparison = comparison;
    }

    /**
     * Writes it.
     *
     * @param rules of the command line
     * @param failures what they object to
     * @return indented, with a line end
     */
    public static String render(Comparison comparison, List<FailRule> rules, List<FailRule.Failure> failures) {
        return IndentedJson.text(g -> new CompareJson(g, comparison).all(rules, failures));
    }

    private void all(List<FailRule> rules, List<FailRule.Failure> failures) throws IOException {
        g.writeStartObject();
        g.writeStringField("schema", Comparison.SCHEMA);
        run("base", comparison.base());
        run("new", comparison.next());
        g.writeStringField("metric", comparison.question().metric());
        g.writeStringField("unit", comparison.unit());
        g.writeStringField("better", comparison.better().tag());
        g.writeNumberField("threshold", comparison.question().threshold());
        g.writeBooleanField("across_devices", comparison.question().acrossDevices());
        g.writeNumberField("seed", comparison.question().seed());
        g.writeNumberField("replicates", MedianSpread.REPLICATES);
        g.writeArrayFieldStart("pairs");
        for (Pair pair : comparison.pairs()) {
            pair(pair);
        }
        g.writeEndArray();
        g.writeArrayFieldStart("not_compared");
        for (Apart apart : comparison.apart()) {
            apart(apart);
        }
        g.writeEndArray();
        g.writeArrayFieldStart("environment");
        for (Difference d : comparison.environment()) {
            g.writeStartObject();
            g.writeStringField("field", d.field());
            g.writeStringField("base", d.base());
            g.writeStringField("new", d.next());
            g.writeEndObject();
        }
        g.writeEndArray();
        Overall overall = comparison.overall();
        if (overall == null) {
            g.writeNullField("overall");
        } else {
            g.writeObjectFieldStart("overall");
            g.writeNumberField("pairs", overall.pairs());
            g.writeNumberField("ratio", overall.ratio());
            interval(overall.ci95());
            g.writeEndObject();
        }
        gate(rules, failures);
        texts("remarks", comparison.remarks());
        g.writeEndObject();
    }

    private void run(String name, Comparison.Run run) throws IOException {
        g.writeObjectFieldStart(name);
        g.writeStringField("file", run.file());
        g.writeStringField("started", run.started().toString());
        g.writeNumberField("rows", run.rows());
        g.writeEndObject();
    }

    private void pair(Pair pair) throws IOException {
        g.writeStartObject();
        subject(pair.subject());
        side("base", pair.base());
        side("new", pair.next());
        if (pair.ratio() == null) {
            g.writeNullField("ratio");
        } else {
            g.writeNumberField("ratio", pair.ratio());
        }
        interval(pair.ci95());
        g.writeStringField("verdict", pair.verdict().word(comparison.question().metric()));
        texts("notes", pair.notes());
        g.writeEndObject();
    }

    private void side(String name, Side side) throws IOException {
        g.writeObjectFieldStart(name);
        g.writeStringField("device", side.device());
        g.writeStringField("image", side.image());
        g.writeNumberField("value", side.value());
        if (side.samples() == 0) {
            g.writeNullField("samples");
        } else {
            g.writeNumberField("samples", side.samples());
        }
        g.writeNumberField("invocations", side.invocations());
        g.writeStringField("spread_from", side.basis());
        g.writeEndObject();
    }

    private void apart(Apart apart) throws IOException {
        g.writeStartObject();
        g.writeStringField("kind", apart.why().name().toLowerCase(Locale.ROOT));
        subject(apart.subject());
        state("base", apart.base());
        state("new", apart.next());
        g.writeStringField("reason", apart.reason());
        g.writeEndObject();
    }

    private void state(String name, @Nullable State state) throws IOException {
        if (state == null) {
            g.writeNullField(name);
            return;
        }
        g.writeObjectFieldStart(name);
        g.writeStringField("device", state.device());
        g.writeStringField("status", state.status().tag());
        g.writeEndObject();
    }

    private void gate(List<FailRule> rules, List<FailRule.Failure> failures) throws IOException {
        if (rules.isEmpty()) {
            g.writeNullField("gate");
            return;
        }
        g.writeObjectFieldStart("gate");
        texts("rules", rules.stream().map(FailRule::text).toList());
        g.writeArrayFieldStart("failures");
        for (FailRule.Failure f : failures) {
            g.writeStartObject();
            g.writeStringField("rule", f.rule());
            subject(f.subject());
            g.writeStringField("device", f.device());
            g.writeStringField("reason", f.reason());
            g.writeEndObject();
        }
        g.writeEndArray();
        g.writeEndObject();
    }

    private void subject(Subject subject) throws IOException {
        g.writeStringField("kernel", subject.kernel());
        g.writeObjectFieldStart("problem");
        for (Map.Entry<String, Object> e : subject.problem().entrySet()) {
            g.writeFieldName(e.getKey());
            value(e.getValue());
        }
        g.writeEndObject();
        g.writeStringField("mode", subject.mode());
    }

    /** A value of an axis, as {@link dev.panamark.result.Row} holds it. */
    private void value(Object value) throws IOException {
        switch (value) {
            case Boolean b -> g.writeBoolean(b);
            case Long whole -> g.writeNumber(whole);
            case Double real -> g.writeNumber(real);
            case List<?> list -> {
                g.writeStartArray();
                for (Object item : list) {
                    value(item);
                }
                g.writeEndArray();
            }
            default -> g.writeString(value.toString());
        }
    }

    private void interval(@Nullable Interval ci95) throws IOException {
        if (ci95 == null) {
            g.writeNullField("ci95");
            return;
        }
        g.writeArrayFieldStart("ci95");
        g.writeNumber(ci95.lo());
        g.writeNumber(ci95.hi());
        g.writeEndArray();
    }

    private void texts(String name, List<String> texts) throws IOException {
        g.writeArrayFieldStart(name);
        for (String text : texts) {
            g.writeString(text);
        }
        g.writeEndArray();
    }
}
