package dev.panamark.kernel;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Extents of a buffer, outermost first, row-major.
 *
 * @param dims each at least 0; an empty list is a scalar
 */
public record Shape(List<Long> dims) {
    /** Copies; refuses a negative extent and a count beyond 2^63-1 (ArithmeticException). */
    public Shape {
        dims = List.copyOf(dims);
        for (long d : dims) {
            if (d < 0) {
                throw new IllegalArgumentException("extent " + d + " in " + dims + " is negative");
            }
        }
        count(dims);
    }

    /** The shape with these extents. */
    public static Shape of(long... dims) {
        return new Shape(java.util.Arrays.stream(dims).boxed().toList());
    }

    /** Number of elements. */
    public long elements() {
        return count(dims);
    }

    /** Extent of one dimension, counted from 0, outermost first. */
    public long dim(int i) {
        return dims.get(i);
    }

    /** Number of dimensions. */
    public int rank() {
        return dims.size();
    }

    /** Row-major position of an element. */
    public long offset(long... index) {
        long at = 0;
        for (int i = 0; i < index.length; i++) {
            at = at * dims.get(i) + index[i];
        }
        return at;
    }

    /** The index of the element at a row-major position. */
    public List<Long> index(long offset) {
        Long[] out = new Long[dims.size()];
        for (int i = dims.size() - 1; i >= 0; i--) {
            out[i] = offset % dims.get(i);
            offset /= dims.get(i);
        }
        return List.of(out);
    }

    @Override
    public String toString() {
        return dims.stream().map(String::valueOf).collect(Collectors.joining("x", "[", "]"));
    }

    private static long count(List<Long> dims) {
        if (dims.contains(0L)) {
            return 0;
        }
        long n = 1;
        for (long d : dims) {
            n = Math.multiplyExact(n, d);
        }
        return n;
    }
}
