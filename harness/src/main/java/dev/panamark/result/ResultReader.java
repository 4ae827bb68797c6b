package dev.panamark.result;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads records from JSON. Everything that is wrong is said with file, line and field. */
final class ResultReader {
    /** More different metrics than this are not remembered. */
    private static final int MOST_METRICS = 50_000;

    private static final Set<String> RUN_FIELDS =
            Set.of("schema", "argv", "started", "finished", "host", "devices", "kernels", "seed", "rows");
    private static final Set<String> ROW_FIELDS = Set.of(
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
            "run");
    private static final Set<String> METRIC_FIELDS =
            Set.of("value", "unit", "source", "n", "ci95", "reason", "note", "detail");

    private final String file;
    private final int firstLine;
    private final Located.Path texts = new Located.Path();
    private final Map<Metric, Metric> metrics = new HashMap<>();

    private ResultReader(String file, int firstLine) {
        this.file = file;
        this.firstLine = firstLine;
    }

    /** Reads a whole run; the stream stays open. */
    static RunResult run(InputStream in, String file) throws IOException {
        ResultReader reader = new ResultReader(file, 1);
        try (JsonParser p = ResultJson.FACTORY.createParser(in)) {
            return reader.stream(p);
        }
    }

    /** Reads a run from one line of a journal. */
    static RunResult run(String json, String file, int line) {
        ResultReader reader = new ResultReader(file, line);
        return reader.run(reader.tree(json), List.of());
    }

    /** Reads a row from one line of a journal. */
    static Row row(String json, String file, int line) {
        ResultReader reader = new ResultReader(file, line);
        return reader.row(new At(reader.tree(json), ""));
    }

    /** Reads what identifies the code of rows from one line of a journal. */
    static SequencedMap<String, Object> code(String json, String file, int line) {
        ResultReader reader = new ResultReader(file, line);
        At top = new At(reader.tree(json), "");
        return reader.open(reader.field(top, reader.object(top), "code"));
    }

    /** A value and the way to it. */
    private record At(Located node, String path) {}

    private Located tree(String json) {
        try (JsonParser p = ResultJson.FACTORY.createParser(new StringReader(json))) {
            return tree(p);
        } catch (IOException e) {
            throw new ResultFileException(file, firstLine, "", "cannot be read: " + e.getMessage());
        }
    }

    private Located tree(JsonParser p) throws IOException {
        return whole(p, path -> Located.read(p, path));
    }

    /** What reads a value, keeping the way to it. */
    private interface Body<T> {
        T read(Located.Path path) throws IOException;
    }

    /**
     * Reads a run row by row: a tree of all of it, with the line of every value, takes far more memory than the
     * rows.
     */
    private RunResult stream(JsonParser p) throws IOException {
        List<Row> rows = new ArrayList<>();
        Located top = whole(p, path -> {
            if (p.currentToken() != JsonToken.START_OBJECT) {
                return Located.read(p, path);
            }
            int start = line(p.currentTokenLocation().getLineNr());
            Map<String, Located> fields = new LinkedHashMap<>();
            while (p.nextToken() == JsonToken.FIELD_NAME) {
                String name = p.currentName();
                path.push(name);
                if (fields.containsKey(name)) {
                    throw new JsonParseException(p, "the field stands there twice");
                }
                if (p.nextToken() == JsonToken.START_ARRAY && name.equals("rows")) {
                    fields.put(
                            name,
                            new Located(List.of(), p.currentTokenLocation().getLineNr()));
                    requireSchema(fields);
                    rows(p, path, rows);
                } else {
                    fields.put(name, Located.read(p, path));
                    requireSchema(fields);
                }
                path.pop();
            }
            return new Located(fields, start);
        });
        return run(top, rows);
    }

    private void rows(JsonParser p, Located.Path path, List<Row> rows) throws IOException {
        while (p.nextToken() != JsonToken.END_ARRAY) {
            path.push(rows.size());
            Located row = Located.read(p, path);
            rows.add(row(new At(row, path.toString())));
            path.pop();
        }
    }

    /** Before anything else, as soon as it is read: a file of another version may differ in every field. */
    private void requireSchema(Map<String, Located> top) {
        Located schema = top.get("schema");
        if (schema != null) {
            At at = new At(schema, "schema");
            String name = text(at);
            if (!name.equals(RunResult.SCHEMA)) {
                throw wrong(at, "this version reads " + RunResult.SCHEMA + ", not \"" + name + "\"");
            }
        }
    }

