package dev.panamark.ptx.runtime;

/** Conversions. Roundings are those of {@link FloatOps}; to integers they round to a whole number. */
public final class ConvertOps {
    private ConvertOps() {}

    public static long extendS(int a) {
        return a;
    }

    public static long extendU(int a) {
        return a & 0xffffffffL;
    }

    public static int saturateS(long value, int bits) {
        long most = (1L << (bits - 1)) - 1;
        return (int) Math.max(-most - 1, Math.min(most, value));
    }

    /** An unsigned 32-bit or shorter result of a signed value. */
    public static int saturateU(long value, int bits) {
        return (int) Math.max(0, Math.min((1L << bits) - 1, value));
    }

    /** The same of an unsigned 64-bit value. */
    public static int saturateUofU(long value, int bits) {
        long most = (1L << bits) - 1;
        return (int) (Long.compareUnsigned(value, most) > 0 ? most : value);
    }

    public static int saturateSofU(long value, int bits) {
        long most = (1L << (bits - 1)) - 1;
        return (int) (Long.compareUnsigned(value, most) > 0 ? most : value);
    }

    public static long clampNegative(long value) {
        return Math.max(0, value);
    }

    public static long clampTop(long value) {
        return value < 0 ? Long.MAX_VALUE : value;
    }

    public static float floatOfS32(int a) {
        return a;
    }

    public static float floatOfU32(int a) {
        return (float) (a & 0xffffffffL);
    }

    public static float floatOfS64(long a) {
        return (float) a;
    }

    public static float floatOfU64(long a) {
        // Halved with the lost bit kept: 63 bits still round the same.
        return a >= 0 ? (float) a : (float) (a >>> 1 | (a & 1)) * 2;
    }

    public static double doubleOfS32(int a) {
        return a;
    }

    public static double doubleOfU32(int a) {
        return a & 0xffffffffL;
    }

    public static double doubleOfS64(long a) {
        return a;
    }

    public static double doubleOfU64(long a) {
        return a >= 0 ? (double) a : (double) (a >>> 1 | (a & 1)) * 2;
    }

    /** Cut to 53 bits, of which the last is set where something was lost, so that one more rounding is the only one. */
    public static double doubleOfS64Odd(long a) {
        return FloatOps.odd(directed(a, false, 1, 53), rest(a, a < 0 ? -a : a));
    }

    public static double doubleOfU64Odd(long a) {
        return FloatOps.odd(directed(a, true, 1, 53), rest(1, a));
    }

    /** With the sign of {@code sign}, nonzero where 53 bits of the magnitude are too few. */
    private static double rest(long sign, long magnitude) {
        int drop = Math.max(0, 11 - Long.numberOfLeadingZeros(magnitude));
        return (magnitude & ((1L << drop) - 1)) == 0 ? 0 : Long.signum(sign);
    }

    public static float floatOfS64Rounded(long a, int rounding) {
        return (float) directed(a, false, rounding, 24);
    }

    public static float floatOfU64Rounded(long a, int rounding) {
        return (float) directed(a, true, rounding, 24);
    }

    public static double doubleOfS64Rounded(long a, int rounding) {
        return directed(a, false, rounding, 53);
    }

    public static double doubleOfU64Rounded(long a, int rounding) {
        return directed(a, true, rounding, 53);
    }

    /** Keeps {@code digits} bits of the magnitude, so that the double is exact. */
    private static double directed(long a, boolean unsigned, int rounding, int digits) {
        boolean negative = !unsigned && a < 0;
        long magnitude = negative ? -a : a;
        int drop = Math.max(0, 64 - Long.numberOfLeadingZeros(magnitude) - digits);
        long kept = magnitude >>> drop;
        boolean inexact = drop > 0 && magnitude << (64 - drop) != 0;
        boolean away = (rounding == 3 && !negative) || (rounding == 2 && negative);
        double value = (double) (inexact && away ? kept + 1 : kept) * Math.pow(2, drop);
        return negative ? -value : value;
    }

    public static double doubleOfFloat(float a) {
        return a;
    }

    public static float floatOfDouble(double a) {
        return (float) a;
    }

    public static float floatOfDoubleRounded(double a, int rounding) {
        return FloatOps.round(a, 0, rounding);
    }

    public static float wholeF32(float a, int rounding) {
        return (float) wholeF64(a, rounding);
    }

    public static double wholeF64(double a, int rounding) {
        return switch (rounding) {
            case 0 -> Math.rint(a);
            case 1 -> a < 0 ? Math.ceil(a) : Math.floor(a);
            case 2 -> Math.floor(a);
            default -> Math.ceil(a);
        };
    }

    /** Out-of-range values are clamped; {@code nan} is what NaN becomes. */
    public static int s32OfDouble(double a, int rounding, int nan) {
        return Double.isNaN(a) ? nan : (int) wholeF64(a, rounding);
    }

    public static int s32OfFloatTowardsZero(float a) {
        return (int) a;
    }

    public static int u32OfDouble(double a, int rounding, int nan) {
        if (Double.isNaN(a)) {
            return nan;
        }
        double whole = wholeF64(a, rounding);
        return whole >= 0x1p32 ? -1 : whole > 0 ? (int) (long) whole : 0;
    }

    public static long s64OfDouble(double a, int rounding, long nan) {
        return Double.isNaN(a) ? nan : (long) wholeF64(a, rounding);
    }

