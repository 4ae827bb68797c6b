package dev.panamark.ptx.count;

import java.util.List;

/**
 * Bank conflicts of the accesses of one kind at one line, in the last block of each launch.
 *
 * @param line with the conflicts
 * @param together other lines that access the same part of shared memory, which a change of its layout concerns
 * @param requests of warps at this line
 * @param excess wavefronts of this line beyond the ideal
 * @param bytes of a lane
 * @param load whether it reads; else it writes, or both at once
 * @param first bytes from the beginning of shared memory of that part; {@code last} the byte after it
 * @param banks of the worst access: those that take the most wavefronts
 * @param alike further banks that take as many
 * @param remedies that leave fewer conflicts in that part, the best of each kind; none where neither kind helps
 */
public record BankConflicts(
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

    /**
     * A bank in one phase of an access.
     *
     * @param bank 0 to 31
     * @param lanes that want it, a bit each
     * @param words of 4 bytes in it that they want: as many wavefronts
     */
    public record Bank(int bank, int lanes, int words) {}

    /**
     * Another layout of rows.
     *
     * @param rowBytes of a row as it is
     * @param pad bytes after each row; 0 for a swizzle
     * @param piece bytes that stay together in a swizzle; 0 for padding
     * @param period the number of a piece in its row is XORed with {@code (row / repeat) % period}
     * @param before wavefronts beyond the ideal of all lines in that part of shared memory, in the block
     * @param after the same with this layout, by counting all their accesses again
     */
    public record Remedy(int rowBytes, int pad, int piece, int repeat, int period, long before, long after) {}
}
