package dev.panamark.ptx;

/** Three sizes or three coordinates. */
public record Extent(int x, int y, int z) {
    /** {@code x} in the first dimension and 1 in the others. */
    public static Extent of(int x) {
        return new Extent(x, 1, 1);
    }

    public static Extent of(int x, int y) {
        return new Extent(x, y, 1);
    }

    public long count() {
        return (long) x * y * z;
    }

    @Override
    public String toString() {
        return "(" + x + ", " + y + ", " + z + ")";
    }
}
