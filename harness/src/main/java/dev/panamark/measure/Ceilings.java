package dev.panamark.measure;

import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * The ceilings that this run measured, and every other row's share of them. A row's share is that of whatever limits
 * it: the time that its flops would take at the flop ceiling of their class, or its bytes at the bandwidth ceiling of
 * the nearest read:write mix, whichever is longer, over the time it took (the roofline model: Williams, Waterman,
 * Patterson, CACM 52(4), 2009). Flops of several classes are taken to be done one class after the other.
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
            boolean byFlops = kind.equals("flops");
            if (value(row, byFlops ? Tags.RATE_FLOPS.path() : Tags.RATE_BYTES.path())
                    .isPresent()) {
                (byFlops ? flops : bytes).add(row);
            }
            return row.toBuilder()
                    .metric(Tags.UTIL_CEILING, Tags.UTIL_CEILING.missing("this row is a ceiling itself"))
                    .build();
        }
        double time = value(row, Tags.TIME_MEDIAN.path()).orElseThrow();
        Optional<String> missing = missing(row);
        if (missing.isPresent()) {
            return row.toBuilder()
                    .metric(Tags.UTIL_CEILING, Tags.UTIL_CEILING.missing(missing.get()))
                    .build();
        }
        Optional<Limit> byFlops = flopLimit(row);
        Optional<Limit> byBytes = byteLimit(row);
        Limit limit = tighter(byFlops, byBytes);
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

    private static Limit tighter(Optional<Limit> a, Optional<Limit> b) {
        return a.isPresent() && (b.isEmpty() || a.get().seconds() >= b.get().seconds()) ? a.get() : b.orElseThrow();
    }

    /** Why there is no share. With a ceiling for bytes only, a row that flops limit would look bad for no reason. */
    private Optional<String> missing(Row row) {
        List<String> lacking = new ArrayList<>(flopsOf(row).keySet());
        boolean counts = !lacking.isEmpty() || reads(row) + writes(row) > 0;
        if (!counts) {
            return Optional.of("the kernel file counts neither flops nor bytes");
        }
        lacking.removeIf(c -> flopCeiling(row, c).isPresent());
        if (reads(row) + writes(row) > 0 && here(bytes, row).findAny().isEmpty()) {
            lacking.add("bytes");
        }
        return lacking.isEmpty()
                ? Optional.empty()
                : Optional.of("no ceiling of " + String.join(" or ", lacking) + " was measured on " + row.device()
                        + " in this run; add -b 'ceiling.*'");
    }

    private static Stream<Row> here(List<Row> ceilings, Row row) {
        return ceilings.stream().filter(c -> c.device().equals(row.device()));
    }

    /** The ceiling that reached the highest rate in this class of operations. */
    private Optional<Row> flopCeiling(Row row, String kind) {
        return here(flops, row)
                .filter(c -> flopsOf(c).containsKey(kind))
                .max(Comparator.comparingDouble(c -> flopRate(c, kind)));
    }

    private static double flopRate(Row ceiling, String kind) {
        return flopsOf(ceiling).getOrDefault(kind, 0.0)
                / value(ceiling, Tags.TIME_MEDIAN.path()).orElseThrow();
    }

    private Optional<Limit> flopLimit(Row row) {
        double seconds = 0;
        SequencedMap<String, Object> denominators = new LinkedHashMap<>();
        for (Map.Entry<String, Double> e : flopsOf(row).entrySet()) {
            Row ceiling = flopCeiling(row, e.getKey()).orElseThrow();
            double rate = flopRate(ceiling, e.getKey());
            seconds += e.getValue() / rate;
            SequencedMap<String, Object> denominator = new LinkedHashMap<>();
            denominator.put("value", rate);
            describe(denominator, ceiling, "FLOP/s");
            denominators.put(e.getKey(), denominator);
        }
        return seconds == 0
                ? Optional.empty()
                : Optional.of(
                        new Limit(seconds, String.join(" and ", flopsOf(row).keySet()), denominators));
    }

    private Optional<Limit> byteLimit(Row row) {
        double total = reads(row) + writes(row);
        if (total == 0) {
            return Optional.empty();
        }
        double mix = mix(row);
        return here(bytes, row)
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