    private <T> T whole(JsonParser p, Body<T> body) throws IOException {
        Located.Path path = texts;
        try {
            if (p.nextToken() == null) {
                throw new ResultFileException(file, 0, "", "is empty; expected a JSON object with " + RunResult.SCHEMA);
            }
            T all = body.read(path);
            JsonToken more = p.nextToken();
            if (more != null) {
                throw new ResultFileException(
                        file, line(p.currentTokenLocation().getLineNr()), "", "holds more after its end");
            }
            return all;
        } catch (StreamConstraintsException e) {
            throw new ResultFileException(
                    file, line(p.currentLocation().getLineNr()), path.toString(), "is no result: " + words(e));
        } catch (JsonProcessingException e) {
            if (e instanceof JsonEOFException || e.getOriginalMessage().startsWith("Unexpected end-of-input")) {
                throw new ResultFileException(
                        file,
                        line(e.getLocation().getLineNr()),
                        path.toString(),
                        "the file ends here: it was cut short; write it again, or resume from the run's journal");
            }
            throw new ResultFileException(
                    file,
                    line(e.getLocation() == null ? 1 : e.getLocation().getLineNr()),
                    path.toString(),
                    "is not JSON: " + words(e));
        } catch (CharConversionException e) {
            throw new ResultFileException(
                    file, line(p.currentLocation().getLineNr()), path.toString(), "is not UTF-8 text");
        }
    }

    private static String words(JsonProcessingException e) {
        String text = e.getOriginalMessage();
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }

    private int line(int inText) {
        return Math.max(1, inText) + firstLine - 1;
    }

    private ResultFileException wrong(At at, String problem) {
        return new ResultFileException(file, line(at.node.line()), at.path, problem);
    }

    private ResultFileException wrong(At at, String expected, Located found) {
        return wrong(at, "expected " + expected + ", found " + found.describe());
    }

    /** {@code streamed}: rows that were read before; others stand in the tree. */
    private RunResult run(Located root, List<Row> streamed) {
        At top = new At(root, "");
        Map<String, Located> map = object(top);
        requireSchema(map);
        String schema = text(field(top, map, "schema"));
        known(top, map, RUN_FIELDS);
        List<Row> rows = new ArrayList<>(streamed);
        for (At at : list(field(top, map, "rows"))) {
            rows.add(row(at));
        }
        Located finished = field(top, map, "finished").node;
        List<String> argv = texts(field(top, map, "argv"));
        Instant started = instant(field(top, map, "started"));
        Instant ended = finished.value() == null ? null : instant(field(top, map, "finished"));
        SequencedMap<String, Object> host = open(field(top, map, "host"));
        List<SequencedMap<String, Object>> devices =
                list(field(top, map, "devices")).stream().map(this::open).toList();
        List<SequencedMap<String, Object>> kernels =
                list(field(top, map, "kernels")).stream().map(this::open).toList();
        long seed = whole(field(top, map, "seed"));
        return checked(top, () -> new RunResult(schema, argv, started, ended, host, devices, kernels, seed, rows));
    }

    private Row row(At top) {
        Map<String, Located> map = object(top);
        known(top, map, ROW_FIELDS);
        SequencedMap<String, Metric> metrics = new LinkedHashMap<>();
        At all = field(top, map, "metrics");
        object(all).forEach((name, node) -> metrics.put(name, metric(new At(node, all.path + "." + name))));
        At invocation = field(top, map, "invocation");
        Integer number;
        if (invocation.node.value() == null) {
            number = null;
        } else {
            long n = whole(invocation);
            if (n < 0 || n > Integer.MAX_VALUE) {
                throw wrong(
                        invocation, "expected null or a whole number from 0 to " + Integer.MAX_VALUE + ", found " + n);
            }
            number = (int) n;
        }
        At samples = field(top, map, "samples");
        List<Double> seconds = new ArrayList<>();
        for (Located sample : plainList(samples)) {
            seconds.add(real(new At(sample, samples.path), seconds.size()));
        }
        String device = text(field(top, map, "device"));
        String kernel = text(field(top, map, "kernel"));
        String image = text(field(top, map, "image"));
        SequencedMap<String, Object> problem = open(field(top, map, "problem"));
        String mode = text(field(top, map, "mode"));
        Status status = oneOf(field(top, map, "status"), Status.values(), Status::tag);
        String reason = textOrNull(field(top, map, "reason"));
        SequencedMap<String, Object> work = open(field(top, map, "work"));
        SequencedMap<String, Object> check = open(field(top, map, "check"));
        SequencedMap<String, Object> denominators = open(field(top, map, "denominators"));
        List<String> flags = texts(field(top, map, "flags"));
        SequencedMap<String, Object> run = open(field(top, map, "run"));
        return checked(
                top,
                () -> new Row(
                        device,
                        kernel,
                        image,
                        problem,
                        mode,
                        number,
                        status,
                        reason,
                        metrics,
                        work,
                        check,
                        denominators,
                        flags,
                        seconds,
                        run));
    }

