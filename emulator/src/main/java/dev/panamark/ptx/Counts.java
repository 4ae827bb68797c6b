package dev.panamark.ptx;

import java.util.List;
import java.util.Map;

/**
 * What a launch did, counted exactly at the level of PTX: what ptxas would merge or drop is not known here. Empty
 * (all 0) without {@link LaunchOptions#counting}.
 *
 * @param instructions of warps, by class
 * @param total of the whole kernel
 * @param flops floating-point operations of threads by type, such as {@code f32}: 1 for an addition, subtraction or
 *     multiplication, 2 for a fused multiply-add, twice that for packed ones; divisions and functions count none
 * @param bytesRead of distinct 32-byte sectors of global memory that were read; {@code bytesWritten} the same; atomic
 *     operations read and write
 * @param bytesReadOnly of those that were read and not written
 * @param lines by line of the source, or of the PTX text where it names none; in order of the text
 * @param printed what the kernel's threads printed, with counting or without: the first 64 Ki characters, and how many more
 *     there were; empty where {@link LaunchOptions#printing} was given it
 */
public record Counts(
        Map<String, Long> instructions,
        Line total,
        Map<String, Long> flops,
        long bytesRead,
        long bytesReadOnly,
        long bytesWritten,
        long divergentBarriers,
        List<Line> lines,
        String printed) {
    /**
     * What one line did.
     *
     * @param place {@code file:line}, {@code ptx:line} without a source, {@code all} for the total
     * @param instructions of warps
     * @param threadInstructions of lanes whose guard was true
     * @param flops of all types
     * @param sharedRequests instructions of warps that accessed shared memory with any lane, atomic ones too
     * @param sharedWavefronts what they cost, bank conflicts included
     * @param sharedIdeal what they would without conflicts
     * @param globalRequests instructions of warps that accessed global memory with any lane, atomic ones too
     * @param globalSectors distinct sectors of each, summed
     * @param branches of warps; {@code divergentBranches} those at which lanes parted
     * @param barriers of warps
     * @param atomics of warps
     */
    public record Line(
            String place,
            long instructions,
            long threadInstructions,
            long flops,
            long sharedRequests,
            long sharedWavefronts,
            long sharedIdeal,
            long globalRequests,
            long globalSectors,
            long branches,
            long divergentBranches,
            long barriers,
            long atomics) {
        /** Wavefronts beyond the ideal: bank conflicts. */
        public long sharedConflicts() {
            return sharedWavefronts - sharedIdeal;
        }
    }

    /** Of a launch that did not count. */
    public static final Counts NONE = new Counts(
            Map.of(), new Line("all", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), Map.of(), 0, 0, 0, 0, List.of(), "");

    /** The same with what was printed. */
    public Counts printed(String text) {
        return new Counts(
                instructions, total, flops, bytesRead, bytesReadOnly, bytesWritten, divergentBarriers, lines, text);
    }
}
