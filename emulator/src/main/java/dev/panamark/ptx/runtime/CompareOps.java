package dev.panamark.ptx.runtime;

/** Comparisons, 1 for true. Those of floats are false for NaN, and those ending in {@code Or} true. */
public final class CompareOps {
    private CompareOps() {}

    public static int eq32(int a, int b) {
        return a == b ? 1 : 0;
    }

    public static int ne32(int a, int b) {
        return a != b ? 1 : 0;
    }

    public static int ltS32(int a, int b) {
        return a < b ? 1 : 0;
    }

    public static int leS32(int a, int b) {
        return a <= b ? 1 : 0;
    }

    public static int gtS32(int a, int b) {
        return a > b ? 1 : 0;
    }

    public static int geS32(int a, int b) {
        return a >= b ? 1 : 0;
    }

    public static int ltU32(int a, int b) {
        return Integer.compareUnsigned(a, b) < 0 ? 1 : 0;
    }

    public static int leU32(int a, int b) {
        return Integer.compareUnsigned(a, b) <= 0 ? 1 : 0;
    }

    public static int gtU32(int a, int b) {
        return Integer.compareUnsigned(a, b) > 0 ? 1 : 0;
    }

    public static int geU32(int a, int b) {
        return Integer.compareUnsigned(a, b) >= 0 ? 1 : 0;
    }

    public static int eq64(long a, long b) {
        return a == b ? 1 : 0;
    }

    public static int ne64(long a, long b) {
        return a != b ? 1 : 0;
    }

    public static int ltS64(long a, long b) {
        return a < b ? 1 : 0;
    }

    public static int leS64(long a, long b) {
        return a <= b ? 1 : 0;
    }

    public static int gtS64(long a, long b) {
        return a > b ? 1 : 0;
    }

    public static int geS64(long a, long b) {
        return a >= b ? 1 : 0;
    }

    public static int ltU64(long a, long b) {
        return Long.compareUnsigned(a, b) < 0 ? 1 : 0;
    }

    public static int leU64(long a, long b) {
        return Long.compareUnsigned(a, b) <= 0 ? 1 : 0;
    }

    public static int gtU64(long a, long b) {
        return Long.compareUnsigned(a, b) > 0 ? 1 : 0;
    }

    public static int geU64(long a, long b) {
        return Long.compareUnsigned(a, b) >= 0 ? 1 : 0;
    }

    public static int eqF32(float a, float b) {
        return a == b ? 1 : 0;
    }

    public static int neF32(float a, float b) {
        return a < b || a > b ? 1 : 0;
    }

    public static int ltF32(float a, float b) {
        return a < b ? 1 : 0;
    }

    public static int leF32(float a, float b) {
        return a <= b ? 1 : 0;
    }

    public static int gtF32(float a, float b) {
        return a > b ? 1 : 0;
    }

    public static int geF32(float a, float b) {
        return a >= b ? 1 : 0;
    }

    public static int eqF32Or(float a, float b) {
        return a < b || a > b ? 0 : 1;
    }

    public static int neF32Or(float a, float b) {
        return a == b ? 0 : 1;
    }

    public static int ltF32Or(float a, float b) {
        return a >= b ? 0 : 1;
    }

    public static int leF32Or(float a, float b) {
        return a > b ? 0 : 1;
    }

    public static int gtF32Or(float a, float b) {
        return a <= b ? 0 : 1;
    }

    public static int geF32Or(float a, float b) {
        return a < b ? 0 : 1;
    }

    /** Neither is NaN. */
    public static int numF32(float a, float b) {
        return Float.isNaN(a) || Float.isNaN(b) ? 0 : 1;
    }

    public static int nanF32(float a, float b) {
        return Float.isNaN(a) || Float.isNaN(b) ? 1 : 0;
    }

    public static int eqF64(double a, double b) {
        return a == b ? 1 : 0;
    }

    public static int neF64(double a, double b) {
        return a < b || a > b ? 1 : 0;
    }

    public static int ltF64(double a, double b) {
        return a < b ? 1 : 0;
    }

    public static int leF64(double a, double b) {
        return a <= b ? 1 : 0;
    }

    public static int gtF64(double a, double b) {
        return a > b ? 1 : 0;
    }

    public static int geF64(double a, double b) {
        return a >= b ? 1 : 0;
    }

    public static int eqF64Or(double a, double b) {
        return a < b || a > b ? 0 : 1;
    }

    public static int neF64Or(double a, double b) {
        return a == b ? 0 : 1;
    }

    public static int ltF64Or(double a, double b) {
        return a >= b ? 0 : 1;
    }

    public static int leF64Or(double a, double b) {
        return a > b ? 0 : 1;
    }

    public static int gtF64Or(double a, double b) {
        return a <= b ? 0 : 1;
    }

    public static int geF64Or(double a, double b) {
        return a < b ? 0 : 1;
    }

    public static int numF64(double a, double b) {
        return Double.isNaN(a) || Double.isNaN(b) ? 0 : 1;
    }

    public static int nanF64(double a, double b) {
        return Double.isNaN(a) || Double.isNaN(b) ? 1 : 0;
    }

    /** All ones for true: what {@code set} writes into integers. */
    public static int ones(int p) {
        return -p;
    }

    /** 1.0 for true: what {@code set} writes into f32. */
    public static float one(int p) {
        return p;
    }

    /** 1.0 for true in f16, or in bf16. */
    public static int oneHalf(int p) {
        return p * 0x3c00;
    }

    public static int oneBf16(int p) {
        return p * 0x3f80;
    }

    /** Nonzero where the sign bit is clear and it is not negative, as {@code slct} asks. */
    public static int notNegative(int c) {
        return c >= 0 ? 1 : 0;
    }
}
