package dev.panamark.kernel;

/**
 * Extents of a grid (in blocks), a block (in threads) or a cluster (in blocks).
 *
 * @param x fastest, at least 1
 * @param y at least 1
 * @param z slowest, at least 1
 */
public record Dim3(long x, long y, long z) {
    /** Refuses an extent below 1. */
    public Dim3 {
        if (x < 1 || y < 1 || z < 1) {
            throw new IllegalArgumentException("extents must be at least 1, not " + x + "x" + y + "x" + z);
        }
    }

    /** All of them together; ArithmeticException beyond 2^63-1. */
    public long count() {
        return Math.multiplyExact(Math.multiplyExact(x, y), z);
    }

    /** {@code 8x4}: without extents of 1 at the end. */
    @Override
    public String toString() {
        return x + (y > 1 || z > 1 ? "x" + y : "") + (z > 1 ? "x" + z : "");
    }
}
