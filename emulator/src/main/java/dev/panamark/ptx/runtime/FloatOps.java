package dev.panamark.ptx.runtime;

import java.math.BigDecimal;
import java.math.MathContext;

/**
 * Arithmetic of f32 and f64. Rounding 0 is to nearest even, 1 towards zero, 2 down, 3 up. A NaN result is some NaN;
 * which one is not defined. Subnormals count unless {@link #flush} is applied.
 */
public final class FloatOps {
    private static final double LOG2E = 1.4426950408889634;

    private FloatOps() {}

    public static float add(float a, float b) {
        return a + b;
    }

    public static float sub(float a, float b) {
        return a - b;
    }

    public static float mul(float a, float b) {
        return a * b;
    }

    public static float fma(float a, float b, float c) {
        return Math.fma(a, b, c);
    }

    public static float div(float a, float b) {
        return a / b;
    }

    public static float sqrt(float a) {
        return (float) Math.sqrt(a);
    }

    public static float rcp(float a) {
        return 1f / a;
    }

    public static double addD(double a, double b) {
        return a + b;
    }

    public static double subD(double a, double b) {
        return a - b;
    }

    public static double mulD(double a, double b) {
        return a * b;
    }

    public static double fmaD(double a, double b, double c) {
        return Math.fma(a, b, c);
    }

    public static double divD(double a, double b) {
        return a / b;
    }

    public static double sqrtD(double a) {
        return Math.sqrt(a);
    }

    public static double rcpD(double a) {
        return 1 / a;
    }

    public static float addRounded(float a, float b, int rounding) {
        return sum(a, b, rounding);
    }

    public static float mulRounded(float a, float b, int rounding) {
        return round((double) a * b, 0, rounding);
    }

    public static float fmaRounded(float a, float b, float c, int rounding) {
        return sum((double) a * b, c, rounding);
    }

    /** Sum of two doubles that are products of floats, rounded once. */
    private static float sum(double a, double b, int rounding) {
        double s = a + b;
        if (s == 0 && a != 0) {
            return rounding == 2 ? -0f : 0f;
        }
        if (s == 0) {
            boolean negative = Double.doubleToRawLongBits(a) < 0;
            return negative == (Double.doubleToRawLongBits(b) < 0) ? (float) a : rounding == 2 ? -0f : 0f;
        }
        double t = s - a;
        double rest = (a - (s - t)) + (b - t);
        return round(s, Double.isFinite(rest) ? rest : 0, rounding);
    }

    /** s + rest, where rest is less than half an ulp of s. */
    static float round(double s, double rest, int rounding) {
        float near = (float) s;
        if (Float.isNaN(near) || Double.isInfinite(s)) {
            return near;
        }
        double above = (s - near) + rest;
        if (rounding == 0) {
            return nearest(s, rest, near);
        }
        boolean down = rounding == 2 || (rounding == 1 && s > 0);
        if (above < 0 && down) {
            return Math.nextDown(near);
        }
        boolean up = rounding == 3 || (rounding == 1 && s < 0);
        return above > 0 && up ? Math.nextUp(near) : near;
    }

    private static float nearest(double s, double rest, float near) {
        if (rest == 0) {
            return near;
        }
        return (float) odd(s, rest);
    }

    /** s with its last bit set where there is a rest, so that a second rounding sees it. */
    static double odd(double s, double rest) {
        long bits = Double.doubleToRawLongBits(s);
        if (rest == 0 || (bits & 1) != 0 || s == 0) {
            return s;
        }
        return rest > 0 == s > 0 ? Double.longBitsToDouble(bits + 1) : Double.longBitsToDouble(bits - 1);
    }

    public static float divRounded(float a, float b, int rounding) {
        float near = a / b;
        if (Float.isNaN(near) || a == 0 || b == 0 || Float.isInfinite(a) || Float.isInfinite(b)) {
            return near;
        }
        double quotient = (double) a / b;
        // a - q*b tells on which side of the double quotient the exact one is.
        double side = Math.fma(-quotient, (double) b, (double) a);
        double rest = side == 0 ? 0 : (side > 0 == b > 0 ? 1 : -1) * Double.MIN_VALUE;
        return round(quotient, rest, rounding);
    }

    public static float sqrtRounded(float a, int rounding) {
        double root = Math.sqrt(a);
        if (!(a > 0) || Float.isInfinite(a)) {
            return (float) root;
        }
        double side = Math.fma(-root, root, (double) a);
        return round(root, side == 0 ? 0 : side > 0 ? Double.MIN_VALUE : -Double.MIN_VALUE, rounding);
    }

