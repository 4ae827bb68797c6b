package dev.panamark.kernel;

import dev.panamark.kernel.format.DataType;

/** The whole numbers that an integer type holds. */
final class TypeRange {
    private TypeRange() {}

    /** The largest, as far as a long shows it. */
    static long max(DataType type) {
        int bits = 8 * type.bytes() - (signed(type) ? 1 : 0);
        return bits >= 63 ? Long.MAX_VALUE : (1L << bits) - 1;
    }

    /** Whether an integer type holds a value, or a floating-point type has it at all. */
    static boolean holds(DataType type, double value) {
        if (type.floating()) {
            return !Double.isInfinite(value) || type.bytes() > 1 || type == DataType.E5M2;
        }
        int bits = 8 * type.bytes() - (signed(type) ? 1 : 0);
        double end = Math.scalb(1.0, bits);
        return value == Math.rint(value) && value < end && value >= (signed(type) ? -end : 0);
    }

    private static boolean signed(DataType type) {
        return type.tag().startsWith("i");
    }
}
