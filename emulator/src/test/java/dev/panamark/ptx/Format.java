package dev.panamark.ptx;

import dev.panamark.ptx.Exact.Rounding;
import java.math.BigInteger;
import java.util.Locale;

/** The binary formats of PTX: sign, exponent with its bias, fraction; the values of codes and the codes of values. */
enum Format {
    /** Without infinities: all but the codes with all bits set are numbers (OCP 8-bit floating point, E4M3). */
    E4M3(4, 3, 0),
    E5M2(5, 2, 0),
    F16(5, 10, 0),
    BF16(8, 7, 0),
    /** In the upper bits of a word. */
    TF32(8, 10, 13),
    F32(8, 23, 0),
    F64(11, 52, 0);

    private final int exponentBits;
    private final int fractionBits;
    private final int unused;
    private final int bias;

    Format(int exponentBits, int fractionBits, int unused) {
        this.exponentBits = exponentBits;
        this.fractionBits = fractionBits;
        this.unused = unused;
        this.bias = (1 << (exponentBits - 1)) - 1;
    }

    static Format named(String type) {
        return valueOf(type.toUpperCase(Locale.ROOT));
    }

    int bits() {
        return 1 + exponentBits + fractionBits + unused;
    }

    private long sign(boolean negative) {
        return negative ? 1L << (exponentBits + fractionBits + unused) : 0;
    }

    /** The code of infinity, or where there is none that of NaN. */
    private long top() {
        return this == E4M3 ? 0x7f : ((1L << exponentBits) - 1) << fractionBits;
    }

    long infinity(boolean negative) {
        return sign(negative) | top() << unused;
    }

    long greatest(boolean negative) {
        return sign(negative) | (top() - 1) << unused;
    }

    boolean isNan(long code) {
        long magnitude = magnitude(code);
        return this == E4M3 ? magnitude == top() : magnitude > top();
    }

    private long magnitude(long code) {
        return code >>> unused & ((1L << (exponentBits + fractionBits)) - 1);
    }

    boolean isSubnormal(long code) {
        long magnitude = magnitude(code);
        return magnitude > 0 && magnitude < 1L << fractionBits;
    }

    Exact value(long code) {
        boolean negative = (code & sign(true)) != 0;
        long magnitude = magnitude(code);
        if (isNan(code)) {
            return Exact.NAN;
        }
        if (magnitude == top()) {
            return Exact.infinity(negative);
        }
        long exponent = magnitude >>> fractionBits;
        long fraction = magnitude & ((1L << fractionBits) - 1);
        long units = exponent == 0 ? fraction : fraction | 1L << fractionBits;
        return new Exact(
                Exact.Kind.FINITE,
                negative,
                BigInteger.valueOf(units),
                (int) Math.max(exponent, 1) - bias - fractionBits);
    }

    /** The exponent of the last place of a number with its highest bit at 2^highest. */
    int lastPlace(int highest) {
        return Math.max(highest, 1 - bias) - fractionBits;
    }

    /** The code of a number that is not NaN; too large ones are infinite or the greatest, as IEEE 754 says. */
    long code(Exact value, Rounding rounding) {
        boolean negative = value.negative();
        if (value.isInfinite()) {
            return infinity(negative);
        }
        int unit = lastPlace(value.magnitude().bitLength() - 1 + value.exponent());
        BigInteger units = value.units(unit, rounding);
        if (units.bitLength() > fractionBits + 1) {
            units = units.shiftRight(1);
            unit++;
        }
        if (units.bitLength() <= fractionBits) {
            return sign(negative) | units.longValueExact() << unused;
        }
        long exponent = unit + (long) fractionBits + bias;
        BigInteger code =
                BigInteger.valueOf(exponent - 1).shiftLeft(fractionBits).add(units);
        if (code.compareTo(BigInteger.valueOf(top())) >= 0) {
            boolean infinite = switch (rounding) {
                case NEAREST, AWAY -> true;
                case ZERO -> false;
                case DOWN -> negative;
                case UP -> !negative;
            };
            return infinite ? infinity(negative) : greatest(negative);
        }
        return sign(negative) | code.longValueExact() << unused;
    }

    /** As a double, which holds all numbers of these formats. */
    double real(long code) {
        Exact value = value(code);
        double magnitude = value.isNan()
                ? Double.NaN
                : value.isInfinite()
                        ? Double.POSITIVE_INFINITY
                        : Math.scalb(value.magnitude().doubleValue(), value.exponent());
        return value.negative() ? -magnitude : magnitude;
    }
}
