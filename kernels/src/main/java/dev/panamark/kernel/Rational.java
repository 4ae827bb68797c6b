package dev.panamark.kernel;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * An exact fraction in lowest terms, so that {@code ceil(kv_len/page)} is right for every length. An
 * ArithmeticException where a result would need more than {@value #MAX_BITS} bits.
 *
 * @param num numerator
 * @param den denominator, above 0
 */
record Rational(BigInteger num, BigInteger den) implements Comparable<Rational> {
    static final int MAX_BITS = 4096;
    static final Rational ZERO = of(0);
    static final Rational ONE = of(1);

    private static final MathContext DIGITS = new MathContext(40, RoundingMode.HALF_EVEN);

    Rational {
        if (den.signum() == 0) {
            throw new ArithmeticException("division by zero");
        }
        BigInteger common = den.signum() < 0 ? num.gcd(den).negate() : num.gcd(den);
        num = num.divide(common);
        den = den.divide(common);
        if (num.bitLength() > MAX_BITS || den.bitLength() > MAX_BITS) {
            throw new ArithmeticException("a number of more than " + MAX_BITS + " bits");
        }
    }

    static Rational of(long value) {
        return of(BigInteger.valueOf(value));
    }

    static Rational of(BigInteger value) {
        return new Rational(value, BigInteger.ONE);
    }

    static Rational of(BigDecimal value) {
        // 1e999999999 must not be written out before it is refused.
        if (Math.abs((long) value.scale()) > MAX_BITS / 3) {
            throw new ArithmeticException("a number of more than " + MAX_BITS + " bits");
        }
        return value.scale() <= 0
                ? of(value.toBigIntegerExact())
                : new Rational(value.unscaledValue(), BigInteger.TEN.pow(value.scale()));
    }

    /** The decimal number that a double prints as: 0.1 is one tenth. */
    static Rational of(double value) {
        return of(new BigDecimal(Double.toString(value)));
    }

    Rational add(Rational o) {
        return new Rational(num.multiply(o.den).add(o.num.multiply(den)), den.multiply(o.den));
    }

    Rational subtract(Rational o) {
        return add(o.negate());
    }

    Rational multiply(Rational o) {
        return new Rational(num.multiply(o.num), den.multiply(o.den));
    }

    Rational divide(Rational o) {
        return new Rational(num.multiply(o.den), den.multiply(o.num));
    }

    /** As in C: the sign of the dividend. */
    Rational remainder(Rational o) {
        Rational quotient = divide(o);
        return subtract(o.multiply(of(quotient.num.divide(quotient.den))));
    }

    Rational negate() {
        return new Rational(num.negate(), den);
    }

    Rational abs() {
        return num.signum() < 0 ? negate() : this;
    }

    Rational floor() {
        BigInteger[] parts = num.divideAndRemainder(den);
        return of(parts[1].signum() < 0 ? parts[0].subtract(BigInteger.ONE) : parts[0]);
    }

    Rational ceil() {
        return negate().floor().negate();
    }

    /** To the nearest whole number, halves away from zero. */
    Rational round() {
        Rational half = new Rational(BigInteger.ONE, BigInteger.TWO);
        return num.signum() < 0
                ? negate().add(half).floor().negate()
                : add(half).floor();
    }

    /** Exact for whole exponents, otherwise of double precision. */
    Rational pow(Rational exponent) {
        if (exponent.isWhole()) {
            Rational positive = powWhole(exponent.num.abs());
            return exponent.num.signum() < 0 ? ONE.divide(positive) : positive;
        }
        double result = Math.pow(toDouble(), exponent.toDouble());
        if (!Double.isFinite(result)) {
            throw new ArithmeticException("pow(" + this + ", " + exponent + ") is no real number");
        }
        return of(result);
    }

    private Rational powWhole(BigInteger exponent) {
        if (exponent.signum() == 0) {
            return ONE;
        }
        int bits = Math.max(num.bitLength(), den.bitLength());
        if (bits <= 1) { // -1, 0 and 1, whose powers are themselves or their squares
            return exponent.testBit(0) ? this : multiply(this);
        }
        if (exponent.bitLength() > 31 || exponent.longValue() * (bits - 1) > MAX_BITS) {
            throw new ArithmeticException("a number of more than " + MAX_BITS + " bits");
        }
        return new Rational(num.pow(exponent.intValue()), den.pow(exponent.intValue()));
    }

    /** Exact where the root is a fraction, otherwise to 40 digits. */
    Rational sqrt() {
        if (num.signum() < 0) {
            throw new ArithmeticException("the square root of " + this + ", which is negative");
        }
        BigInteger n = num.sqrt();
        BigInteger d = den.sqrt();
        if (n.multiply(n).equals(num) && d.multiply(d).equals(den)) {
            return new Rational(n, d);
        }
        return of(decimal().sqrt(DIGITS));
    }

    /** Exact for powers of two, otherwise of double precision. */
    Rational log2() {
        if (num.signum() <= 0) {
            throw new ArithmeticException("log2 of " + this + ", which is not above zero");
        }
        if (num.bitCount() == 1 && den.bitCount() == 1) {
            return of(num.bitLength() - den.bitLength());
        }
        return of(Math.log(toDouble()) / Math.log(2));
    }

    boolean isWhole() {
        return den.equals(BigInteger.ONE);
    }

    /** Whether it is whole and fits a long. */
    boolean isLong() {
        return isWhole() && num.bitLength() <= 63;
    }

    /** The nearest double; infinite beyond its range. */
    double toDouble() {
        return isWhole() ? num.doubleValue() : decimal().doubleValue();
    }

    @Override
    public int compareTo(Rational o) {
        return num.multiply(o.den).compareTo(o.num.multiply(den));
    }

    @Override
    public String toString() {
        return isWhole() && num.bitLength() <= 100 ? num.toString() : Double.toString(toDouble());
    }

    private BigDecimal decimal() {
        return new BigDecimal(num).divide(new BigDecimal(den), DIGITS);
    }
}
