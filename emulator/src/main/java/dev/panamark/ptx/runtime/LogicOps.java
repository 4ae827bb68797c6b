package dev.panamark.ptx.runtime;

/** Bits: logic, shifts, fields, counts, permutations, moves between widths; and predicates, which are 0 or 1. */
public final class LogicOps {
    private LogicOps() {}

    public static int and32(int a, int b) {
        return a & b;
    }

    public static long and64(long a, long b) {
        return a & b;
    }

    public static int or32(int a, int b) {
        return a | b;
    }

    public static long or64(long a, long b) {
        return a | b;
    }

    public static int xor32(int a, int b) {
        return a ^ b;
    }

    public static long xor64(long a, long b) {
        return a ^ b;
    }

    public static int not32(int a) {
        return ~a;
    }

    public static long not64(long a) {
        return ~a;
    }

    public static int cnot32(int a) {
        return a == 0 ? 1 : 0;
    }

    public static long cnot64(long a) {
        return a == 0 ? 1 : 0;
    }

    public static int notPred(int p) {
        return p ^ 1;
    }

    public static int lop3(int a, int b, int c, int table) {
        int result = 0;
        for (int i = 0; i < 8; i++) {
            if ((table >> i & 1) != 0) {
                result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
            }
        }
        return result;
    }

    /** Amounts of the width and more shift everything out. */
    public static int shl32(int a, int n) {
        return Integer.compareUnsigned(n, 31) > 0 ? 0 : a << n;
    }

    public static long shl64(long a, int n) {
        return Integer.compareUnsigned(n, 63) > 0 ? 0 : a << n;
    }

    public static int shrU32(int a, int n) {
        return Integer.compareUnsigned(n, 31) > 0 ? 0 : a >>> n;
    }

    public static long shrU64(long a, int n) {
        return Integer.compareUnsigned(n, 63) > 0 ? 0 : a >>> n;
    }

    public static int shrS32(int a, int n) {
        return a >> (Integer.compareUnsigned(n, 31) > 0 ? 31 : n);
    }

    public static long shrS64(long a, int n) {
        return a >> (Integer.compareUnsigned(n, 63) > 0 ? 63 : n);
    }

    /** High word of b:a shifted left. */
    public static int shfLWrap(int a, int b, int n) {
        int s = n & 31;
        return (int) (join32(a, b) << s >>> 32);
    }

    public static int shfLClamp(int a, int b, int n) {
        int s = Integer.compareUnsigned(n, 32) > 0 ? 32 : n;
        return (int) (join32(a, b) << s >>> 32);
    }

    /** Low word of b:a shifted right. */
    public static int shfRWrap(int a, int b, int n) {
        return (int) (join32(a, b) >>> (n & 31));
    }

    public static int shfRClamp(int a, int b, int n) {
        return (int) (join32(a, b) >>> (Integer.compareUnsigned(n, 32) > 0 ? 32 : n));
    }

    public static int bfeU32(int a, int position, int length) {
        int p = position & 0xff;
        int n = length & 0xff;
        int shifted = p > 31 ? 0 : a >>> p;
        return n > 31 ? shifted : shifted & ((1 << n) - 1);
    }

    public static long bfeU64(long a, int position, int length) {
        int p = position & 0xff;
        int n = length & 0xff;
        long shifted = p > 63 ? 0 : a >>> p;
        return n > 63 ? shifted : shifted & ((1L << n) - 1);
    }

    /** Fields that reach beyond the top are filled with the sign of the value; an empty field is 0. */
    public static int bfeS32(int a, int position, int length) {
        int p = position & 0xff;
        int n = length & 0xff;
        if (n == 0) {
            return 0;
        }
        int top = Math.min(p + n - 1, 31);
        int sign = a >> top & 1;
        int field = bfeU32(a, p, n);
        int width = Math.max(0, top - p + 1);
        return sign == 0 || width > 31 ? field : width == 0 ? -1 : field | -1 << width;
    }

    public static long bfeS64(long a, int position, int length) {
        int p = position & 0xff;
        int n = length & 0xff;
        if (n == 0) {
            return 0;
        }
        int top = Math.min(p + n - 1, 63);
        long sign = a >> top & 1;
        long field = bfeU64(a, p, n);
        int width = Math.max(0, top - p + 1);
        return sign == 0 || width > 63 ? field : width == 0 ? -1 : field | -1L << width;
    }

    /** a's low bits put into b. */
    public static int bfi32(int a, int b, int position, int length) {
        int p = position & 0xff;
        int n = length & 0xff;
        if (p > 31 || n == 0) {
            return b;
        }
        int mask = (n > 31 ? -1 : (1 << n) - 1) << p;
        return (b & ~mask) | (a << p & mask);
    }

    public static long bfi64(long a, long b, int position, int length) {
        int p = position & 0xff;
        int n = length & 0xff;
        if (p > 63 || n == 0) {
            return b;
        }
        long mask = (n > 63 ? -1 : (1L << n) - 1) << p;
        return (b & ~mask) | (a << p & mask);
    }

    public static int bmskClamp(int position, int length) {
        return bmsk(Integer.compareUnsigned(position, 32) > 0 ? 32 : position, length);
    }

    public static int bmskWrap(int position, int length) {
        return bmsk(position & 31, length & 31);
    }

    private static int bmsk(int position, int length) {
        int n = Integer.compareUnsigned(length, 32) > 0 ? 32 : length;
        long mask = ((1L << n) - 1) << position;
        return (int) mask;
    }

