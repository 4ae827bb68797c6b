package dev.panamark.device.gpu;

import dev.panamark.device.Counted;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Theoretical occupancy as the driver calculates it: blocks that a multiprocessor (CU) holds at once, in warps (waves), over
 * the most that it holds (CUDA C++ Best Practices Guide, "Calculating Occupancy").
 *
 * @param kernel its name
 * @param blocks that a unit holds at once, by the driver
 * @param threads of a block
 * @param shared bytes of shared memory of a block, all of it
 */
public record ResidentBlocks(String kernel, int blocks, int threads, long shared) {
    /**
     * What a unit holds at most; 0 where the driver does not tell.
     *
     * @param warp threads of a warp
     * @param threads of all its blocks
     * @param shared bytes
     * @param blocks of any size
     */
    public record Unit(int warp, int threads, long shared, int blocks) {}

    /**
     * The occupancy of a unit.
     *
     * @param words what messages call warps and a unit: {@code warps a multiprocessor}
     */
    public Counted.Occupancy of(Unit unit, String words) {
        int warps = (threads + unit.warp() - 1) / unit.warp();
        int most = unit.threads() / unit.warp();
        return new Counted.Occupancy(
                (double) blocks * warps / most,
                limiter(unit, warps),
                kernel + ": " + blocks + " blocks of " + warps + " " + words + ", by the driver");
    }

    /** What a further block would exceed, from what the driver tells of kernel and device. */
    private String limiter(Unit unit, int warps) {
        long more = blocks + 1L;
        SequencedMap<String, Boolean> limits = new LinkedHashMap<>();
        limits.put("warps", exceeds(more * warps * unit.warp(), unit.threads()));
        limits.put("shared memory", exceeds(more * shared, unit.shared()));
        limits.put("blocks", exceeds(more, unit.blocks()));
        return limits.entrySet().stream()
                .filter(Map.Entry::getValue)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("registers");
    }

    /** Never, where the driver does not tell the limit. */
    private static boolean exceeds(long wanted, long most) {
        return most > 0 && wanted > most;
    }
}
