package dev.panamark.kernel.check;

import java.util.List;

/**
 * The element of an output that is farthest from what it should be, measured by what its rule allows.
 *
 * @param output buffer name
 * @param position row-major
 * @param index one number for each dimension
 * @param got its value
 * @param expected the reference's value
 * @param allowed largest difference that the rule allows; 0 for {@code exact}
 */
public record Worst(String output, long position, List<Long> index, double got, double expected, double allowed) {
    /** Copies. */
    public Worst {
        index = List.copyOf(index);
    }
}
