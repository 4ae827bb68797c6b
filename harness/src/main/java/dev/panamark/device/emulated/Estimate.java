package dev.panamark.device.emulated;

import dev.panamark.ptx.Counts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** What a whole launch would count, from what some of its blocks did: the same for each block on average. */
final class Estimate {
    private Estimate() {}

    /**
     * Of all blocks.
     *
     * @param parts of the blocks that ran
     * @param factor all blocks over those
     * @return without bytes: blocks share sectors, and how many is not known
     */
    static Counts of(List<Counts> parts, double factor) {
        SequencedMap<String, Long> instructions = new LinkedHashMap<>();
        SequencedMap<String, Long> flops = new LinkedHashMap<>();
        SequencedMap<String, Counts.Line> lines = new LinkedHashMap<>();
        List<Counts.Line> totals = new ArrayList<>();
        long divergent = 0;
        for (Counts part : parts) {
            part.instructions().forEach((kind, n) -> instructions.merge(kind, n, Long::sum));
            part.flops().forEach((type, n) -> flops.merge(type, n, Long::sum));
            part.lines().forEach(line -> lines.merge(line.place(), line, Estimate::sum));
            totals.add(part.total());
            divergent += part.divergentBarriers();
        }
        return new Counts(
                scaled(instructions, factor),
                scaled(totals.stream().reduce(Estimate::sum).orElseThrow(), factor),
                scaled(flops, factor),
                0,
                0,
                0,
                scaled(divergent, factor),
                lines.values().stream().map(line -> scaled(line, factor)).toList(),
                parts.stream().map(Counts::printed).collect(Collectors.joining()));
    }

    private static Map<String, Long> scaled(Map<String, Long> counts, double factor) {
        SequencedMap<String, Long> out = new LinkedHashMap<>();
        counts.forEach((key, n) -> out.put(key, scaled(n, factor)));
        return out;
    }

    private static long scaled(long n, double factor) {
        return Math.round(n * factor);
    }

    private static Counts.Line scaled(Counts.Line l, double factor) {
        return new Counts.Line(
                l.place(),
                scaled(l.instructions(), factor),
                scaled(l.threadInstructions(), factor),
                scaled(l.flops(), factor),
                scaled(l.sharedRequests(), factor),
                scaled(l.sharedWavefronts(), factor),
                scaled(l.sharedIdeal(), factor),
                scaled(l.globalRequests(), factor),
                scaled(l.globalSectors(), factor),
                scaled(l.branches(), factor),
                scaled(l.divergentBranches(), factor),
                scaled(l.barriers(), factor),
                scaled(l.atomics(), factor));
    }

    private static Counts.Line sum(Counts.Line a, Counts.Line b) {
        return new Counts.Line(
                a.place(),
                a.instructions() + b.instructions(),
                a.threadInstructions() + b.threadInstructions(),
                a.flops() + b.flops(),
                a.sharedRequests() + b.sharedRequests(),
                a.sharedWavefronts() + b.sharedWavefronts(),
                a.sharedIdeal() + b.sharedIdeal(),
                a.globalRequests() + b.globalRequests(),
                a.globalSectors() + b.globalSectors(),
                a.branches() + b.branches(),
                a.divergentBranches() + b.divergentBranches(),
                a.barriers() + b.barriers(),
                a.atomics() + b.atomics());
    }
}