    public static double addRoundedD(double a, double b, int rounding) {
        double near = a + b;
        if (!Double.isFinite(a) || !Double.isFinite(b)) {
            return near;
        }
        if (near == 0) {
            return rounding == 2 && Double.doubleToRawLongBits(a) != Double.doubleToRawLongBits(b) ? -0.0 : near;
        }
        return directed(near, new BigDecimal(a).add(new BigDecimal(b)), rounding);
    }

    public static double mulRoundedD(double a, double b, int rounding) {
        double near = a * b;
        if (!Double.isFinite(a) || !Double.isFinite(b) || a == 0 || b == 0) {
            return near;
        }
        return directed(near, new BigDecimal(a).multiply(new BigDecimal(b)), rounding);
    }

    public static double fmaRoundedD(double a, double b, double c, int rounding) {
        double near = Math.fma(a, b, c);
        if (!Double.isFinite(a) || !Double.isFinite(b) || !Double.isFinite(c) || a == 0 || b == 0) {
            return near == 0 && rounding == 2 && c == 0 ? addRoundedD(a * b, c, rounding) : near;
        }
        BigDecimal exact = new BigDecimal(a).multiply(new BigDecimal(b)).add(new BigDecimal(c));
        if (exact.signum() == 0) {
            return rounding == 2 ? -0.0 : 0.0;
        }
        return directed(near, exact, rounding);
    }

    public static double divRoundedD(double a, double b, int rounding) {
        double near = a / b;
        if (!Double.isFinite(a) || !Double.isFinite(b) || a == 0 || b == 0) {
            return near;
        }
        // More digits than any midpoint or double has, so the direction is the exact one's.
        return directed(near, new BigDecimal(a).divide(new BigDecimal(b), new MathContext(1200)), rounding);
    }

    public static double sqrtRoundedD(double a, int rounding) {
        double near = Math.sqrt(a);
        if (!(a > 0) || Double.isInfinite(a)) {
            return near;
        }
        BigDecimal square = new BigDecimal(near).multiply(new BigDecimal(near));
        int side = new BigDecimal(a).compareTo(square);
        if (side < 0 && (rounding == 1 || rounding == 2)) {
            return Math.nextDown(near);
        }
        return side > 0 && rounding == 3 ? Math.nextUp(near) : near;
    }

    private static double directed(double near, BigDecimal exact, int rounding) {
        int sign = exact.signum();
        boolean infinite = Double.isInfinite(near);
        int side = infinite ? -sign : exact.compareTo(new BigDecimal(near));
        if (side < 0 && (rounding == 2 || (rounding == 1 && sign > 0))) {
            return Math.nextDown(near);
        }
        if (side > 0 && (rounding == 3 || (rounding == 1 && sign < 0))) {
            return Math.nextUp(near);
        }
        return near;
    }

    public static float neg(float a) {
        return Float.intBitsToFloat(Float.floatToRawIntBits(a) ^ 0x80000000);
    }

    public static float abs(float a) {
        return Math.abs(a);
    }

    public static double negD(double a) {
        return Double.longBitsToDouble(Double.doubleToRawLongBits(a) ^ Long.MIN_VALUE);
    }

    public static double absD(double a) {
        return Math.abs(a);
    }

    /** A NaN loses against a number; -0 is less than +0. */
    public static float min(float a, float b) {
        return Float.isNaN(a) ? b : Float.isNaN(b) ? a : Math.min(a, b);
    }

    public static float max(float a, float b) {
        return Float.isNaN(a) ? b : Float.isNaN(b) ? a : Math.max(a, b);
    }

    public static float minNan(float a, float b) {
        return Math.min(a, b);
    }

    public static float maxNan(float a, float b) {
        return Math.max(a, b);
    }

    public static double minD(double a, double b) {
        return Double.isNaN(a) ? b : Double.isNaN(b) ? a : Math.min(a, b);
    }

    public static double maxD(double a, double b) {
        return Double.isNaN(a) ? b : Double.isNaN(b) ? a : Math.max(a, b);
    }

    /** The result's sign is the exclusive or of both signs: {@code .xorsign.abs} of min and max. */
    public static float xorSign(float result, float a, float b) {
        int sign = (Float.floatToRawIntBits(a) ^ Float.floatToRawIntBits(b)) & 0x80000000;
        return Float.intBitsToFloat((Float.floatToRawIntBits(result) & 0x7fffffff) | sign);
    }

    /** b with the sign of a, as {@code copysign d, a, b} does. */
    public static float copySign(float a, float b) {
        return Float.intBitsToFloat(
                (Float.floatToRawIntBits(b) & 0x7fffffff) | (Float.floatToRawIntBits(a) & 0x80000000));
    }

