package dev.panamark.worker;

import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;

/**
 * Gives rows of one device that were timed the counts of their launches, by the first way that has them: counters read in
 * a worker, counters read by a program, the emulator's counts.
 */
final class HardwareCounts {
    /** What counters tell on every kind of device; reasons for stalls are known by the counters alone. */
    private static final List<Tag> COUNTS = List.of(
            Tags.OCCUPANCY_ACHIEVED,
            Tags.SHARED_REQUESTS,
            Tags.SHARED_WAVEFRONTS,
            Tags.SHARED_IDEAL,
            Tags.SHARED_CONFLICTS,
            Tags.SHARED_INSTRUCTION_WAVEFRONTS,
            Tags.SHARED_CONFLICT_CYCLES_SHARE,
            Tags.STALL_SHORT_SCOREBOARD,
            Tags.STALL_MIO_THROTTLE,
            Tags.GLOBAL_SECTORS_PER_REQUEST,
            Tags.L2_HIT_RATE,
            Tags.DRAM_READ,
            Tags.DRAM_WRITTEN,
            Tags.TENSOR_ACTIVE,
            Tags.EXECUTED_FLOPS,
            Tags.EXECUTED_INSTRUCTIONS);

    /** Of these, what an emulator counts like a device; times and caches are its own. */
    private static final List<Tag> EMULATED = List.of(
            Tags.SHARED_REQUESTS,
            Tags.SHARED_WAVEFRONTS,
            Tags.SHARED_IDEAL,
            Tags.SHARED_CONFLICTS,
            Tags.GLOBAL_SECTORS_PER_REQUEST,
            Tags.EXECUTED_FLOPS,
            Tags.EXECUTED_INSTRUCTIONS);

    private final List<Named> ways;

    /**
     * A way, and how reasons name it.
     *
     * @param name for whoever reads why it did not do
     * @param way that is tried
     * @param emulates whether its counts are an emulator's
     */
    record Named(String name, CountingWay way, boolean emulates) {}

    /** In the order in which they are tried. */
    HardwareCounts(List<Named> ways) {
        this.ways = List.copyOf(ways);
    }

    /** Whether a row was timed, so that it is worth knowing what its launches do. */
    static boolean wanted(Row row) {
        Metric time = row.metric(Tags.TIME_MEDIAN);
        return time != null && time.value() != null;
    }

    /**
     * Counts.
     *
     * @param timed rows, in the order of {@code jobs}
     */
    List<Row> added(List<Row> timed, List<CountingWay.Job> jobs) {
        List<Row> out = new ArrayList<>(timed);
        List<Integer> left = new ArrayList<>();
        List<List<String>> reasons = new ArrayList<>();
        for (int i = 0; i < timed.size(); i++) {
            reasons.add(new ArrayList<>());
            if (wanted(timed.get(i))) {
                left.add(i);
            }
        }
        for (Named named : ways) {
            if (left.isEmpty()) {
                break;
            }
            List<Row> counted = named.way().count(left.stream().map(jobs::get).toList());
            List<Integer> still = new ArrayList<>();
            for (int k = 0; k < left.size(); k++) {
                int i = left.get(k);
                Row counts = counted.get(k);
                if (counts.status() == Status.OK) {
                    out.set(i, with(timed.get(i), counts, named, reasons.get(i)));
                } else {
                    reasons.get(i).add(named.name() + ": " + counts.reason());
                    still.add(i);
                }
            }
            left = still;
        }
        for (int i : left) {
            out.set(i, without(timed.get(i), String.join("; ", reasons.get(i))));
        }
        return out;
    }

    private static Row with(Row timed, Row counts, Named named, List<String> reasons) {
        Row.Builder out = timed.toBuilder();
        SequencedMap<String, Object> run = new LinkedHashMap<>(timed.run());
        if (named.emulates()) {
            String instead = String.join("; ", reasons);
            COUNTS.forEach(tag -> out.metric(
                    tag,
                    EMULATED.contains(tag)
                            ? Objects.requireNonNullElseGet(counts.metric(tag), () -> tag.missing(instead))
                            : tag.missing(instead)));
            out.flag("counted by the emulator (" + named.name() + "), because counters cannot be read: " + instead);
            run.put("counters", new LinkedHashMap<>(Map.of("by", named.name())));
        } else {
            counts.metrics().forEach(out::metric);
            counts.run().forEach(run::putIfAbsent);
        }
        return out.run(run).build();
    }

    private static Row without(Row timed, String why) {
        Row.Builder out = timed.toBuilder();
        COUNTS.forEach(tag -> out.metric(tag, tag.missing(why)));
        return out.build();
    }

    void interrupt() {
        ways.forEach(named -> named.way().interrupt());
    }
}
