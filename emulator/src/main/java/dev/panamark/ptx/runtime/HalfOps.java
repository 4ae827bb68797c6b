package dev.panamark.ptx.runtime;

/**
 * Arithmetic of f16 and bf16, whose values are their bits in an int. {@code format} is 0 for f16 and 1 for bf16.
 * Every result is rounded once to nearest even.
 */
public final class HalfOps {
    private HalfOps() {}

    public static float toFloat(int a, int format) {
        return format == 0 ? Float.float16ToFloat((short) a) : Float.intBitsToFloat(a << 16);
    }

    /** To nearest even; NaN becomes the canonical one, 0x7fff. */
    public static int fromFloat(float a, int format) {
        if (Float.isNaN(a)) {
            return 0x7fff;
        }
        if (format == 0) {
            return Float.floatToFloat16(a) & 0xffff;
        }
        int bits = Float.floatToRawIntBits(a);
        return (bits + 0x7fff + (bits >>> 16 & 1)) >>> 16;
    }

    /** Sums of 11-bit values in 24 bits round as if once, since 24 is at least 2 * 11 + 2. */
    public static int add(int a, int b, int format) {
        return fromFloat(toFloat(a, format) + toFloat(b, format), format);
    }

    public static int sub(int a, int b, int format) {
        return fromFloat(toFloat(a, format) - toFloat(b, format), format);
    }

    public static int mul(int a, int b, int format) {
        return fromFloat(toFloat(a, format) * toFloat(b, format), format);
    }

    public static int fma(int a, int b, int c, int format) {
        double product = (double) toFloat(a, format) * toFloat(b, format);
        double addend = toFloat(c, format);
        double s = product + addend;
        double t = s - product;
        double rest = (product - (s - t)) + (addend - t);
        return fromDouble(Double.isFinite(rest) ? FloatOps.odd(s, rest) : s, format);
    }

    /** One rounding: the float in between is rounded to odd. */
    static int fromDouble(double s, int format) {
        if (Double.isNaN(s)) {
            return 0x7fff;
        }
        float near = (float) s;
        if (Float.isInfinite(near) || near == s) {
            return fromFloat(near, format);
        }
        int bits = Float.floatToRawIntBits(near);
        if ((bits & 1) == 0) {
            // The neighbour on the other side of s has an odd last bit.
            near = near < s ? Math.nextUp(near) : Math.nextDown(near);
            if (Float.isInfinite(near)) {
                near = (float) s;
            }
        }
        return fromFloat(near, format);
    }

    public static int neg(int a) {
        return a ^ 0x8000;
    }

    public static int abs(int a) {
        return a & 0x7fff;
    }

    public static int min(int a, int b, int format) {
        return isNan(a, format) ? isNan(b, format) ? 0x7fff : b : isNan(b, format) || order(a) <= order(b) ? a : b;
    }

    public static int max(int a, int b, int format) {
        return isNan(a, format) ? isNan(b, format) ? 0x7fff : b : isNan(b, format) || order(a) >= order(b) ? a : b;
    }

    public static int minNan(int a, int b, int format) {
        return isNan(a, format) || isNan(b, format) ? 0x7fff : order(a) <= order(b) ? a : b;
    }

    public static int maxNan(int a, int b, int format) {
        return isNan(a, format) || isNan(b, format) ? 0x7fff : order(a) >= order(b) ? a : b;
    }

    private static int order(int a) {
        return (a & 0x8000) != 0 ? -(a & 0x7fff) - 1 : a;
    }

    private static boolean isNan(int a, int format) {
        return (a & 0x7fff) > (format == 0 ? 0x7c00 : 0x7f80);
    }

    public static int xorSign(int result, int a, int b) {
        return (result & 0x7fff) | ((a ^ b) & 0x8000);
    }

    /** Subnormals become a zero of the same sign. */
    public static int flush(int a, int format) {
        return (a & 0x7fff) < (format == 0 ? 0x400 : 0x80) ? a & 0x8000 : a;
    }

    /** Clamped to 0 and 1; NaN becomes 0. */
    public static int saturate(int a, int format) {
        float value = toFloat(a, format);
        return value > 0 ? value < 1 ? a : format == 0 ? 0x3c00 : 0x3f80 : 0;
    }

    /** Negative values become +0; NaN the canonical one. */
    public static int relu(int a, int format) {
        return isNan(a, format) ? 0x7fff : (a & 0x8000) != 0 ? 0 : a;
    }

    public static int ex2(int a, int format) {
        return fromFloat(FloatOps.ex2(toFloat(a, format)), format);
    }

    public static int tanh(int a, int format) {
        return fromFloat(FloatOps.tanh(toFloat(a, format)), format);
    }
}
