package dev.panamark.kernel.reference;

import dev.panamark.kernel.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * What one output should be: at sampled elements in double precision, or, where the formula fixes every rounding, at
 * every element bit for bit.
 *
 * @param output buffer name
 * @param positions row-major positions of the elements that were computed, none twice; empty with {@code whole}
 * @param want their values in double precision; for integer outputs exact up to 2^53
 * @param plain the same formula in the output's own precision, for rule {@code twice-native}; empty where there is
 *     none
 * @param whole the bits of every element
 */
@SuppressWarnings("ArrayRecordComponent") // millions of elements; compared by nobody
public record Expectation(String output, long[] positions, double[] want, double[] plain, Optional<Whole> whole) {

    /** The right bits of any stretch of an output, made when asked for, so that no second copy of it is kept. */
    @FunctionalInterface
    public interface Whole {
        /**
         * Writes the codes of elements {@code from .. from + count - 1}, little-endian; called from several threads.
         *
         * @param into as long as {@code count} elements of the output
         */
        void bits(long from, int count, MemorySegment into);
    }

    /** Refuses arrays of different lengths. */
    public Expectation {
        if (positions.length != want.length || (plain.length != 0 && plain.length != want.length)) {
            throw new IllegalArgumentException("an expectation of " + output + " has " + positions.length
                    + " positions, " + want.length + " values and " + plain.length + " plain values");
        }
    }

    /** Sampled elements. */
    public Expectation(String output, long[] positions, double[] want, double[] plain) {
        this(output, positions, want, plain, Optional.empty());
    }

    /** Every element. */
    public static Expectation ofWhole(String output, Whole whole) {
        return new Expectation(output, new long[0], new double[0], new double[0], Optional.of(whole));
    }

    /** Every element as in a tensor of the output's type and shape, such as the output of another kernel. */
    public static Expectation sameAs(String output, Tensor tensor) {
        int bytes = tensor.type().bytes();
        return ofWhole(
                output,
                (from, count, into) -> MemorySegment.copy(tensor.data(), from * bytes, into, 0, (long) count * bytes));
    }
}
