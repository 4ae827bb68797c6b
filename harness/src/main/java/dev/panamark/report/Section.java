package dev.panamark.report;

import static java.util.Objects.requireNonNull;

import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The rows of one device, made ready for a table for people.
 *
 * @param device its id
 * @param facts what the header line says, without the id
 * @param lines what is shown, in the order of the result
 * @param columns the figures that at least one line has
 * @param fixed axes that the lines leave out because they have one value, and the kernels whose lines do
 * @param remarks what holds for the whole table, one sentence each
 */
record Section(
        String device,
        List<String> facts,
        List<Line> lines,
        List<Column.Scale> columns,
        SequencedMap<String, List<String>> fixed,
        List<String> remarks) {

    /** Problems whose axes together are not longer show all of them. */
    private static final int SHORT = 24;

    /**
     * A row and the words for it.
     *
     * @param row the row
     * @param kernel its name
     * @param problem the axes that tell it from its neighbours
     * @param status as shown
     */
    record Line(Row row, String kernel, String problem, String status) {}

    /** One section a device, in the order of the result's rows. */
    static List<Section> of(RunResult run) {
        SequencedMap<String, List<Row>> byDevice = new LinkedHashMap<>();
        Shown shown = shown(run.rows());
        for (Row row : shown.rows()) {
            byDevice.computeIfAbsent(row.device(), d -> new ArrayList<>()).add(row);
        }
        List<Section> out = new ArrayList<>();
        byDevice.forEach((device, rows) -> out.add(section(run, device, rows, shown.hidden())));
        return out;
    }

    private record Shown(List<Row> rows, Set<String> hidden) {}

    /** Rows of single invocations stand back behind the row that aggregates them, unless they went wrong. */
    private static Shown shown(List<Row> rows) {
        Set<Row.Key> aggregated =
                rows.stream().filter(r -> r.invocation() == null).map(Row::key).collect(Collectors.toSet());
        List<Row> out = new ArrayList<>();
        Set<String> hidden = new LinkedHashSet<>();
        for (Row row : rows) {
            Row.Key key = row.key();
            Row.Key whole = new Row.Key(key.device(), key.kernel(), key.image(), key.problem(), key.mode(), null);
            if (row.invocation() != null && row.status() == Status.OK && aggregated.contains(whole)) {
                hidden.add(row.device());
            } else {
                out.add(row);
            }
        }
        return new Shown(out, hidden);
    }

    private static Section section(RunResult run, String device, List<Row> rows, Set<String> hidden) {
        SequencedMap<String, List<String>> fixed = new LinkedHashMap<>();
        List<Line> lines = lines(rows, fixed);
        List<String> remarks = new ArrayList<>();
        List<Column.Scale> columns = columns(rows, remarks);
        sources(rows, columns).ifPresent(remarks::addFirst);
        remarks.addAll(Stalls.remarks(lines));
        for (String flag : common(rows)) {
            remarks.add(sentence("All rows: " + Text.line(flag)));
        }
        if (hidden.contains(device)) {
            remarks.add("Rows of single invocations are in the result file.");
        }
        return new Section(device, facts(run, device, rows), lines, columns, fixed, remarks);
    }

    // ---- lines

    private static List<Line> lines(List<Row> rows, SequencedMap<String, List<String>> fixed) {
        SequencedMap<String, List<Row>> byKernel = new LinkedHashMap<>();
        for (Row row : rows) {
            byKernel.computeIfAbsent(row.kernel(), k -> new ArrayList<>()).add(row);
        }
        boolean modes = distinct(rows, Row::mode) > 1;
        SequencedMap<String, Set<String>> varying = new LinkedHashMap<>();
        byKernel.forEach((kernel, mine) -> {
            SequencedSet<String> axes = new LinkedHashSet<>();
            mine.forEach(r -> axes.addAll(r.problem().keySet()));
            boolean brief = mine.stream().allMatch(r -> Text.width(axes(r, axes)) <= SHORT);
            Set<String> vary = axes.stream()
                    .filter(axis -> brief
                            || distinct(mine, r -> String.valueOf(r.problem().get(axis))) > 1)
                    .collect(Collectors.toCollection(LinkedHashSet::new));
            varying.put(kernel, vary);
            axes.removeAll(vary);
            String rest = axes(mine.getFirst(), axes);
            if (!rest.isEmpty()) {
                fixed.computeIfAbsent(Text.line(rest), r -> new ArrayList<>()).add(Text.line(kernel));
            }
        });
        List<Line> out = new ArrayList<>();
        long invocations = distinct(rows, r -> String.valueOf(r.invocation()));
        // Builds of one kernel, one beside the other: only their image tells them apart.
        Map<Row.Key, Set<String>> images = new HashMap<>();
        rows.forEach(r ->
                images.computeIfAbsent(apartFromImage(r), k -> new HashSet<>()).add(r.image()));
        for (Row row : rows) {
            Set<String> vary = requireNonNull(varying.get(row.kernel()));
            List<String> parts = new ArrayList<>();
            parts.add(axes(row, vary));
            if (modes) {
                parts.add(row.mode());
            }
            if (row.invocation() != null && invocations > 1) {
                parts.add("invocation=" + row.invocation());
            }
            if (requireNonNull(images.get(apartFromImage(row))).size() > 1) {
                parts.add("image=" + shortHash(row.image()));
            }
            out.add(new Line(row, Text.line(row.kernel()), Text.line(String.join(" ", parts)), status(row.status())));
        }
        return out;
    }

    private static Row.Key apartFromImage(Row row) {
        return new Row.Key(row.device(), row.kernel(), "", row.problem(), row.mode(), row.invocation());
    }

    private static String axes(Row row, Set<String> which) {
        return row.problem().entrySet().stream()
                .filter(e -> which.contains(e.getKey()))
                .map(e -> e.getKey() + "=" + e.getValue())
                .collect(Collectors.joining(" "));
    }

    private static String shortHash(String image) {
        String hash = image.substring(image.indexOf(':') + 1);
        return hash.isEmpty() ? "none" : hash.substring(0, Math.min(8, hash.length()));
    }

    private static String status(Status status) {
        return switch (status) {
            case OK, UNSUPPORTED, SKIPPED -> status.tag();
            case WRONG, REJECTED, UNSTABLE, TIMEOUT, FAILED -> status.tag().toUpperCase(Locale.ROOT);
        };
    }

    private static long distinct(List<Row> rows, java.util.function.Function<Row, String> what) {
        return rows.stream().map(what).distinct().count();
    }

    // ---- columns

    private static List<Column.Scale> columns(List<Row> rows, List<String> remarks) {
        List<Column.Scale> out = new ArrayList<>();
        SequencedMap<String, List<String>> absent = new LinkedHashMap<>();
        for (Column column : Column.ALL) {
            List<Column.Content> contents =
                    rows.stream().map(column::content).flatMap(Optional::stream).toList();
            double[] values = contents.stream()
                    .map(Column.Content::value)
                    .filter(Objects::nonNull)
                    .mapToDouble(Double::doubleValue)
                    .toArray();
            if (values.length > 0) {
                out.add(column.scale(values));
                continue;
            }
            SequencedSet<String> reasons = contents.stream()
                    .map(c -> Text.line(c.reason()))
                    .collect(Collectors.toCollection(LinkedHashSet::new));
            // Without a time there is no spread either; once is enough.
            if (!reasons.isEmpty() && column.kind() != Column.Kind.SPREAD) {
                String why =
                        reasons.getFirst() + (reasons.size() == 1 ? "" : " (and " + others(reasons.size() - 1) + ")");
                absent.computeIfAbsent(why, w -> new ArrayList<>()).add(column.label());
            }
        }
        absent.forEach((why, columns) -> remarks.add(sentence("No " + String.join(", no ", columns) + ": " + why)));
        return out;
    }

    private static String others(int n) {
        return n == 1 ? "1 other reason" : n + " other reasons";
    }

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    /** Where the shown numbers come from. */
    private static Optional<String> sources(List<Row> rows, List<Column.Scale> columns) {
        SequencedMap<String, SequencedSet<String>> bySource = new LinkedHashMap<>();
        for (Column.Scale scale : columns) {
            String from = rows.stream()
                    .map(r -> r.metric(scale.column().tag()))
                    .filter(Objects::nonNull)
                    .map(Metric::source)
                    .filter(Objects::nonNull)
                    .map(Source::tag)
                    .distinct()
                    .sorted()
                    .collect(Collectors.joining(" or "));
            // The spread of a measured time is computed from its samples.
            String source = scale.column().kind() == Column.Kind.SPREAD ? "computed" : from;
            bySource.computeIfAbsent(source, s -> new LinkedHashSet<>()).add(scale.header());
        }
        if (bySource.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(bySource.entrySet().stream()
                .map(e -> String.join(", ", e.getValue()) + " " + e.getKey())
                .collect(Collectors.joining("; ", "Where from: ", ".")));
    }

    /** Flags that every row with figures has. */
    static Set<String> common(Collection<Row> rows) {
        Set<String> all = null;
        for (Row row : rows) {
            if (row.status() == Status.OK) {
                if (all == null) {
                    all = new LinkedHashSet<>(row.flags());
                } else {
                    all.retainAll(row.flags());
                }
            }
        }
        return all == null ? Set.of() : all;
    }

    // ---- header

    private static List<String> facts(RunResult run, String device, List<Row> rows) {
        List<String> out = new ArrayList<>();
        for (Map<String, Object> known : run.devices()) {
            if (device.equals(known.get("id"))) {
                find(known, "name").ifPresent(out::add);
            }
        }
        one(rows, "threads").ifPresent(n -> out.add(n + (n.equals("1") ? " thread" : " threads")));
        String compilers = run.kernels().stream()
                .filter(k -> rows.stream().anyMatch(r -> belongs(k, r)))
                .map(k -> find(k, "compiler"))
                .flatMap(Optional::stream)
                .distinct()
                .collect(Collectors.joining(", "));
        if (!compilers.isEmpty()) {
            out.add(compilers);
        }
        if (distinct(rows, Row::mode) == 1) {
            out.add(rows.getFirst().mode());
        }
        out.add("seed " + run.seed());
        return out.stream().map(Text::line).toList();
    }

    private static boolean belongs(Map<String, Object> kernel, Row row) {
        Object image = kernel.get("image");
        return row.kernel().equals(kernel.get("kernel")) && (image == null || image.equals(row.image()));
    }

    private static Optional<String> find(Map<String, Object> map, String key) {
        return Optional.ofNullable(map.get(key)).map(String::valueOf).filter(s -> !s.isBlank());
    }

    /** A value of {@code run} that all rows that have it share. */
    private static Optional<String> one(List<Row> rows, String key) {
        List<String> all = rows.stream()
                .map(r -> find(r.run(), key))
                .flatMap(Optional::stream)
                .distinct()
                .toList();
        return all.size() == 1 ? Optional.of(all.getFirst()) : Optional.empty();
    }

    // ---- the end of every view

    /** "8 rows: 7 ok, 1 wrong; took 12.3 s". */
    static String summary(RunResult run) {
        int n = run.rows().size();
        String counts = List.of(Status.values()).stream()
                .map(s -> Map.entry(
                        s, run.rows().stream().filter(r -> r.status() == s).count()))
                .filter(e -> e.getValue() > 0)
                .map(e -> e.getValue() + " " + e.getKey().tag())
                .collect(Collectors.joining(", "));
        String rows = n == 0 ? "No rows: nothing was measured" : n + (n == 1 ? " row: " : " rows: ") + counts;
        return rows
                + (run.finished() == null
                        ? "; the run did not finish"
                        : "; took "
                                + Numbers.duration(java.time.Duration.between(run.started(), run.finished())
                                                .toMillis()
                                        / 1000.0));
    }
}
