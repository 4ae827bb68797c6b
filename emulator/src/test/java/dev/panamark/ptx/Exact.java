package dev.panamark.ptx;

import java.math.BigInteger;

/**
 * A number of a binary format without its limits: {@code magnitude * 2^exponent} with a sign that zero has too, or an
 * infinity or NaN. What is no such number (a quotient, a root) has so many bits that its last one, which is set, stands
 * for all that follow: no format here rounds it otherwise.
 */
record Exact(Kind kind, boolean negative, BigInteger magnitude, int exponent) {
    enum Kind {
        NAN,
        INFINITE,
        FINITE
    }

    /** Where a number between two of a format goes. */
    enum Rounding {
        NEAREST,
        AWAY,
        ZERO,
        DOWN,
        UP;

        /** That of a modifier; to nearest even where none is said. */
        static Rounding of(String modifier) {
            return switch (modifier) {
                case "rna" -> AWAY;
                case "rz", "rzi" -> ZERO;
                case "rm", "rmi" -> DOWN;
                case "rp", "rpi" -> UP;
                default -> NEAREST;
            };
        }
    }

    /** Bits of quotients and roots, more than twice those of f64. */
    private static final int MANY = 200;

    static final Exact NAN = new Exact(Kind.NAN, false, BigInteger.ZERO, 0);

    static Exact infinity(boolean negative) {
        return new Exact(Kind.INFINITE, negative, BigInteger.ZERO, 0);
    }

    static Exact zero(boolean negative) {
        return new Exact(Kind.FINITE, negative, BigInteger.ZERO, 0);
    }

    static Exact of(BigInteger value) {
        return new Exact(Kind.FINITE, value.signum() < 0, value.abs(), 0);
    }

    boolean isNan() {
        return kind == Kind.NAN;
    }

    boolean isInfinite() {
        return kind == Kind.INFINITE;
    }

    boolean isZero() {
        return kind == Kind.FINITE && magnitude.signum() == 0;
    }

    Exact negate() {
        return new Exact(kind, !negative, magnitude, exponent);
    }

    Exact abs() {
        return withSign(false);
    }

    Exact withSign(boolean other) {
        return new Exact(kind, other, magnitude, exponent);
    }

    private BigInteger signed() {
        return negative ? magnitude.negate() : magnitude;
    }

    /** A sum that is zero is negative only if both are, or if it is rounded down. */
    Exact plus(Exact other, Rounding rounding) {
        if (isNan() || other.isNan() || (isInfinite() && other.isInfinite() && negative != other.negative)) {
            return NAN;
        }
        if (isInfinite() || other.isInfinite()) {
            return isInfinite() ? this : other;
        }
        int least = isZero() ? other.exponent : other.isZero() ? exponent : Math.min(exponent, other.exponent);
        BigInteger sum = scaled(least).add(other.scaled(least));
        if (sum.signum() == 0) {
            boolean both = isZero() && other.isZero() && negative == other.negative;
            return zero(both ? negative : rounding == Rounding.DOWN);
        }
        return new Exact(Kind.FINITE, sum.signum() < 0, sum.abs(), least);
    }

    /** In units of 2^least, which is not above the exponent unless this is zero. */
    private BigInteger scaled(int least) {
        return isZero() ? BigInteger.ZERO : signed().shiftLeft(exponent - least);
    }

    Exact times(Exact other) {
        boolean sign = negative != other.negative;
        if (isNan() || other.isNan() || (isInfinite() && other.isZero()) || (isZero() && other.isInfinite())) {
            return NAN;
        }
        if (isInfinite() || other.isInfinite()) {
            return infinity(sign);
        }
        return new Exact(Kind.FINITE, sign, magnitude.multiply(other.magnitude), exponent + other.exponent);
    }

    Exact over(Exact other) {
        boolean sign = negative != other.negative;
        if (isNan() || other.isNan() || (isInfinite() && other.isInfinite()) || (isZero() && other.isZero())) {
            return NAN;
        }
        if (isInfinite() || other.isZero()) {
            return infinity(sign);
        }
        if (isZero() || other.isInfinite()) {
            return zero(sign);
        }
        int shift = Math.max(0, MANY + other.magnitude.bitLength() - magnitude.bitLength());
        BigInteger[] parts = magnitude.shiftLeft(shift).divideAndRemainder(other.magnitude);
        return new Exact(
                Kind.FINITE, sign, withRest(parts[0], parts[1].signum() != 0), exponent - other.exponent - shift - 1);
    }

    Exact root() {
        if (isNan() || isZero()) {
            return this;
        }
        if (negative) {
            return NAN;
        }
        if (isInfinite()) {
            return this;
        }
        int shift = 2 * MANY + (exponent & 1);
        BigInteger[] parts = magnitude.shiftLeft(shift).sqrtAndRemainder();
        return new Exact(
                Kind.FINITE, false, withRest(parts[0], parts[1].signum() != 0), Math.floorDiv(exponent - shift, 2) - 1);
    }

    /** Twice the number, and one more for a rest. */
    private static BigInteger withRest(BigInteger number, boolean rest) {
        BigInteger twice = number.shiftLeft(1);
        return rest ? twice.add(BigInteger.ONE) : twice;
    }

    /** Less than 0, 0 or more; not for NaN. Zeros are equal. */
    int compare(Exact other) {
        if (isInfinite() || other.isInfinite()) {
            return Integer.compare(order(), other.order());
        }
        int least = Math.min(isZero() ? other.exponent : exponent, other.isZero() ? exponent : other.exponent);
        return scaled(least).compareTo(other.scaled(least));
    }

    private int order() {
        return isInfinite() ? negative ? -1 : 1 : 0;
    }

    /** Rounded to a multiple of 2^unit; in these units. */
    BigInteger units(int unit, Rounding rounding) {
        if (exponent >= unit || isZero()) {
            return isZero() ? BigInteger.ZERO : magnitude.shiftLeft(exponent - unit);
        }
        int drop = unit - exponent;
        BigInteger whole = magnitude.shiftRight(drop);
        BigInteger rest = magnitude.subtract(whole.shiftLeft(drop));
        int half = rest.shiftLeft(1).compareTo(BigInteger.ONE.shiftLeft(drop));
        boolean up = rest.signum() != 0
                && switch (rounding) {
                    case NEAREST -> half > 0 || (half == 0 && whole.testBit(0));
                    case AWAY -> half >= 0;
                    case ZERO -> false;
                    case DOWN -> negative;
                    case UP -> !negative;
                };
        return up ? whole.add(BigInteger.ONE) : whole;
    }

    /** The whole number next to it, with its sign. */
    Exact integral(Rounding rounding) {
        return kind == Kind.FINITE ? new Exact(Kind.FINITE, negative, units(0, rounding), 0) : this;
    }

    BigInteger toWhole(Rounding rounding) {
        BigInteger units = units(0, rounding);
        return negative ? units.negate() : units;
    }
}
