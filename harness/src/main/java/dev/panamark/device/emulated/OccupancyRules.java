package dev.panamark.device.emulated;

import dev.panamark.device.Counted;
import dev.panamark.finding.Explanation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * How many blocks an SM holds at once. Source: the CUDA Occupancy Calculator and {@code cuda_occupancy.h}: registers are
 * given to whole warps in granules, from the part of the register file that belongs to a warp's scheduler; shared memory
 * to whole blocks in granules, with what the driver reserves for each.
 */
final class OccupancyRules {
    private static final String WARPS = "warps";
    private static final String BLOCKS = "blocks";
    private static final String REGISTERS = "registers";
    private static final String SHARED = "shared memory";

    private final Limits limits;

    OccupancyRules(Limits limits) {
        this.limits = limits;
    }

    /**
     * Computes it.
     *
     * @param threads of a block, at least 1
     * @param registers of a thread
     * @param shared bytes of a block, static and dynamic
     * @param note where {@code registers} comes from
     */
    Counted.Occupancy of(long threads, int registers, long shared, String note) {
        SequencedMap<String, Long> blocks = blocks(threads, registers, shared);
        String limiter = limiter(blocks);
        return new Counted.Occupancy(share(threads, blocks), limiter, note);
    }

    /** Blocks that each resource has room for. */
    private SequencedMap<String, Long> blocks(long threads, int registers, long shared) {
        long warps = divideUp(threads, limits.warpWidth());
        SequencedMap<String, Long> blocks = new LinkedHashMap<>();
        blocks.put(WARPS, limits.warps() / warps);
        blocks.put(BLOCKS, (long) limits.blocks());
        blocks.put(REGISTERS, byRegisters(registers) / warps);
        blocks.put(SHARED, byShared(shared));
        return blocks;
    }

    private static long fitting(SequencedMap<String, Long> blocks) {
        return blocks.values().stream().min(Long::compare).orElse(0L);
    }

    /** The first resource that has the least room. */
    private static String limiter(SequencedMap<String, Long> blocks) {
        long most = fitting(blocks);
        return blocks.entrySet().stream()
                .filter(e -> e.getValue() == most)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("");
    }

    private double share(long threads, SequencedMap<String, Long> blocks) {
        return (double) (fitting(blocks) * divideUp(threads, limits.warpWidth())) / limits.warps();
    }

    /** How many blocks of a launch fit, and what one more needs. */
    Explanation.Residency residency(Tally.Launch launch) {
        long threads = launch.threads();
        int registers = launch.registers().ofThread();
        long shared = launch.shared() + launch.kernel().sharedBytes();
        SequencedMap<String, Long> blocks = blocks(threads, registers, shared);
        return new Explanation.Residency(
                launch.kernel().name(),
                threads,
                registers,
                launch.registers().source(),
                shared,
                blocks,
                limiter(blocks),
                share(threads, blocks),
                oneMore(threads, registers, shared, fitting(blocks) + 1));
    }

    /** What a block has to do with where so many are to fit; empty where they would still be too many for the unit. */
    private List<String> oneMore(long threads, int registers, long shared, long wanted) {
        if (wanted > limits.blocks() || wanted > limits.warps()) {
            return List.of();
        }
        List<String> needs = new ArrayList<>();
        long warps = divideUp(threads, limits.warpWidth());
        long fewer = Math.min(warps, limits.warps() / wanted);
        if (fewer < warps) {
            needs.add("at most " + fewer * limits.warpWidth() + " threads a block, now " + threads);
        }
        int less = registers;
        while (less > 0 && byRegisters(less) / fewer < wanted) {
            less--;
        }
        if (less < registers) {
            needs.add("at most " + less + " registers a thread" + (fewer < warps ? " with these threads" : "")
                    + ", now " + registers);
        }
        long room = limits.sharedPerUnit() / wanted / limits.sharedGranule() * limits.sharedGranule()
                - limits.sharedReserved();
        if (shared > room) {
            needs.add("at most " + room + " bytes of shared memory a block, now " + shared);
        }
        return needs;
    }

    /** Warps that the register file has room for. */
    private long byRegisters(int registers) {
        long warp = roundUp((long) Math.max(1, registers) * limits.warpWidth(), limits.registerGranule());
        return limits.registersPerUnit() / limits.partitions() / warp * limits.partitions();
    }

    private long byShared(long shared) {
        long block = roundUp(shared + limits.sharedReserved(), limits.sharedGranule());
        return block == 0 ? Long.MAX_VALUE : limits.sharedPerUnit() / block;
    }

    private static long divideUp(long a, long b) {
        return (a + b - 1) / b;
    }

    private static long roundUp(long a, long b) {
        return divideUp(a, b) * b;
    }
}
