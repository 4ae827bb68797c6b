package dev.panamark.ptx.runtime;

/**
 * Integer arithmetic. Values of 16 and 8 bits come extended to int by their sign and are cut by {@link #cut16}
 * afterwards. Suffixes: {@code S}/{@code U} signed or unsigned, {@code 32}/{@code 64} the width.
 */
public final class IntegerOps {
    private IntegerOps() {}

    public static int add32(int a, int b) {
        return a + b;
    }

    public static long add64(long a, long b) {
        return a + b;
    }

    public static int sub32(int a, int b) {
        return a - b;
    }

    public static long sub64(long a, long b) {
        return a - b;
    }

    public static int mul32(int a, int b) {
        return a * b;
    }

    public static long mul64(long a, long b) {
        return a * b;
    }

    public static int mad32(int a, int b, int c) {
        return a * b + c;
    }

    public static long mad64(long a, long b, long c) {
        return a * b + c;
    }

    public static int addSat(int a, int b) {
        return clamp((long) a + b);
    }

    public static int subSat(int a, int b) {
        return clamp((long) a - b);
    }

    private static int clamp(long value) {
        return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, value));
    }

    public static int madHiSat(int a, int b, int c) {
        return clamp((long) mulHiS32(a, b) + c);
    }

    /** Carry out of a + b + carry. */
    public static int carry32(int a, int b, int carry) {
        return (int) (((a & 0xffffffffL) + (b & 0xffffffffL) + carry) >>> 32);
    }

    public static int addCarry32(int a, int b, int carry) {
        return a + b + carry;
    }

    public static int carry64(long a, long b, int carry) {
        long sum = a + b;
        boolean first = Long.compareUnsigned(sum, a) < 0;
        return first || (carry != 0 && sum == -1L) ? 1 : 0;
    }

    public static long addCarry64(long a, long b, int carry) {
        return a + b + carry;
    }

    /** Borrow out of a - b - borrow. */
    public static int borrow32(int a, int b, int borrow) {
        return (a & 0xffffffffL) < (b & 0xffffffffL) + borrow ? 1 : 0;
    }

    public static int subBorrow32(int a, int b, int borrow) {
        return a - b - borrow;
    }

    public static int borrow64(long a, long b, int borrow) {
        int order = Long.compareUnsigned(a, b);
        return order < 0 || (order == 0 && borrow != 0) ? 1 : 0;
    }

    public static long subBorrow64(long a, long b, int borrow) {
        return a - b - borrow;
    }

    public static int mulHi16(int a, int b) {
        return (a * b) >> 16;
    }

    public static int mulHiS32(int a, int b) {
        return (int) (((long) a * b) >> 32);
    }

    public static int mulHiU32(int a, int b) {
        return (int) (((a & 0xffffffffL) * (b & 0xffffffffL)) >>> 32);
    }

    public static long mulHiS64(long a, long b) {
        return Math.multiplyHigh(a, b);
    }

    public static long mulHiU64(long a, long b) {
        return Math.unsignedMultiplyHigh(a, b);
    }

    public static long mulWideS32(int a, int b) {
        return (long) a * b;
    }

    public static long mulWideU32(int a, int b) {
        return (a & 0xffffffffL) * (b & 0xffffffffL);
    }

    public static int mul24LoS(int a, int b) {
        return (int) mul48S(a, b);
    }

    public static int mul24LoU(int a, int b) {
        return (int) mul48U(a, b);
    }

    /** Bits 16 to 47 of the product of 24-bit values. */
    public static int mul24HiS(int a, int b) {
        return (int) (mul48S(a, b) >> 16);
    }

    public static int mul24HiU(int a, int b) {
        return (int) (mul48U(a, b) >>> 16);
    }

    private static long mul48S(int a, int b) {
        return (long) (a << 8 >> 8) * (b << 8 >> 8);
    }

    private static long mul48U(int a, int b) {
        return (long) (a & 0xffffff) * (b & 0xffffff);
    }

    /** What a division by zero gives is not specified; here all ones, as devices do. */
    public static int divS32(int a, int b) {
        return b == 0 ? -1 : a / b;
    }

    public static int divU32(int a, int b) {
        return b == 0 ? -1 : Integer.divideUnsigned(a, b);
    }

    public static long divS64(long a, long b) {
        return b == 0 ? -1 : a / b;
    }

    public static long divU64(long a, long b) {
        return b == 0 ? -1 : Long.divideUnsigned(a, b);
    }

    public static int remS32(int a, int b) {
        return b == 0 ? a : a % b;
    }

    public static int remU32(int a, int b) {
        return b == 0 ? a : Integer.remainderUnsigned(a, b);
    }

    public static long remS64(long a, long b) {
        return b == 0 ? a : a % b;
    }

    public static long remU64(long a, long b) {
        return b == 0 ? a : Long.remainderUnsigned(a, b);
    }

    public static int abs32(int a) {
        return a < 0 ? -a : a;
    }

    public static long abs64(long a) {
        return a < 0 ? -a : a;
    }

    public static int neg32(int a) {
        return -a;
    }

    public static long neg64(long a) {
        return -a;
    }

    public static int minS32(int a, int b) {
        return Math.min(a, b);
    }

    public static int maxS32(int a, int b) {
        return Math.max(a, b);
    }

    public static int minU32(int a, int b) {
        return Integer.compareUnsigned(a, b) < 0 ? a : b;
    }

    public static int maxU32(int a, int b) {
        return Integer.compareUnsigned(a, b) > 0 ? a : b;
    }

    public static long minS64(long a, long b) {
        return Math.min(a, b);
    }

    public static long maxS64(long a, long b) {
        return Math.max(a, b);
    }

    public static long minU64(long a, long b) {
        return Long.compareUnsigned(a, b) < 0 ? a : b;
    }

    public static long maxU64(long a, long b) {
        return Long.compareUnsigned(a, b) > 0 ? a : b;
    }

    /** Two 16-bit values at once. */
    public static int add16x2(int a, int b) {
        return pack(a + b, (a >>> 16) + (b >>> 16));
    }

    public static int minS16x2(int a, int b) {
        return pack(Math.min((short) a, (short) b), Math.min(a >> 16, b >> 16));
    }

    public static int maxS16x2(int a, int b) {
        return pack(Math.max((short) a, (short) b), Math.max(a >> 16, b >> 16));
    }

    public static int minU16x2(int a, int b) {
        return pack(Math.min(a & 0xffff, b & 0xffff), Math.min(a >>> 16, b >>> 16));
    }

    public static int maxU16x2(int a, int b) {
        return pack(Math.max(a & 0xffff, b & 0xffff), Math.max(a >>> 16, b >>> 16));
    }

    private static int pack(int low, int high) {
        return (low & 0xffff) | high << 16;
    }

    public static int relu32(int a) {
        return Math.max(a, 0);
    }

    public static int sadS32(int a, int b, int c) {
        return c + (a < b ? b - a : a - b);
    }

    public static int sadU32(int a, int b, int c) {
        return c + (Integer.compareUnsigned(a, b) < 0 ? b - a : a - b);
    }

    public static long sadS64(long a, long b, long c) {
        return c + (a < b ? b - a : a - b);
    }

    public static long sadU64(long a, long b, long c) {
        return c + (Long.compareUnsigned(a, b) < 0 ? b - a : a - b);
    }

    /** Sum of four products of bytes; bit 0 of {@code signs}: a's are signed, bit 1: b's are. */
    public static int dp4a(int a, int b, int c, int signs) {
        int sum = c;
        for (int i = 0; i < 32; i += 8) {
            int x = (signs & 1) != 0 ? (byte) (a >> i) : (a >> i) & 0xff;
            int y = (signs & 2) != 0 ? (byte) (b >> i) : (b >> i) & 0xff;
            sum += x * y;
        }
        return sum;
    }

    /** Sum of the products of a's halves and two bytes of b, from bit {@code shift} on. */
    public static int dp2a(int a, int b, int c, int signs, int shift) {
        int sum = c;
        for (int i = 0; i < 2; i++) {
            int x = (signs & 1) != 0 ? (short) (a >> (16 * i)) : (a >> (16 * i)) & 0xffff;
            int at = shift + 8 * i;
            int y = (signs & 2) != 0 ? (byte) (b >> at) : (b >> at) & 0xff;
            sum += x * y;
        }
        return sum;
    }

    public static int cut16(int a) {
        return a & 0xffff;
    }

    public static int cut8(int a) {
        return a & 0xff;
    }

    public static int signed16(int a) {
        return (short) a;
    }

    public static int signed8(int a) {
        return (byte) a;
    }
}
