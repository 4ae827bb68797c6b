package dev.panamark.result;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.panamark.json.IndentedJson;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Writes records as JSON. The streaming part of Jackson alone, as data binding takes long to start. */
final class ResultJson {
    static final JsonFactory FACTORY = JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS) // read, so that the reader can refuse them by field
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .enable(StreamReadFeature.USE_FAST_DOUBLE_PARSER) // to the last bit the same numbers
            .build();

    /** Whole numbers up to here are the same as a double and as a long. */
    private static final double EXACT = 0x1p53;

    private ResultJson() {}

    /** A row in one line, without a line end. */
    static String line(Row row) {
        return text(g -> row(g, row));
    }

    /** A run in one line, without its rows and without a line end. */
    static String headerLine(RunResult run) {
        return text(g -> run(g, run.withRows(List.of())));
    }

    /** How the line of a code begins, and that of no row. */
    static final String CODE_START = "{\"code\":";

    /** What identifies the code of some rows, in one line, without a line end. */
    static String codeLine(SequencedMap<String, Object> code) {
        return text(g -> {
            g.writeStartObject();
            field(g, "code", JsonValues.freeze("code", code));
            g.writeEndObject();
        });
    }

    /** A whole run, indented, with a line end; the stream stays open. */
    static void write(RunResult run, OutputStream out) throws IOException {
        try (JsonGenerator g = FACTORY.createGenerator(out, JsonEncoding.UTF8)) {
            g.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            g.disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM);
            // Rows begin on lines of their own; samples stay together in one.
            IndentedJson.indent(g);
            run(g, run);
            g.writeRaw('\n');
        }
    }

    /** Reads one row; {@code line} is where it stands in {@code file}. */
    static Row row(String json, String file, int line) {
        return ResultReader.row(json, file, line);
    }

    private interface Body {
        void write(JsonGenerator g) throws IOException;
    }

    private static String text(Body body) {
        StringWriter out = new StringWriter();
        try (JsonGenerator g = FACTORY.createGenerator(out)) {
            body.write(g);
        } catch (IOException e) {
            throw new UncheckedIOException("memory refused JSON", e); // a StringWriter never does
        }
        return out.toString();
    }

    private static void run(JsonGenerator g, RunResult run) throws IOException {
        g.writeStartObject();
        g.writeStringField("schema", run.schema());
        g.writeFieldName("argv");
        value(g, run.argv());
        g.writeStringField("started", run.started().toString());
        g.writeFieldName("finished");
        if (run.finished() == null) {
            g.writeNull();
        } else {
            g.writeString(run.finished().toString());
        }
        field(g, "host", run.host());
        field(g, "devices", run.devices());
        field(g, "kernels", run.kernels());
        g.writeNumberField("seed", run.seed());
        g.writeArrayFieldStart("rows");
        for (Row row : run.rows()) {
            row(g, row);
        }
        g.writeEndArray();
        g.writeEndObject();
    }

    private static void row(JsonGenerator g, Row row) throws IOException {
        g.writeStartObject();
        field(g, "device", row.device());
        field(g, "kernel", row.kernel());
        field(g, "image", row.image());
        field(g, "problem", row.problem());
        field(g, "mode", row.mode());
        g.writeFieldName("invocation");
        if (row.invocation() == null) {
            g.writeNull();
        } else {
            g.writeNumber(row.invocation());
        }
        field(g, "status", row.status().tag());
        g.writeFieldName("reason");
        if (row.reason() == null) {
            g.writeNull();
        } else {
            value(g, row.reason());
        }
        g.writeObjectFieldStart("metrics");
        for (Map.Entry<String, Metric> e : row.metrics().entrySet()) {
            g.writeFieldName(e.getKey());
            metric(g, e.getValue());
        }
        g.writeEndObject();
        field(g, "work", row.work());
        field(g, "check", row.check());
        field(g, "denominators", row.denominators());
        field(g, "flags", row.flags());
        g.writeArrayFieldStart("samples");
        for (double sample : row.samples()) {
            number(g, sample);
        }
        g.writeEndArray();
        field(g, "run", row.run());
        g.writeEndObject();
    }

    private static void metric(JsonGenerator g, Metric m) throws IOException {
        g.writeStartObject();
        g.writeFieldName("value");
        if (m.value() == null) {
            g.writeNull();
        } else {
            number(g, m.value());
        }
        field(g, "unit", m.unit());
        g.writeFieldName("source");
        if (m.source() == null) {
            g.writeNull();
        } else {
            g.writeString(m.source().tag());
        }
        if (m.n() != null) {
            g.writeNumberField("n", m.n());
        }
        if (m.ci95() != null) {
            g.writeArrayFieldStart("ci95");
            number(g, m.ci95().lo());
            number(g, m.ci95().hi());
            g.writeEndArray();
        }
        if (m.reason() != null) {
            field(g, "reason", m.reason());
        }
        if (m.note() != null) {
            field(g, "note", m.note());
        }
        if (!m.detail().isEmpty()) {
            field(g, "detail", m.detail());
        }
        g.writeEndObject();
    }

    /** A number whose type the reader knows to be double: counts are written as people write them. */
    private static void number(JsonGenerator g, double v) throws IOException {
        if (v == Math.rint(v) && Math.abs(v) <= EXACT && Double.doubleToRawLongBits(v) != Long.MIN_VALUE) {
            g.writeNumber((long) v);
        } else {
            g.writeNumber(v);
        }
    }

    private static void field(JsonGenerator g, String name, Object value) throws IOException {
        g.writeFieldName(name);
        value(g, value);
    }

    /** An open value; a double keeps a point or an exponent, so that it is read as a double again. */
    private static void value(JsonGenerator g, Object value) throws IOException {
        switch (value) {
            case String text -> g.writeString(wellFormed(text));
            case Boolean bool -> g.writeBoolean(bool);
            case Long whole -> g.writeNumber(whole);
            case Double real -> g.writeNumber(real);
            case List<?> list -> {
                g.writeStartArray();
                for (Object item : list) {
                    value(g, item);
                }
                g.writeEndArray();
            }
            case Map<?, ?> map -> {
                g.writeStartObject();
                for (Map.Entry<?, ?> e : map.entrySet()) {
                    g.writeFieldName(wellFormed((String) e.getKey()));
                    value(g, e.getValue());
                }
                g.writeEndObject();
            }
            default ->
                throw new IllegalStateException(
                        "a frozen map holds a " + value.getClass().getName());
        }
    }

    /** Half a surrogate pair, as cutting a text may leave, has no UTF-8 form and becomes U+FFFD. */
    private static String wellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                int[] points = text.codePoints()
                        .map(p -> p >= Character.MIN_SURROGATE && p <= Character.MAX_SURROGATE ? 0xFFFD : p)
                        .toArray();
                return new String(points, 0, points.length);
            }
        }
        return text;
    }
}
