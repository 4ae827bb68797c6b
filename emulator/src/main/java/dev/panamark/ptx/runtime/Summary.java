package dev.panamark.ptx.runtime;

import dev.panamark.ptx.Counts;
import dev.panamark.ptx.count.SectorSet;
import dev.panamark.ptx.ir.InstructionClass;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Site;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Adds up what the threads of a launch counted. */
final class Summary {
    private final KernelCode code;
    private final long[] instructions;
    private final long[] lanes;
    private final long[] branches;
    private final long[] divergences;

    private Summary(KernelCode code) {
        this.code = code;
        int sites = code.sites().size();
        instructions = new long[sites];
        lanes = new long[sites];
        branches = new long[sites];
        divergences = new long[sites];
    }

    /** A line while it is summed: numbers in the order of {@link Counts.Line}. */
    private static final class Sum {
        final long[] values = new long[12];

        Counts.Line line(String place) {
            return new Counts.Line(
                    place,
                    values[0],
                    values[1],
                    values[2],
                    values[3],
                    values[4],
                    values[5],
                    values[6],
                    values[7],
                    values[8],
                    values[9],
                    values[10],
                    values[11]);
        }
    }

    static Counts of(KernelCode code, List<SegmentCounts> all) {
        Summary summary = new Summary(code);
        for (SegmentCounts counts : all) {
            counts.settle();
            summary.segments(counts);
        }
        return summary.counts(all);
    }

    private void segments(SegmentCounts counts) {
        for (Segment segment : code.segments()) {
            long executions = counts.executions[segment.index()];
            if (executions == 0) {
                continue;
            }
            long lanesOf = Integer.SIZE * executions - counts.missing[segment.index()];
            Set<Integer> seen = new HashSet<>();
            for (Op op : segment.ops()) {
                if (op.site().kind() != InstructionClass.NONE
                        && seen.add(op.site().index())) {
                    instructions[op.site().index()] += executions;
                    lanes[op.site().index()] += op.guard() == null ? lanesOf : 0;
                }
            }
            Site last = segment.exit().site();
            boolean counted = !(segment.exit() instanceof Segment.Jump jump && !jump.counted());
            if (counted && last.kind() != InstructionClass.NONE && seen.add(last.index())) {
                instructions[last.index()] += executions;
                lanes[last.index()] += lanesOf;
            }
            if (segment.exit() instanceof Segment.Branch) {
                branches[last.index()] += executions;
                divergences[last.index()] += counts.divergences[segment.index()];
            }
        }
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] += counts.guardedLanes[i];
        }
    }

    private Counts counts(List<SegmentCounts> all) {
        Map<String, Long> byClass = new TreeMap<>();
        Map<String, Long> flops = new TreeMap<>();
        Map<String, Sum> lines = new LinkedHashMap<>();
        Sum total = new Sum();
        for (Site site : code.sites()) {
            int i = site.index();
            if (instructions[i] == 0 && branches[i] == 0) {
                continue;
            }
            if (instructions[i] != 0) {
                byClass.merge(site.kind().name().toLowerCase(Locale.ROOT), instructions[i], Long::sum);
            }
            long operations = lanes[i] * site.flops();
            String flopClass = site.flopClass();
            if (flopClass != null && operations != 0) {
                flops.merge(flopClass, operations, Long::sum);
            }
            String place = site.source() == null
                    ? "ptx:" + site.at().line()
                    : site.source().toString();
            for (Sum sum : List.of(total, lines.computeIfAbsent(place, key -> new Sum()))) {
                add(sum, site, operations, all);
            }
        }
        SectorSet read = new SectorSet();
        SectorSet written = new SectorSet();
        long divergentBarriers = 0;
        for (SegmentCounts counts : all) {
            read.add(counts.read);
            written.add(counts.written);
            divergentBarriers += counts.divergentBarriers;
        }
        return new Counts(
                Map.copyOf(byClass),
                total.line("all"),
                Map.copyOf(flops),
                read.bytes(),
                read.bytesWithout(written),
                written.bytes(),
                divergentBarriers,
                lines.entrySet().stream()
                        .map(e -> e.getValue().line(e.getKey()))
                        .toList(),
                "");
    }

    private void add(Sum sum, Site site, long operations, List<SegmentCounts> all) {
        int i = site.index();
        long[] v = sum.values;
        v[0] += instructions[i];
        v[1] += lanes[i];
        v[2] += operations;
        for (SegmentCounts counts : all) {
            v[3] += counts.sharedRequests[i];
            v[4] += counts.wavefronts[i];
            v[5] += counts.idealWavefronts[i];
            v[6] += counts.globalRequests[i];
            v[7] += counts.sectors[i];
        }
        v[8] += branches[i];
        v[9] += divergences[i];
        v[10] += site.kind() == InstructionClass.BARRIER ? instructions[i] : 0;
        v[11] += site.kind() == InstructionClass.ATOMIC ? instructions[i] : 0;
    }
}
