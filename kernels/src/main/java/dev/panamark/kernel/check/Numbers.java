package dev.panamark.kernel.check;

import java.math.BigDecimal;
import java.math.MathContext;

/** Numbers in messages. */
final class Numbers {
    /** Enough to tell any two neighbouring floats apart. */
    private static final int DIGITS = 9;

    private Numbers() {}

    /** Whole numbers without a fraction, others in the shortest of up to nine digits. */
    static String text(double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return value == 0 && 1 / value < 0 ? "-0" : Long.toString((long) value);
        }
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
        }
        double rounded = new BigDecimal(value).round(new MathContext(DIGITS)).doubleValue();
        return Double.toString(rounded).replace(".0E", "e").replace("E", "e");
    }
}
