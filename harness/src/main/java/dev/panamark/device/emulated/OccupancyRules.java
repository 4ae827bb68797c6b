package dev.panamark.device.emulated;

import dev.panamark.device.Counted;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * How many blocks an SM holds at once. Source: the CUDA Occupancy Calculator and {@code cuda_occupancy.h}: registers are
 * given to whole warps in granules, from the part of the register file that belongs to a warp's scheduler; shared memory
 * to whole blocks in granules, with what the driver reserves for each.
 */
final class OccupancyRules {
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
        long warps = divideUp(threads, limits.warpWidth());
        SequencedMap<String, Long> blocks = new LinkedHashMap<>();
        blocks.put("warps", limits.warps() / warps);
        blocks.put("blocks", (long) limits.blocks());
        blocks.put("registers", byRegisters(registers) / warps);
        blocks.put("shared memory", byShared(shared));
        long most = Long.MAX_VALUE;
        String limiter = "";
        for (var each : blocks.entrySet()) {
            if (each.getValue() < most) {
                most = each.getValue();
                limiter = each.getKey();
            }
        }
        return new Counted.Occupancy((double) (most * warps) / limits.warps(), limiter, note);
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
