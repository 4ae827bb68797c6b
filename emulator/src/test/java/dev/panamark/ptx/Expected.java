package dev.panamark.ptx;

import java.math.BigInteger;

/** What a result may be. */
sealed interface Expected {
    boolean admits(long got);

    /** These bits and no others. */
    record Bits(long bits) implements Expected {
        @Override
        public boolean admits(long got) {
            return got == bits;
        }

        @Override
        public String toString() {
            return "0x" + Long.toHexString(bits);
        }
    }

    /** Any NaN of the format. */
    record AnyNan(Format format) implements Expected {
        @Override
        public boolean admits(long got) {
            return format.isNan(got);
        }
    }

    /** Zero of either sign. */
    record AnyZero(Format format) implements Expected {
        @Override
        public boolean admits(long got) {
            return format.value(got).isZero();
        }
    }

    /**
     * A number at most so far from {@code value}; infinity counts as what would be next to the greatest number.
     *
     * @param error the greatest difference
     */
    record Near(Format format, double value, double error) implements Expected {
        @Override
        public boolean admits(long got) {
            double real = format.real(got);
            if (Double.isInfinite(real) && Double.isFinite(value)) {
                double greatest = format.real(format.greatest(false));
                double next = greatest + Math.scalb(1.0, format.lastPlace(Math.getExponent(greatest)));
                return Math.abs(Math.copySign(next, real) - value) <= error;
            }
            return Math.abs(real - value) <= error || real == value;
        }
    }

    /** Two results in the halves of {@code 2 * bits}. */
    record Pair(Expected low, Expected high, int bits) implements Expected {
        @Override
        public boolean admits(long got) {
            return low.admits(got & ((1L << bits) - 1)) && high.admits(got >>> bits);
        }
    }

    static Expected bits(long bits) {
        return new Bits(bits);
    }

    /** The lowest {@code width} bits of a whole number. */
    static Expected whole(BigInteger value, int width) {
        return new Bits(value.mod(BigInteger.ONE.shiftLeft(width)).longValue());
    }

    /** A number of the format, rounded; some NaN for NaN. */
    static Expected real(Format format, Exact value, Exact.Rounding rounding) {
        return value.isNan() ? new AnyNan(format) : new Bits(format.code(value, rounding));
    }
}