    public static long u64OfDouble(double a, int rounding, long nan) {
        if (Double.isNaN(a)) {
            return nan;
        }
        double whole = wholeF64(a, rounding);
        if (whole >= 0x1p64) {
            return -1;
        }
        return whole >= 0x1p63 ? (long) (whole - 0x1p63) + Long.MIN_VALUE : whole > 0 ? (long) whole : 0;
    }

    /** Cut to 8 or 16 bits after clamping. */
    public static int clampS(int a, int bits) {
        int most = (1 << (bits - 1)) - 1;
        return Math.max(-most - 1, Math.min(most, a));
    }

    public static int clampU(int a, int bits) {
        return Integer.compareUnsigned(a, (1 << bits) - 1) > 0 ? (1 << bits) - 1 : a;
    }

    /** f16 (format 0) or bf16 (1) from a double. */
    public static int halfOfDouble(double a, int format, int rounding) {
        if (rounding == 0 || Double.isNaN(a)) {
            return HalfOps.fromDouble(a, format);
        }
        int near = HalfOps.fromDouble(a, format);
        double value = HalfOps.toFloat(near, format);
        boolean down = rounding == 2 || (rounding == 1 && a > 0);
        boolean up = rounding == 3 || (rounding == 1 && a < 0);
        if (value > a && down) {
            return next(near, false);
        }
        return value < a && up ? next(near, true) : near;
    }

    private static int next(int bits, boolean up) {
        boolean negative = (bits & 0x8000) != 0;
        if ((bits & 0x7fff) == 0) {
            return up ? 1 : 0x8001;
        }
        return up != negative ? bits + 1 : bits - 1;
    }

    /** Infinities and overflow become the greatest finite value. */
    public static int halfFinite(int a, int format) {
        int infinity = format == 0 ? 0x7c00 : 0x7f80;
        return (a & 0x7fff) == infinity ? a - 1 : a;
    }

    /** Round to nearest, ties away from zero, to 10 bits of mantissa; in the layout of f32. */
    public static float tf32(float a) {
        if (!Float.isFinite(a)) {
            return kept(a);
        }
        return Float.intBitsToFloat(Float.floatToRawIntBits(a) + 0x1000 & 0xffffe000);
    }

    /** A NaN whose bits that make it one may be below those of tf32 becomes the canonical one. */
    private static float kept(float a) {
        return Float.isNaN(a) ? Float.intBitsToFloat(0x7fffffff) : a;
    }

    public static float tf32Even(float a, int rounding) {
        if (!Float.isFinite(a)) {
            return kept(a);
        }
        int bits = Float.floatToRawIntBits(a);
        int carry = rounding == 1 ? 0 : 0xfff + (bits >>> 13 & 1);
        return Float.intBitsToFloat(bits + carry & 0xffffe000);
    }

    /** Infinities of a tf32 become its greatest finite values. */
    public static float tf32Finite(float a) {
        return Float.isInfinite(a) ? Math.copySign(0x1.ffcp127f, a) : a;
    }

    /** e4m3 (kind 0) or e5m2 (kind 1): to nearest even, out-of-range values become the greatest finite one. */
    public static int fp8OfFloat(float a, int kind) {
        int mantissa = kind == 0 ? 3 : 2;
        int bias = kind == 0 ? 7 : 15;
        int greatest = kind == 0 ? 0x7e : 0x7b;
        int sign = Float.floatToRawIntBits(a) >>> 24 & 0x80;
        if (Float.isNaN(a)) {
            return 0x7f;
        }
        double m = Math.abs((double) a);
        int exponent = Math.max(m == 0 ? 1 - bias : Math.getExponent(m), 1 - bias);
        // In units of the last place there; a carry moves on to the next exponent by itself.
        double units = Math.rint(m * Math.pow(2, mantissa - exponent));
        if (units > 1 << 10) {
            return sign | greatest;
        }
        int code = ((exponent + bias - 1) << mantissa) + (int) units;
        return sign | Math.min(code, greatest);
    }

    public static int fp8Relu(int code) {
        return (code & 0x80) != 0 ? 0 : code;
    }

    public static float floatOfFp8(int code, int kind) {
        int mantissa = kind == 0 ? 3 : 2;
        int bias = kind == 0 ? 7 : 15;
        int m = code & ((1 << mantissa) - 1);
        int e = (code & 0x7f) >>> mantissa;
        float value;
        if ((kind == 0 && (code & 0x7f) == 0x7f) || (kind == 1 && e == 31 && m != 0)) {
            value = Float.NaN;
        } else if (kind == 1 && e == 31) {
            value = Float.POSITIVE_INFINITY;
        } else if (e == 0) {
            value = (float) (m * Math.pow(2, 1 - bias - mantissa));
        } else {
            value = (float) ((m + (1 << mantissa)) * Math.pow(2, e - bias - mantissa));
        }
        return (code & 0x80) != 0 ? -value : value;
    }

    /** Bits 8 to 15. */
    public static int fp8High(int pair) {
        return pair >>> 8 & 0xff;
    }

    public static int join8(int low, int high) {
        return (low & 0xff) | (high & 0xff) << 8;
    }

    /** An address of 64 bits in a space of 32; what does not fit lies outside of everything. */
    public static int narrowAddress(long address) {
        return address >>> 31 == 0 ? (int) address : -1;
    }
}
