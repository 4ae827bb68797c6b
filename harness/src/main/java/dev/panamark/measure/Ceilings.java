package dev.panamark.measure;

import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * The ceilings that this run measured, and every other row's share of them. A row's share is that of whatever limits
 * it: the time that its flops would take at the flop ceiling of their class, or its bytes at the bandwidth ceiling of
 * the nearest read:write mix, whichever is longer, over the time it took (the roofline model: Williams, Waterman,
 * Patterson, CACM 52(4), 2009).
 */
public final class Ceilings {
    /** Above this a ceiling was not one: it was disturbed, or the row's data sat in a nearer cache. */
    private static final double SURPRISING = 1.05;

    private final List<Row> flops = new ArrayList<>();
    private final List<Row> bytes = new ArrayList<>();

    private record Limit(double seconds, String what, SequencedMap<String, Object> denominator) {}

    /** Keeps a row if it measured a ceiling, and gives each row its share. */
    public Row annotate(Row row) {
        if (row.status() != Status.OK || value(row, Tags.TIME_MEDIAN.path()).isEmpty()) {
            return row;
        }
        if (row.work().get("ceiling") instanceof String kind) {
            (kind.equals("flops") ? flops : bytes).add(row);
            return row.toBuilder()
                    .metric(Tags.UTIL_CEILING, Tags.UTIL_CEILING.missing("this row is a ceiling itself"))
                    .build();
        }
        double time = value(row, Tags.TIME_MEDIAN.path()).orElseThrow();
        Optional<Limit> byFlops = flopLimit(row);
        Optional<Limit> byBytes = byteLimit(row);
        Optional<Limit> tightest = tighter(byFlops, byBytes);
        if (tightest.isEmpty()) {
            return row.toBuilder()
                    .metric(Tags.UTIL_CEILING, Tags.UTIL_CEILING.missing(missing(row)))
                    .build();
        }
        Limit limit = tightest.get();
        double share = limit.seconds() / time;
        SequencedMap<String, Object> denominators = new LinkedHashMap<>(row.denominators());
        byFlops.ifPresent(l -> denominators.put("ceiling/flops", l.denominator()));
        byBytes.ifPresent(l -> denominators.put("ceiling/bytes", l.denominator()));
        Metric metric = Tags.UTIL_CEILING.value(share, Source.COMPUTED).withNote("limited by " + limit.what());
        Row.Builder out = row.toBuilder().metric(Tags.UTIL_CEILING, metric).denominators(denominators);
        if (share > SURPRISING) {
            out.flag("above the measured ceiling: its data lay in a nearer cache, or the ceiling was disturbed");
        }
        return out.build();
    }

    private static Optional<Limit> tighter(Optional<Limit> a, Optional<Limit> b) {
        if (a.isEmpty() || b.isEmpty()) {
            return a.or(() -> b);
        }
        return a.get().seconds() >= b.get().seconds() ? a : b;
    }

    private String missing(Row row) {
        boolean hasFlops = !flopsOf(row).isEmpty();
        boolean hasBytes = value(row, Tags.RATE_BYTES.path()).isPresent();
        if (!hasFlops && !hasBytes) {
            return "the kernel file counts neither flops nor bytes";
        }
        return "no ceiling of this kind was measured on " + row.device() + " in this run; add -b 'ceiling.*'";
    }

    private Optional<Limit> flopLimit(Row row) {
        double seconds = 0;
        SequencedMap<String, Object> denominator = new LinkedHashMap<>();
        for (Map.Entry<String, Double> e : flopsOf(row).entrySet()) {
            Optional<Row> ceiling = flops.stream()
                    .filter(c -> c.device().equals(row.device()))
                    .filter(c -> flopsOf(c).containsKey(e.getKey()))
                    .findFirst();
            if (ceiling.isEmpty()) {
                return Optional.empty();
            }
            double rate = value(ceiling.get(), Tags.RATE_FLOPS.path()).orElseThrow();
            seconds += e.getValue() / rate;
            denominator.put(e.getKey(), rate);
            describe(denominator, ceiling.get(), "FLOP/s");
        }
        return seconds == 0
                ? Optional.empty()
                : Optional.of(
                        new Limit(seconds, String.join(" and ", flopsOf(row).keySet()), denominator));
    }

    private Optional<Limit> byteLimit(Row row) {
        double total = reads(row) + writes(row);
        if (total == 0) {
            return Optional.empty();
        }
        double mix = mix(row);
        return bytes.stream()
                .filter(c -> c.device().equals(row.device()))
                .min((a, b) -> Double.compare(Math.abs(mix(a) - mix), Math.abs(mix(b) - mix)))
                .map(ceiling -> {
                    double rate = value(ceiling, Tags.RATE_BYTES.path()).orElseThrow();
                    SequencedMap<String, Object> denominator = new LinkedHashMap<>();
                    denominator.put("value", rate);
                    denominator.put("read_share", mix(ceiling));
                    denominator.put("read_share_of_row", mix);
                    describe(denominator, ceiling, "B/s");
                    String what = String.format(
                            java.util.Locale.ROOT,
                            "bytes (ceiling with %.0f %% reads, row %.0f %%)",
                            100 * mix(ceiling),
                            100 * mix);
                    return new Limit(total / rate, what, denominator);
                });
    }

    private static void describe(SequencedMap<String, Object> denominator, Row ceiling, String unit) {
        denominator.put("unit", unit);
        denominator.put("source", Source.MEASURED.tag());
        denominator.put("kernel", ceiling.kernel());
        denominator.put("problem", ceiling.problem());
    }

    /** Reads over all bytes. */
    private static double mix(Row row) {
        return reads(row) / (reads(row) + writes(row));
    }

    private static double reads(Row row) {
        return row.work().get("reads") instanceof Number n ? n.doubleValue() : 0;
    }

    private static double writes(Row row) {
        return row.work().get("writes") instanceof Number n ? n.doubleValue() : 0;
    }

    private static SequencedMap<String, Double> flopsOf(Row row) {
        SequencedMap<String, Double> out = new LinkedHashMap<>();
        if (row.work().get("flops") instanceof Map<?, ?> map) {
            map.forEach((k, v) -> {
                if (k instanceof String name && v instanceof Number n && n.doubleValue() > 0) {
                    out.put(name, n.doubleValue());
                }
            });
        }
        return out;
    }

    private static Optional<Double> value(Row row, String tag) {
        return Optional.ofNullable(row.metrics().get(tag)).map(Metric::value);
    }
}
