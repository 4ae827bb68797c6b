package dev.panamark.finding;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * Why launches are held back: how many of their blocks fit a unit, and where bank conflicts come from.
 *
 * @param launches one after the other
 * @param conflicts of the last block of each launch, those that cost most first
 * @param overlooked accesses to shared memory that were too different from each other to be looked at
 */
public record Explanation(List<Residency> launches, List<BankConflict> conflicts, long overlooked) {

    /** Copies. */
    public Explanation {
        launches = List.copyOf(launches);
        conflicts = List.copyOf(conflicts);
    }

    /**
     * How many blocks of a launch a unit (SM) holds.
     *
     * @param threads of a block
     * @param registers of a thread
     * @param note where that number comes from
     * @param shared bytes of a block, static and dynamic
     * @param blocks that each resource has room for, by its name
     * @param limiter the resource with the least room
     * @param share of the unit's warps
     * @param oneMore what a block must do with for one more to fit, each with the resource and what it has now
     */
    public record Residency(
            String entry,
            long threads,
            int registers,
            String note,
            long shared,
            SequencedMap<String, Long> blocks,
            String limiter,
            double share,
            List<String> oneMore) {

        /** Copies, keeping the order. */
        public Residency {
            blocks = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(blocks));
            oneMore = List.copyOf(oneMore);
        }
    }

    /**
     * Bank conflicts of one line in one block.
     *
     * @param line {@code file:line}
     * @param together other lines that access the same array
     * @param requests of warps at the line
     * @param excess wavefronts beyond the ideal
     * @param bytes of a lane
     * @param load whether it reads only
     * @param first byte of the array in shared memory, and the byte after its last
     * @param banks those that take the most wavefronts in the worst access
     * @param alike further banks that take as many
     * @param remedies other layouts, each tried by counting all accesses to the array again
     */
    public record BankConflict(
            String kernel,
            String line,
            List<String> together,
            long requests,
            long excess,
            int bytes,
            boolean load,
            long first,
            long last,
            List<Bank> banks,
            int alike,
            List<Remedy> remedies) {

        /** Copies. */
        public BankConflict {
            together = List.copyOf(together);
            banks = List.copyOf(banks);
            remedies = List.copyOf(remedies);
        }
    }

    /**
     * A bank in the worst phase of an access.
     *
     * @param lanes that want it, a bit each
     * @param words of 4 bytes that they want there: wavefronts
     */
    public record Bank(int bank, int lanes, int words) {}

    /**
     * Another layout of an array's rows.
     *
     * @param rowBytes of a row as it is
     * @param pad bytes after each row; 0 for a swizzle
     * @param piece bytes that stay together in a swizzle, in which the number of a piece in its row is XORed with
     *     {@code (row / repeat) % period}
     * @param before wavefronts beyond the ideal of the array
     * @param after the same with this layout
     */
    public record Remedy(int rowBytes, int pad, int piece, int repeat, int period, long before, long after) {}
}
