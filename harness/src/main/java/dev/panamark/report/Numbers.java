package dev.panamark.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Numbers as people read them: significant digits and SI prefixes, the same in every locale. */
public final class Numbers {
    private Numbers() {}

    private static final String[] PREFIXES = {"f", "p", "n", "\u00b5", "m", "", "k", "M", "G", "T", "P", "E"};
    private static final int NONE = 5;

    /** The SI prefix of a power of 1000: that of 2 is "M". */
    static String prefix(int thousands) {
        return PREFIXES[thousands + NONE];
    }

    /**
     * A number in plain digits, rounded half-even to so many significant ones; digits before the point are never cut.
     * Below 1e-6 and from 1e15 on it has an exponent.
     *
     * @param value finite
     * @param digits at least 1
     */
    public static String significant(double value, int digits) {
        return scaled(value, 0, digits);
    }

    /**
     * A number with the SI prefix that leaves one to three digits before the point: {@code 41.2 GFLOP/s}. Below 1 f
     * and from 1000 E on, the outermost prefix stays.
     *
     * @param value finite
     * @param unit without prefix
     * @param digits significant ones
     */
    public static String si(double value, String unit, int digits) {
        int thousands = thousands(value, digits);
        return scaled(value, thousands, digits) + " " + prefix(thousands) + unit;
    }

    /** A time, with four significant digits and no prefix above s: {@code 1.234 ms}. */
    public static String seconds(double value) {
        int thousands = Math.min(0, thousands(value, 4));
        return scaled(value, thousands, 4) + " " + prefix(thousands) + "s";
    }

    /** A share as a percentage with three significant digits: {@code 38.2 %}. */
    public static String percent(double ratio) {
        return percentDigits(ratio, 3) + " %";
    }

    /** A share as a percentage without the sign. */
    static String percentDigits(double ratio, int digits) {
        return significant(ratio * 100, digits);
    }

    /** A whole number with commas: {@code 258,048}. */
    public static String grouped(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** A size in bytes with a binary prefix: {@code 16.0 MiB}; below 1 KiB exact. */
    public static String bytes(double value) {
        String[] names = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
        int at = 0;
        double scaled = value;
        while (Math.abs(scaled) >= 1024 && at < names.length - 1) {
            scaled /= 1024;
            at++;
        }
        return (at == 0 ? significant(scaled, 4) : significant(scaled, 3)) + " " + names[at];
    }

    /** A duration for reading: {@code 12.3 s}, {@code 4 min 05 s}, {@code 2 h 03 min}. */
    public static String duration(double seconds) {
        if (seconds < 60) {
            return significant(seconds, 3) + " s";
        }
        long whole = Math.round(seconds);
        if (whole < 3600) {
            return whole / 60 + " min " + two(whole % 60) + " s";
        }
        long minutes = Math.round(seconds / 60);
        return minutes / 60 + " h " + two(minutes % 60) + " min";
    }

    private static String two(long n) {
        return n < 10 ? "0" + n : Long.toString(n);
    }

    /** Power of 1000 whose prefix suits a number once it is rounded: 999.96 with four digits is 1.000 k. */
    static int thousands(double value, int digits) {
        if (value == 0) {
            return 0;
        }
        BigDecimal rounded = round(value, digits);
        int exponent = rounded.precision() - rounded.scale() - 1;
        return Math.clamp(Math.floorDiv(exponent, 3), -NONE, PREFIXES.length - 1 - NONE);
    }

    /** A number divided by a power of 1000. */
    static String scaled(double value, int thousands, int digits) {
        if (value == 0) {
            return "0";
        }
        BigDecimal moved = new BigDecimal(value).scaleByPowerOfTen(-3 * thousands);
        BigDecimal rounded = moved.round(new MathContext(digits, RoundingMode.HALF_EVEN));
        int before = rounded.precision() - rounded.scale();
        if (before < -5 || before > 15) {
            return rounded.toString(); // with an exponent, as nobody counts zeros
        }
        return before >= digits
                ? moved.setScale(0, RoundingMode.HALF_EVEN).toPlainString()
                : rounded.setScale(digits - before, RoundingMode.UNNECESSARY).toPlainString();
    }

    private static BigDecimal round(double value, int digits) {
        return new BigDecimal(value).round(new MathContext(digits, RoundingMode.HALF_EVEN));
    }
}
