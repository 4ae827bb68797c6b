package dev.panamark.kernel;

import java.util.List;

/** How a buffer gets its contents. All of them are functions of the run's seed and the buffer's name alone. */
public sealed interface Fill {

    /** Normally distributed reals, rounded to the buffer's type. */
    record Normal(double mean, double stdev) implements Fill {}

    /** Uniformly distributed reals in [min, max), or whole numbers in [min, max] for an integer type. */
    record Uniform(double min, double max) implements Fill {}

    /** One value everywhere. */
    record Constant(double value) implements Fill {}

    /** {@code start + step * position}. */
    record Iota(double start, double step) implements Fill {}

    /** Sequence lengths: all {@code max} ({@code uniform} false), or uniformly drawn from [min, max]. */
    record Lengths(boolean uniform, long min, long max) implements Fill {}

    /**
     * A block table [sequences, pages]: the pages of each sequence in a pool, none used twice; entries past a
     * sequence's last page hold the buffer's {@code unused} value.
     *
     * @param lens name of the buffer of lengths
     * @param page tokens of a page
     * @param random whether pages lie scattered in the pool or in order
     */
    record PageTable(String lens, long page, boolean random) implements Fill {}

    /**
     * Scales: for each element, the largest magnitude of {@code buffer}'s reals over all dimensions but {@code dims},
     * divided by {@code max}; or 1 everywhere.
     *
     * @param buffer the buffer that is scaled
     * @param max the magnitude that the largest real becomes; 0 for scales of 1, which leave the reals as they are
     * @param dims for each dimension of this buffer, the dimension of {@code buffer} that it runs along; an extent of 1
     *     is a scale that all along it share
     */
    record AmaxOf(String buffer, double max, List<Integer> dims) implements Fill {
        /** Copies. */
        public AmaxOf {
            dims = List.copyOf(dims);
        }
    }

    /** Uniformly random bits, every pattern of the type alike. */
    record Bits() implements Fill {}
}
