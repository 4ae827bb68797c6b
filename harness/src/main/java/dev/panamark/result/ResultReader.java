package dev.panamark.result;

import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads records from JSON. Everything that is wrong is said with file, line and field. One reader reads one file, whole
 * or line by line, in one thread.
 */
final class ResultReader {
    private static final FieldNames RUN_FIELDS = new FieldNames(
            List.of("schema", "argv", "started", "finished", "host", "devices", "kernels", "seed", "rows"), List.of());
    private static final FieldNames ROW_FIELDS = new FieldNames(
            List.of(
                    "device",
                    "kernel",
                    "image",
                    "problem",
                    "mode",
                    "invocation",
                    "status",
                    "reason",
                    "metrics",
                    "work",
                    "check",
                    "denominators",
                    "flags",
                    "samples",
                    "run"),
            List.of());
    private static final FieldNames METRIC_FIELDS =
            new FieldNames(List.of("value", "unit", "source"), List.of("n", "ci95", "reason", "note", "detail"));
    private static final FieldNames CODE_FIELDS = new FieldNames(List.of("code"), List.of());

    private static final Status[] STATUSES = Status.values();
    private static final Source[] SOURCES = Source.values();

    private final String file;
    private final JsonCursor in;

    /** {@code file}: what messages call it. */
    ResultReader(String file) {
        this.file = file;
        this.in = new JsonCursor(file);
    }

    /** Reads a whole run; the stream stays open. */
    static RunResult run(InputStream in, String file) throws IOException {
        ResultReader reader = new ResultReader(file);
        try (JsonParser p = ResultJson.FACTORY.createParser(in)) {
            return reader.in.whole(p, 1, reader::run).complete(reader.in);
        }
    }

    /** Reads a row from a text of its own. */
    static Row row(String json, String file, int line) {
        ResultReader reader = new ResultReader(file);
        try (JsonParser p = ResultJson.FACTORY.createParser(new StringReader(json))) {
            return reader.in.whole(p, line, reader::row);
        } catch (IOException e) {
            throw reader.unreadable(line, e);
        }
    }

    /** Reads a run from one line of a journal, of which the first bytes are given. */
    RunResult run(byte[] json, int length, int line) {
        return inLine(json, length, line, this::run).complete(in);
    }

    /** Reads a row from one line of a journal. */
    Row row(byte[] json, int length, int line) {
        return inLine(json, length, line, this::row);
    }

    /** Reads what identifies the code of rows from one line of a journal. */
    SequencedMap<String, Object> code(byte[] json, int length, int line) {
        return inLine(json, length, line, this::code);
    }

    private <T> T inLine(byte[] json, int length, int line, JsonCursor.Body<T> body) {
        try (JsonParser p = ResultJson.FACTORY.createParser(json, 0, length)) {
            return in.whole(p, line, body);
        } catch (IOException e) {
            throw unreadable(line, e);
        }
    }

    private ResultFileException unreadable(int line, IOException e) {
        return new ResultFileException(file, line, "", "cannot be read: " + e.getMessage());
    }

    /** Whether fields are missing is asked at the very end, as a file that goes on after it is no result at all. */
    private Draft run() throws IOException {
        JsonCursor.Fields fields = in.fields(RUN_FIELDS);
        String schema = "";
        List<String> argv = List.of();
        Instant started = Instant.EPOCH;
        Instant finished = null;
        SequencedMap<String, Object> host = FrozenMap.empty();
        List<SequencedMap<String, Object>> devices = List.of();
        List<SequencedMap<String, Object>> kernels = List.of();
        long seed = 0;
        List<Row> rows = List.of();
        for (String name = fields.next(); name != null; name = fields.next()) {
            switch (name) {
                case "schema" -> schema = schema();
                case "argv" -> argv = in.texts();
                case "started" -> started = instant();
                case "finished" -> finished = in.isNull() ? null : instant();
                case "host" -> host = in.json();
                case "devices" -> devices = in.list(in::json);
                case "kernels" -> kernels = in.list(in::json);
                case "seed" -> seed = in.whole();
                default -> rows = in.list(this::row);
            }
        }
        return new Draft(fields, schema, argv, started, finished, host, devices, kernels, seed, rows);
    }

    /** A run of which it is not known yet whether anything is missing. */
    private record Draft(
            JsonCursor.Fields fields,
            String schema,
            List<String> argv,
            Instant started,
            @Nullable Instant finished,
            SequencedMap<String, Object> host,
            List<SequencedMap<String, Object>> devices,
            List<SequencedMap<String, Object>> kernels,
            long seed,
            List<Row> rows) {
        RunResult complete(JsonCursor in) {
            fields.requireAll();
            try {
                return new RunResult(schema, argv, started, finished, host, devices, kernels, seed, rows);
            } catch (IllegalArgumentException e) {
                throw in.refused(fields.line(), e);
            }
        }
    }

