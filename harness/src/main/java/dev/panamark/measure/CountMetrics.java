package dev.panamark.measure;

import dev.panamark.device.Counted;
import dev.panamark.ffi.Availability;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import dev.panamark.stats.MeanInterval;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.ToDoubleFunction;

/** What a counted launch says in a row. Where only some blocks ran, its numbers are estimates with an interval. */
final class CountMetrics {
    /** Lines of the program that a row names. */
    private static final int LINES = 20;

    private final Row.Builder row;
    private final Counted counted;

    private CountMetrics(Row.Builder row, Counted counted) {
        this.row = row;
        this.counted = counted;
    }

    /** Adds all of them; {@code noTime} says why there is no time. */
    static void add(Row.Builder row, Counted counted, String noTime) {
        CountMetrics metrics = new CountMetrics(row, counted);
        row.metric(Tags.TIME_MEDIAN, Tags.TIME_MEDIAN.missing(noTime + "; see time/bound"));
        row.metric(Tags.TIME_BOUND, metrics.bound());
        row.metric(Tags.OCCUPANCY_THEORETICAL, occupancy(counted.occupancy()));
        metrics.accesses();
        row.metric(Tags.EXECUTED_INSTRUCTIONS, metrics.emulated(Tags.EXECUTED_INSTRUCTIONS, Counted::instructions));
        Metric executed = metrics.emulated(Tags.EXECUTED_FLOPS, CountMetrics::flops);
        row.metric(
                Tags.EXECUTED_FLOPS,
                counted.flops().isEmpty()
                        ? executed
                        : executed.withDetail("by_class", new LinkedHashMap<>(counted.flops())));
    }

    private static double flops(Counted counted) {
        return counted.flops().values().stream().mapToLong(Long::longValue).sum();
    }

    private Metric bound() {
        return switch (counted.bound()) {
            case Availability.Available<Counted.Bound>(Counted.Bound bound) -> bound(bound);
            case Availability.Unavailable<Counted.Bound> none -> Tags.TIME_BOUND.missing(none.text());
        };
    }

    private Metric bound(Counted.Bound bound) {
        String limiter = "limited by " + bound.limiter();
        if (counted.sampled().isEmpty()) {
            return Tags.TIME_BOUND
                    .value(bound.seconds(), Source.COMPUTED)
                    .withNote(limiter + "; nothing in a cache before the first launch");
        }
        double half = half(CountMetrics::seconds);
        if (bound.seconds() <= half) {
            return Tags.TIME_BOUND.missing("the blocks that ran give no bound: what memory must move is not known from"
                    + " them, and the estimate of the rest is no larger than its uncertainty; more blocks may");
        }
        return Tags.TIME_BOUND
                .value(bound.seconds() - half, Source.COMPUTED)
                .withCi95(bound.seconds() - half, bound.seconds() + half)
                .withNote(limiter + ", what memory must move left out; the lower end of the estimate's 95 % interval");
    }

    private static double seconds(Counted counted) {
        return counted.bound() instanceof Availability.Available<Counted.Bound>(Counted.Bound bound)
                ? bound.seconds()
                : 0;
    }

    /** Theoretical occupancy, or why it is not known. */
    static Metric occupancy(Availability<Counted.Occupancy> found) {
        return switch (found) {
            case Availability.Available<Counted.Occupancy>(Counted.Occupancy occupancy) ->
                Tags.OCCUPANCY_THEORETICAL
                        .value(occupancy.share(), Source.COMPUTED)
                        .withNote("limited by " + occupancy.limiter() + "; " + occupancy.note());
            case Availability.Unavailable<Counted.Occupancy> none -> Tags.OCCUPANCY_THEORETICAL.missing(none.text());
        };
    }

    private void accesses() {
        row.metric(
                Tags.SHARED_REQUESTS,
                emulated(Tags.SHARED_REQUESTS, c -> c.shared().requests()));
        row.metric(
                Tags.SHARED_WAVEFRONTS,
                emulated(Tags.SHARED_WAVEFRONTS, c -> c.shared().wavefronts()));
        row.metric(
                Tags.SHARED_IDEAL, emulated(Tags.SHARED_IDEAL, c -> c.shared().ideal()));
        row.metric(
                Tags.SHARED_CONFLICTS,
                emulated(Tags.SHARED_CONFLICTS, c -> c.shared().excess()).withDetail("lines", lines()));
        Counted.Global global = counted.global();
        if (global.requests() == 0) {
            row.metric(
                    Tags.GLOBAL_SECTORS_PER_REQUEST,
                    Tags.GLOBAL_SECTORS_PER_REQUEST.missing("no access to global memory"));
            return;
        }
        Metric sectors = emulated(Tags.GLOBAL_SECTORS_PER_REQUEST, CountMetrics::sectorsPerRequest)
                .withDetail("requests", global.requests())
                .withDetail("sectors", global.sectors());
        // Blocks share sectors; how many is not known where only some ran.
        row.metric(
                Tags.GLOBAL_SECTORS_PER_REQUEST,
                counted.sampled().isPresent() ? sectors : sectors.withDetail("distinct_sectors", global.distinct()));
    }

    private static double sectorsPerRequest(Counted counted) {
        Counted.Global global = counted.global();
        return (double) global.sectors() / Math.max(1, global.requests());
    }

    private Metric emulated(Tag tag, ToDoubleFunction<Counted> value) {
        double all = value.applyAsDouble(counted);
        Optional<Counted.Sampled> sampled = counted.sampled();
        if (sampled.isEmpty()) {
            return tag.value(all, Source.EMULATED);
        }
        double half = half(value);
        return tag.value(all, Source.COMPUTED)
                .withCi95(Math.max(0, all - half), all + half)
                .withN(sampled.get().ran())
                .withNote("estimated from " + sampled.get().ran() + " of "
                        + sampled.get().of() + " blocks");
    }

    /** Half of the 95 % interval of an estimate, from what groups of blocks say; blocks that ran are certain. */
    private double half(ToDoubleFunction<Counted> value) {
        Counted.Sampled sampled = counted.sampled().orElseThrow();
        double[] groups = sampled.groups().stream().mapToDouble(value).toArray();
        double left = 1 - (double) sampled.ran() / sampled.of();
        return MeanInterval.independent(groups).half() * Math.sqrt(left);
    }

    /** As JSON values, those that cost the most first. */
    private List<Object> lines() {
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
