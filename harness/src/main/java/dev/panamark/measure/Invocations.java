package dev.panamark.measure;

import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import dev.panamark.stats.AcrossInvocations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.Set;

/**
 * One row out of those that several invocations measured for one problem: every metric is the median of theirs, and the
 * interval of the time holds what differs from process to process (memory layout, first-touch placement, clocks).
 */
public final class Invocations {
    private Invocations() {}

    /**
     * The aggregate.
     *
     * @param rows of one kernel, problem and device, at least two, one for each invocation
     */
    public static Row aggregate(List<Row> rows) {
        Row first = rows.getFirst();
        Row.Builder out = first.toBuilder().invocation(null).samples(List.of());
        for (Row row : rows) {
            if (row.status() != Status.OK) {
                return Row.builder(first.device(), first.kernel(), row.image(), first.problem(), first.mode())
                        .status(row.status(), "invocation " + row.invocation() + ": " + row.reason())
                        .check(row.check())
                        .work(row.work())
                        .build();
            }
        }
        for (String path : first.metrics().keySet()) {
            out.metric(path, median(path, rows));
        }
        Set<String> flags = new LinkedHashSet<>();
        rows.forEach(row -> flags.addAll(row.flags()));
        first.flags().forEach(flags::remove); // the builder holds them already
        flags.forEach(out::flag);
        SequencedMap<String, Object> run = new LinkedHashMap<>(first.run());
        List<Object> medians = new ArrayList<>();
        for (double v : values(Tags.TIME_MEDIAN.path(), rows)) {
            medians.add(v);
        }
        run.put("invocations", rows.size());
        run.put("invocation_medians", medians);
        return out.run(run).build();
    }

    private static Metric median(String path, List<Row> rows) {
        Metric first = Objects.requireNonNull(rows.getFirst().metrics().get(path));
        if (rows.stream().skip(1).noneMatch(row -> row.metrics().containsKey(path))) {
            return first; // counted in one invocation, as it is the same in all
        }
        double[] values = values(path, rows);
        if (values.length < rows.size() || first.source() == null) {
            return rows.stream()
                    .map(row -> row.metrics().get(path))
                    .filter(m -> m != null && m.value() == null)
                    .findFirst()
                    .orElseGet(() -> Metric.missing(first.unit(), "not every invocation has a value"));
        }
        AcrossInvocations across = AcrossInvocations.of(values);
        Metric median = new Metric(
                across.median(),
                first.unit(),
                first.source(),
                (long) rows.size(),
                null,
                null,
                spreads(path) ? note(across) : first.note(),
                energy(path) ? metered(first.detail()) : first.detail());
        Double half = across.half();
        if (energy(path) && half != null) {
            return median.withCi95(across.median() - half, across.median() + half);
        }
        return path.equals(Tags.TIME_MEDIAN.path()) && half != null
                ? median.withCi95(Math.max(0, across.median() - half), across.median() + half)
                : median;
    }

    /** Whether the interval between invocations is that of the metric. */
    private static boolean spreads(String path) {
        return path.equals(Tags.TIME_MEDIAN.path()) || energy(path);
    }

    private static boolean energy(String path) {
        return path.startsWith("energy/") || path.startsWith("power/") || path.startsWith("tokens_per_joule/");
    }

    /** Without what belongs to the windows of one invocation. */
    private static SequencedMap<String, Object> metered(Map<String, Object> detail) {
        SequencedMap<String, Object> out = new LinkedHashMap<>(detail);
        List.of("window_s", "windows", "launches", "flags").forEach(out::remove);
        return out;
    }

    private static String note(AcrossInvocations across) {
        return across.reason() == null
                ? "median of " + across.n() + " invocations; the interval holds the spread between them"
                : "no interval: " + across.reason();
    }

    private static double[] values(String path, List<Row> rows) {
        return rows.stream()
                .map(Row::metrics)
                .map((Map<String, Metric> metrics) -> metrics.get(path))
                .filter(m -> m != null && m.value() != null)
                .mapToDouble(m -> Objects.requireNonNull(m.value()))
                .toArray();
    }
}
