package dev.panamark.report;

import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Tags;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A run as comma-separated values (RFC 4180): a header, then one record a row. Columns: device, kernel, image, mode,
 * invocation, {@code axis:NAME} for every axis in the order of first use, status, reason, flags; then for every metric
 * that a row names, in the order of {@link Tags}, {@code TAG (unit)} and, where a row has an interval, {@code TAG.lo
 * (unit)} and {@code TAG.hi (unit)}. Numbers are written to the last bit; what is null is empty.
 */
public final class CsvTable {
    private CsvTable() {}

    private record Field(String name, Function<Row, @Nullable String> value) {}

    /** Renders a run; records end with CR LF. */
    public static String render(RunResult run) {
        List<Field> fields = fields(run.rows());
        StringBuilder out = new StringBuilder();
        record(out, fields.stream().map(Field::name).toList());
        for (Row row : run.rows()) {
            List<String> values = new ArrayList<>();
            for (Field field : fields) {
                String value = field.value().apply(row);
                values.add(value == null ? "" : value);
            }
            record(out, values);
        }
        return out.toString();
    }

    private static List<Field> fields(List<Row> rows) {
        List<Field> out = new ArrayList<>();
        out.add(new Field("device", Row::device));
        out.add(new Field("kernel", Row::kernel));
        out.add(new Field("image", Row::image));
        out.add(new Field("mode", Row::mode));
        out.add(new Field("invocation", r -> r.invocation() == null ? null : String.valueOf(r.invocation())));
        SequencedSet<String> axes = new LinkedHashSet<>();
        rows.forEach(r -> axes.addAll(r.problem().keySet()));
        for (String axis : axes) {
            out.add(new Field("axis:" + axis, r -> {
                Object value = r.problem().get(axis);
                return value == null ? null : value.toString();
            }));
        }
        out.add(new Field("status", r -> r.status().tag()));
        out.add(new Field("reason", Row::reason));
        out.add(new Field("flags", r -> String.join("; ", r.flags())));

        // A tag that this version does not know may come in several units, and then in several columns.
        SequencedMap<String, TreeSet<String>> units = new LinkedHashMap<>();
        SequencedSet<String> intervals = new LinkedHashSet<>();
        for (Row row : rows) {
            row.metrics().forEach((path, m) -> {
                units.computeIfAbsent(path, p -> new TreeSet<>()).add(m.unit());
                if (m.ci95() != null) {
                    intervals.add(path);
                }
            });
        }
        for (String path : Tags.ordered(units.keySet())) {
            for (String unit : units.getOrDefault(path, new TreeSet<>())) {
                String of = " (" + unit + ")";
                out.add(new Field(path + of, r -> number(metric(r, path, unit), Metric::value)));
                if (intervals.contains(path)) {
                    out.add(new Field(
                            path + ".lo" + of,
                            r -> number(
                                    metric(r, path, unit),
                                    m -> m.ci95() == null ? null : m.ci95().lo())));
                    out.add(new Field(
                            path + ".hi" + of,
                            r -> number(
                                    metric(r, path, unit),
                                    m -> m.ci95() == null ? null : m.ci95().hi())));
                }
            }
        }
        return Collections.unmodifiableList(out);
    }

    private static @Nullable Metric metric(Row row, String path, String unit) {
        Metric m = row.metrics().get(path);
        return m == null || !m.unit().equals(unit) ? null : m;
    }

    private static @Nullable String number(@Nullable Metric m, Function<Metric, @Nullable Double> what) {
        Double value = m == null ? null : what.apply(m);
        return value == null ? null : value.toString();
    }

    static void record(StringBuilder out, List<String> values) {
        out.append(values.stream().map(CsvTable::quoted).collect(Collectors.joining(",")))
                .append("\r\n");
    }

    private static String quoted(String value) {
        boolean plain = value.chars().noneMatch(c -> c == ',' || c == '"' || c == '\r' || c == '\n');
        return plain ? value : '"' + value.replace("\"", "\"\"") + '"';
    }
}
