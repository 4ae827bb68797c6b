package dev.panamark.measure;

import dev.panamark.device.Counted;
import dev.panamark.ffi.Availability;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** What a counted launch says in a row. */
final class CountMetrics {
    /** Lines of the program that a row names. */
    private static final int LINES = 20;

    private CountMetrics() {}

    /** Adds all of them; {@code noTime} says why there is no time. */
    static void add(Row.Builder row, Counted counted, String noTime) {
        row.metric(Tags.TIME_MEDIAN, Tags.TIME_MEDIAN.missing(noTime + "; see time/bound"));
        switch (counted.bound()) {
            case Availability.Available<Counted.Bound>(Counted.Bound bound) ->
                row.metric(
                        Tags.TIME_BOUND,
                        Tags.TIME_BOUND
                                .value(bound.seconds(), Source.COMPUTED)
                                .withNote("limited by " + bound.limiter()
                                        + "; nothing in a cache before the first launch"));
            case Availability.Unavailable<Counted.Bound> none ->
                row.metric(Tags.TIME_BOUND, Tags.TIME_BOUND.missing(none.text()));
        }
        switch (counted.occupancy()) {
            case Availability.Available<Counted.Occupancy>(Counted.Occupancy occupancy) ->
                row.metric(
                        Tags.OCCUPANCY_THEORETICAL,
                        Tags.OCCUPANCY_THEORETICAL
                                .value(occupancy.share(), Source.COMPUTED)
                                .withNote("limited by " + occupancy.limiter() + "; " + occupancy.note()));
            case Availability.Unavailable<Counted.Occupancy> none ->
                row.metric(Tags.OCCUPANCY_THEORETICAL, Tags.OCCUPANCY_THEORETICAL.missing(none.text()));
        }
        accesses(row, counted);
        emulated(row, Tags.EXECUTED_INSTRUCTIONS, counted.instructions());
        long flops =
                counted.flops().values().stream().mapToLong(Long::longValue).sum();
        Metric executed = Tags.EXECUTED_FLOPS.value((double) flops, Source.EMULATED);
        row.metric(
                Tags.EXECUTED_FLOPS,
                counted.flops().isEmpty()
                        ? executed
                        : executed.withDetail("by_class", new LinkedHashMap<>(counted.flops())));
    }

    private static void accesses(Row.Builder row, Counted counted) {
        if (counted.atomics() > 0) {
            String why = counted.atomics() + " atomic operations of warps are not among the accesses that are counted,"
                    + " so the sum is not known";
            for (Tag tag : List.of(
                    Tags.SHARED_WAVEFRONTS,
                    Tags.SHARED_IDEAL,
                    Tags.SHARED_CONFLICTS,
                    Tags.GLOBAL_SECTORS_PER_REQUEST)) {
                row.metric(tag, tag.missing(why));
            }
            return;
        }
        Counted.Shared shared = counted.shared();
        emulated(row, Tags.SHARED_WAVEFRONTS, shared.wavefronts());
        emulated(row, Tags.SHARED_IDEAL, shared.ideal());
        row.metric(
                Tags.SHARED_CONFLICTS,
                Tags.SHARED_CONFLICTS
                        .value((double) shared.excess(), Source.EMULATED)
                        .withDetail("lines", lines(counted)));
        Counted.Global global = counted.global();
        row.metric(
                Tags.GLOBAL_SECTORS_PER_REQUEST,
                global.requests() == 0
                        ? Tags.GLOBAL_SECTORS_PER_REQUEST.missing("no access to global memory")
                        : Tags.GLOBAL_SECTORS_PER_REQUEST
                                .value((double) global.sectors() / global.requests(), Source.EMULATED)
                                .withDetail("requests", global.requests())
                                .withDetail("sectors", global.sectors())
                                .withDetail("distinct_sectors", global.distinct()));
    }

    private static void emulated(Row.Builder row, Tag tag, long value) {
        row.metric(tag, tag.value((double) value, Source.EMULATED));
    }

    /** As JSON values, those that cost the most first. */
    private static List<Object> lines(Counted counted) {
        List<Object> out = new ArrayList<>();
        for (Counted.Line line : counted.lines()) {
            if (out.size() < LINES && line.shared().requests() + line.global().requests() > 0) {
                SequencedMap<String, Object> one = new LinkedHashMap<>();
                one.put("line", line.place());
                one.put("instructions", line.instructions());
                one.put("shared_requests", line.shared().requests());
                one.put("shared_wavefronts", line.shared().wavefronts());
                one.put("shared_conflicts", line.shared().excess());
                one.put("global_requests", line.global().requests());
                one.put("global_sectors", line.global().sectors());
                out.add(one);
            }
        }
        return out;
    }
}