    public static double copySignD(double a, double b) {
        return Double.longBitsToDouble(
                (Double.doubleToRawLongBits(b) & Long.MAX_VALUE) | (Double.doubleToRawLongBits(a) & Long.MIN_VALUE));
    }

    /** Subnormals become a zero of the same sign. */
    public static float flush(float a) {
        return Math.abs(a) < Float.MIN_NORMAL ? Float.intBitsToFloat(Float.floatToRawIntBits(a) & 0x80000000) : a;
    }

    /** Clamped to 0 and 1; NaN becomes 0. */
    public static float saturate(float a) {
        return a > 0 ? Math.min(a, 1f) : 0f;
    }

    public static double saturateD(double a) {
        return a > 0 ? Math.min(a, 1.0) : 0.0;
    }

    /** Within 1 ulp here (2 ulp on devices); a divisor beyond 2^126 gives 0 as it does there. */
    public static float divApprox(float a, float b) {
        float magnitude = Math.abs(b);
        if (magnitude > 0x1p126f && magnitude <= Float.MAX_VALUE) {
            return Float.isNaN(a) || Float.isInfinite(a)
                    ? Float.NaN
                    : Float.intBitsToFloat((Float.floatToRawIntBits(a) ^ Float.floatToRawIntBits(b)) & 0x80000000);
        }
        return a / b;
    }

    /** 2^a within 1 ulp (2 ulp on devices). */
    public static float ex2(float a) {
        if (!(Math.abs(a) < 160f)) {
            return Float.isNaN(a) ? a : a > 0 ? Float.POSITIVE_INFINITY : 0f;
        }
        // Adding 1.5 * 2^52 rounds to the nearest whole number without a branch.
        double whole = a + 0x1.8p52 - 0x1.8p52;
        double x = (a - whole) * 0.6931471805599453;
        double p = 1.0 / 40320;
        p = p * x + 1.0 / 5040;
        p = p * x + 1.0 / 720;
        p = p * x + 1.0 / 120;
        p = p * x + 1.0 / 24;
        p = p * x + 1.0 / 6;
        p = p * x + 0.5;
        p = p * x + 1;
        p = p * x + 1;
        return (float) (p * Double.longBitsToDouble((long) ((int) whole + 1023) << 52));
    }

    /** log2(a) within 1 ulp. */
    public static float lg2(float a) {
        return (float) (Math.log(a) * LOG2E);
    }

    /** Within 1 ulp; devices are within 2^-20.5 in one period around 0. */
    public static float sin(float a) {
        return (float) Math.sin(a);
    }

    public static float cos(float a) {
        return (float) Math.cos(a);
    }

    public static float rsqrt(float a) {
        return (float) (1 / Math.sqrt(a));
    }

    public static double rsqrtD(double a) {
        return 1 / Math.sqrt(a);
    }

    public static float tanh(float a) {
        return (float) Math.tanh(a);
    }

    /** Of a double's upper word: 1/a with the lower word 0, as {@code rcp.approx.ftz.f64} gives. */
    public static double rcpApproxD(double a) {
        return upper(1 / upper(a));
    }

    public static double rsqrtApproxD(double a) {
        return upper(1 / Math.sqrt(upper(a)));
    }

    private static double upper(double a) {
        double cut = Double.longBitsToDouble(Double.doubleToRawLongBits(a) & 0xffffffff00000000L);
        if (Math.abs(cut) < Double.MIN_NORMAL) {
            return Double.longBitsToDouble(Double.doubleToRawLongBits(a) & Long.MIN_VALUE);
        }
        return Double.isNaN(a) ? a : cut;
    }

    /** {@code testp}: 0 finite, 1 infinite, 2 number, 3 notanumber, 4 normal, 5 subnormal. Zero counts as normal. */
    public static int test(float a, int property) {
        float m = Math.abs(a);
        boolean is = switch (property) {
            case 0 -> Float.isFinite(a);
            case 1 -> Float.isInfinite(a);
            case 2 -> !Float.isNaN(a);
            case 3 -> Float.isNaN(a);
            case 4 -> a == 0 || (Float.isFinite(a) && m >= Float.MIN_NORMAL);
            default -> m > 0 && m < Float.MIN_NORMAL;
        };
        return is ? 1 : 0;
    }

    public static int testD(double a, int property) {
        double m = Math.abs(a);
        boolean is = switch (property) {
            case 0 -> Double.isFinite(a);
            case 1 -> Double.isInfinite(a);
            case 2 -> !Double.isNaN(a);
            case 3 -> Double.isNaN(a);
            case 4 -> a == 0 || (Double.isFinite(a) && m >= Double.MIN_NORMAL);
            default -> m > 0 && m < Double.MIN_NORMAL;
        };
        return is ? 1 : 0;
    }
}