    public static int szextClampS(int a, int n) {
        return Integer.compareUnsigned(n, 32) >= 0 ? a : n == 0 ? 0 : a << (32 - n) >> (32 - n);
    }

    public static int szextClampU(int a, int n) {
        return Integer.compareUnsigned(n, 32) >= 0 ? a : n == 0 ? 0 : a << (32 - n) >>> (32 - n);
    }

    public static int szextWrapS(int a, int n) {
        return szextClampS(a, n & 31);
    }

    public static int szextWrapU(int a, int n) {
        return szextClampU(a, n & 31);
    }

    public static int brev32(int a) {
        return Integer.reverse(a);
    }

    public static long brev64(long a) {
        return Long.reverse(a);
    }

    public static int popc32(int a) {
        return Integer.bitCount(a);
    }

    public static int popc64(long a) {
        return Long.bitCount(a);
    }

    public static int clz32(int a) {
        return Integer.numberOfLeadingZeros(a);
    }

    public static int clz64(long a) {
        return Long.numberOfLeadingZeros(a);
    }

    /** Position of the highest bit that is not the sign; all ones for none. */
    public static int bfindU32(int a) {
        return 31 - Integer.numberOfLeadingZeros(a);
    }

    public static int bfindS32(int a) {
        return bfindU32(a < 0 ? ~a : a);
    }

    public static int bfindU64(long a) {
        return 63 - Long.numberOfLeadingZeros(a);
    }

    public static int bfindS64(long a) {
        return bfindU64(a < 0 ? ~a : a);
    }

    /** {@code bfind.shiftamt} of what {@code bfind} found. */
    public static int shiftAmount32(int found) {
        return found < 0 ? -1 : 31 - found;
    }

    public static int shiftAmount64(int found) {
        return found < 0 ? -1 : 63 - found;
    }

    /** The n-th set bit from {@code base} on, upwards for n &gt; 0; all ones where there is none. */
    public static int fns(int mask, int base, int n) {
        if (Integer.compareUnsigned(base, 31) > 0) {
            return -1;
        }
        if (n == 0) {
            return (mask >>> base & 1) != 0 ? base : -1;
        }
        int left = Math.abs(n);
        for (int i = base; i >= 0 && i < 32; i += n > 0 ? 1 : -1) {
            if ((mask >>> i & 1) != 0 && --left == 0) {
                return i;
            }
        }
        return -1;
    }

    /** Bytes of b:a chosen by the nibbles of {@code selector}; their top bits spread the chosen byte's sign. */
    public static int prmt(int a, int b, int selector) {
        int result = 0;
        for (int i = 0; i < 4; i++) {
            int nibble = selector >>> (4 * i);
            int value = byteOf(a, b, nibble & 7);
            if ((nibble & 8) != 0) {
                value = (value & 0x80) != 0 ? 0xff : 0;
            }
            result |= value << (8 * i);
        }
        return result;
    }

    /** Modes 0 to 5: f4e, b4e, rc8, ecl, ecr, rc16. */
    public static int prmtMode(int a, int b, int selector, int mode) {
        int s = selector & 3;
        int result = 0;
        for (int i = 0; i < 4; i++) {
            int from = switch (mode) {
                case 0 -> s + i;
                case 1 -> (s - i) & 7;
                case 2 -> s;
                case 3 -> Math.max(i, s);
                case 4 -> Math.min(i, s);
                default -> (s & 1) * 2 + (i & 1);
            };
            result |= byteOf(a, b, from) << (8 * i);
        }
        return result;
    }

    private static int byteOf(int a, int b, int n) {
        return (n < 4 ? a >>> (8 * n) : b >>> (8 * (n - 4))) & 0xff;
    }

    public static long join32(int low, int high) {
        return (low & 0xffffffffL) | (long) high << 32;
    }

    public static int low32(long a) {
        return (int) a;
    }

    public static int high32(long a) {
        return (int) (a >>> 32);
    }

    public static int join16(int low, int high) {
        return (low & 0xffff) | high << 16;
    }

    public static int high16(int a) {
        return a >>> 16;
    }

    public static int select32(int a, int b, int p) {
        return p != 0 ? a : b;
    }

    public static long select64(long a, long b, int p) {
        return p != 0 ? a : b;
    }

    public static float selectFloat(float a, float b, int p) {
        return p != 0 ? a : b;
    }

    public static double selectDouble(double a, double b, int p) {
        return p != 0 ? a : b;
    }

    public static int lanesBelow(int lane) {
        return (1 << lane) - 1;
    }

    public static int lanesUpTo(int lane) {
        return -1 >>> (31 - lane);
    }

    public static int lanesAbove(int lane) {
        return ~lanesUpTo(lane);
    }

    public static int lanesFrom(int lane) {
        return -1 << lane;
    }

    public static int laneBit(int lane) {
        return 1 << lane;
    }

    /** Sum of the absolute differences of bytes and c. */
    public static int vabsdiff4(int a, int b, int c, int signed, int accumulate) {
        int result = 0;
        int sum = c;
        for (int i = 0; i < 32; i += 8) {
            int x = signed != 0 ? (byte) (a >> i) : a >> i & 0xff;
            int y = signed != 0 ? (byte) (b >> i) : b >> i & 0xff;
            int difference = Math.abs(x - y);
            sum += difference;
            result |= (difference & 0xff) << i;
        }
        return accumulate != 0 ? sum : result;
    }
}