    private Metric metric(At top) {
        Map<String, Located> map = object(top);
        known(top, map, METRIC_FIELDS);
        At value = field(top, map, "value");
        Double number = value.node.value() == null ? null : (Double) real(value, -1);
        String unit = text(field(top, map, "unit"));
        At from = field(top, map, "source");
        Source source = from.node.value() == null ? null : oneOf(from, Source.values(), Source::tag);
        Long n = map.containsKey("n") ? (Long) whole(field(top, map, "n")) : null;
        Interval ci95 = map.containsKey("ci95") ? interval(field(top, map, "ci95")) : null;
        String reason = map.containsKey("reason") ? textOrNull(field(top, map, "reason")) : null;
        String note = map.containsKey("note") ? textOrNull(field(top, map, "note")) : null;
        SequencedMap<String, Object> detail =
                map.containsKey("detail") ? open(field(top, map, "detail")) : new LinkedHashMap<>();
        Metric metric = checked(top, () -> new Metric(number, unit, source, n, ci95, reason, note, detail));
        // Missing ones and sizes are alike in thousands of rows.
        return metrics.size() < MOST_METRICS
                ? metrics.computeIfAbsent(metric, m -> m)
                : metrics.getOrDefault(metric, metric);
    }

    private Interval interval(At at) {
        List<At> ends = list(at);
        if (ends.size() != 2) {
            throw wrong(at, "expected a list of two numbers, found " + ends.size());
        }
        double lo = real(ends.get(0), -1);
        double hi = real(ends.get(1), -1);
        return checked(at, () -> new Interval(lo, hi));
    }

    /** What the records themselves refuse, said with file and line. */
    private <T> T checked(At at, Supplier<T> record) {
        try {
            return record.get();
        } catch (IllegalArgumentException e) {
            throw wrong(at, String.valueOf(e.getMessage()));
        }
    }

    private At field(At top, Map<String, Located> map, String name) {
        Located node = map.get(name);
        if (node == null) {
            throw wrong(top, "the field '" + name + "' is missing");
        }
        return new At(node, top.path.isEmpty() ? name : top.path + "." + name);
    }

    private void known(At top, Map<String, Located> map, Set<String> names) {
        for (Map.Entry<String, Located> e : map.entrySet()) {
            if (!names.contains(e.getKey())) {
                throw new ResultFileException(
                        file,
                        line(e.getValue().line()),
                        top.path.isEmpty() ? e.getKey() : top.path + "." + e.getKey(),
                        "is no field of " + RunResult.SCHEMA + "; expected one of "
                                + names.stream().sorted().collect(Collectors.joining(", ")));
            }
        }
    }

    @SuppressWarnings("unchecked") // Located.read makes no other maps
    private Map<String, Located> object(At at) {
        if (!(at.node.value() instanceof Map<?, ?> map)) {
            throw wrong(at, "an object", at.node);
        }
        return (Map<String, Located>) map;
    }

    @SuppressWarnings("unchecked") // Located.read makes no other lists
    private List<Located> plainList(At at) {
        if (!(at.node.value() instanceof List<?> list)) {
            throw wrong(at, "a list", at.node);
        }
        return (List<Located>) list;
    }

    private List<At> list(At at) {
        List<At> out = new ArrayList<>();
        for (Located item : plainList(at)) {
            out.add(new At(item, at.path + "[" + out.size() + "]"));
        }
        return out;
    }

    private List<String> texts(At at) {
        return list(at).stream().map(this::text).toList();
    }

    private String text(At at) {
        if (!(at.node.value() instanceof String text)) {
            throw wrong(at, "text", at.node);
        }
        return text;
    }

    private @Nullable String textOrNull(At at) {
        return at.node.value() == null ? null : text(at);
    }

    private long whole(At at) {
        if (!(at.node.value() instanceof Long whole)) {
            throw wrong(at, "a whole number that fits 64 bits", at.node);
        }
        return whole;
    }

    /** A number; {@code index} is its place in a list when that is not in the path yet, or -1. */
    private double real(At at, int index) {
        return switch (at.node.value()) {
            case Long whole -> whole;
            case Double real -> real;
            case null, default ->
                throw wrong(index < 0 ? at : new At(at.node, at.path + "[" + index + "]"), "a finite number", at.node);
        };
    }

    private Instant instant(At at) {
        String text = text(at);
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw wrong(at, "expected a time such as 2026-01-31T12:00:00Z, found \"" + text + "\"");
        }
    }

    private <T> T oneOf(At at, T[] values, java.util.function.Function<T, String> tag) {
        String text = text(at);
        for (T value : values) {
            if (tag.apply(value).equals(text)) {
                return value;
            }
        }
        throw wrong(
                at,
                "expected one of " + Arrays.stream(values).map(tag).collect(Collectors.joining(", ")) + ", found \""
                        + text + "\"");
    }

    private SequencedMap<String, Object> open(At at) {
        SequencedMap<String, Object> out = new LinkedHashMap<>();
        object(at).forEach((name, node) -> out.put(name, openValue(new At(node, at.path + "." + name))));
        return out;
    }

    private Object openValue(At at) {
        return switch (at.node.value()) {
            case null -> throw wrong(at, "a value", at.node);
            case Map<?, ?> map -> open(at);
            case List<?> list -> {
                List<Object> out = new ArrayList<>();
                for (At item : list(at)) {
                    out.add(openValue(item));
                }
                yield out;
            }
            case Located.Oversize big -> throw wrong(at, "a number that fits 64 bits", at.node);
            case Object scalar -> scalar;
        };
    }
}