    /** Checked as soon as it is read: a file of another version may differ in every field. */
    private String schema() throws IOException {
        String name = in.text();
        if (!name.equals(RunResult.SCHEMA)) {
            throw in.wrong("this version reads " + RunResult.SCHEMA + ", not \"" + name + "\"");
        }
        return name;
    }

    private SequencedMap<String, Object> code() throws IOException {
        JsonCursor.Fields fields = in.fields(CODE_FIELDS);
        SequencedMap<String, Object> code = FrozenMap.empty();
        while (fields.next() != null) {
            code = in.json();
        }
        fields.requireAll();
        return code;
    }

    private Row row() throws IOException {
        JsonCursor.Fields fields = in.fields(ROW_FIELDS);
        String device = "";
        String kernel = "";
        String image = "";
        SequencedMap<String, Object> problem = FrozenMap.empty();
        String mode = "";
        Integer invocation = null;
        Status status = Status.OK;
        String reason = null;
        SequencedMap<String, Metric> metrics = FrozenMap.empty();
        SequencedMap<String, Object> work = FrozenMap.empty();
        SequencedMap<String, Object> check = FrozenMap.empty();
        SequencedMap<String, Object> denominators = FrozenMap.empty();
        List<String> flags = List.of();
        List<Double> samples = List.of();
        SequencedMap<String, Object> run = FrozenMap.empty();
        for (String name = fields.next(); name != null; name = fields.next()) {
            switch (name) {
                case "device" -> device = in.text();
                case "kernel" -> kernel = in.text();
                case "image" -> image = in.text();
                case "problem" -> problem = in.json();
                case "mode" -> mode = in.text();
                case "invocation" -> invocation = invocation();
                case "status" -> status = oneOf(STATUSES, Status::tag);
                case "reason" -> reason = in.textOrNull();
                case "metrics" -> metrics = in.map(this::metric);
                case "work" -> work = in.json();
                case "check" -> check = in.json();
                case "denominators" -> denominators = in.json();
                case "flags" -> flags = in.texts();
                case "samples" -> samples = in.reals();
                default -> run = in.json();
            }
        }
        fields.requireAll();
        try {
            return new Row(
                    device,
                    kernel,
                    image,
                    problem,
                    mode,
                    invocation,
                    status,
                    reason,
                    metrics,
                    work,
                    check,
                    denominators,
                    flags,
                    samples,
                    run);
        } catch (IllegalArgumentException e) {
            throw in.refused(fields.line(), e);
        }
    }

    private @Nullable Integer invocation() throws IOException {
        if (in.isNull()) {
            return null;
        }
        long n = in.whole();
        if (n < 0 || n > Integer.MAX_VALUE) {
            throw in.wrong("expected null or a whole number from 0 to " + Integer.MAX_VALUE + ", found " + n);
        }
        return (int) n;
    }

    private Metric metric() throws IOException {
        JsonCursor.Fields fields = in.fields(METRIC_FIELDS);
        Double value = null;
        String unit = "";
        Source source = null;
        Long n = null;
        Interval ci95 = null;
        String reason = null;
        String note = null;
        SequencedMap<String, Object> detail = FrozenMap.empty();
        for (String name = fields.next(); name != null; name = fields.next()) {
            switch (name) {
                case "value" -> value = in.realOrNull();
                case "unit" -> unit = in.text();
                case "source" -> source = in.isNull() ? null : oneOf(SOURCES, Source::tag);
                case "n" -> n = in.whole();
                case "ci95" -> ci95 = interval();
                case "reason" -> reason = in.textOrNull();
                case "note" -> note = in.textOrNull();
                default -> detail = in.json();
            }
        }
        fields.requireAll();
        try {
            return in.shared(new Metric(value, unit, source, n, ci95, reason, note, detail));
        } catch (IllegalArgumentException e) {
            throw in.refused(fields.line(), e);
        }
    }

    private Interval interval() throws IOException {
        int line = in.line();
        List<Double> ends = in.reals();
        if (ends.size() != 2) {
            throw in.wrong("expected a list of two numbers, found " + ends.size());
        }
        try {
            return new Interval(ends.getFirst(), ends.getLast());
        } catch (IllegalArgumentException e) {
            throw in.refused(line, e);
        }
    }

    private Instant instant() throws IOException {
        String text = in.text();
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw in.wrong("expected a time such as 2026-01-31T12:00:00Z, found \"" + text + "\"");
        }
    }

    private <T> T oneOf(T[] values, Function<T, String> tag) throws IOException {
        String text = in.text();
        for (T value : values) {
            if (tag.apply(value).equals(text)) {
                return value;
            }
        }
        throw in.wrong("expected one of " + Arrays.stream(values).map(tag).collect(Collectors.joining(", "))
                + ", found \"" + text + "\"");
    }
}
