package dev.panamark.kernel;

import dev.panamark.kernel.format.DataType;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A buffer of one kernel for one problem.
 *
 * @param name as in the kernel file
 * @param type element type
 * @param shape extents; at least one element
 * @param role what the kernel does with it
 * @param fill its contents before a launch; empty for outputs and scratch, which are poisoned
 * @param scale name of the buffer of scales by which the reals were divided before rounding to {@code type}
 * @param paging for a pool of pages: which table and which dimensions say what is in use
 * @param unused the value of elements that no sequence uses (table entries past the end, free pages and slots)
 * @param check how the output is accepted; for outputs and inouts only
 * @param packed numbers that an element holds: 1, or 2 codes of four bits in a u8, the first of them in the low bits,
 *     each stored plus 8; the last extent counts elements
 * @param restored whether an inout gets its contents back before each launch; false where the next launch writes the
 *     same over what the one before wrote
 */
public record Buffer(
        String name,
        DataType type,
        Shape shape,
        Role role,
        Optional<Fill> fill,
        Optional<String> scale,
        Optional<Paging> paging,
        OptionalDouble unused,
        Optional<OutputCheck> check,
        int packed,
        boolean restored) {

    /** A buffer with one number in each element. */
    public Buffer(
            String name,
            DataType type,
            Shape shape,
            Role role,
            Optional<Fill> fill,
            Optional<String> scale,
            Optional<Paging> paging,
            OptionalDouble unused,
            Optional<OutputCheck> check) {
        this(name, type, shape, role, fill, scale, paging, unused, check, 1, true);
    }

    /** What a kernel does with a buffer. */
    public enum Role {
        /** Read only; a kernel that changes it is wrong. */
        INPUT,
        /** Written only, every element. */
        OUTPUT,
        /** Read and written. */
        INOUT,
        /** Working memory; not checked. */
        SCRATCH
    }

    /**
     * How a pool of pages is addressed.
     *
     * @param table name of the block table
     * @param pageDim dimension that counts pages
     * @param slotDim dimension that counts the tokens of a page
     */
    public record Paging(String table, int pageDim, int slotDim) {}

    /** Bytes it takes. */
    public long bytes() {
        return Math.multiplyExact(shape.elements(), type.bytes());
    }

    /** Whether it stands for reals: as floating-point numbers, or as whole numbers that a scale makes reals of. */
    public boolean holdsReals() {
        return type.floating() || scale.isPresent();
    }

    /** Whether a launch spoils it for the next one, so that it is restored in between, outside the timing. */
    public boolean needsRestore() {
        return role == Role.INOUT && restored;
    }

    /** Whether its contents after a launch are checked. */
    public boolean isOutput() {
        return role == Role.OUTPUT || role == Role.INOUT;
    }
}
