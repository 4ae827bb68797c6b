package dev.panamark.kernel.check;

/** Numbers in messages. */
final class Numbers {
    private Numbers() {}

    /** Whole numbers without a fraction, others in the shortest of up to nine digits. */
    static String text(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return value == 0 && 1 / value < 0 ? "-0" : Long.toString((long) value);
        }
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
        }
        return Double.toString(new java.math.BigDecimal(value)
                .round(new java.math.MathContext(9))
                .doubleValue());
    }
}
