package dev.panamark.kernel.format;

/**
 * A binary floating-point format narrower than a double: sign, exponent, fraction, with gradual underflow.
 *
 * @param fraction bits of the fraction
 * @param bias of the exponent
 * @param width bits in all
 * @param maxCode magnitude code of the largest finite value
 * @param infCode magnitude code of infinity; 0 where the format has none
 * @param nanCode magnitude code written for NaN
 * @param signedZero false for the FNUZ formats, whose code of minus zero is their only NaN
 */
record MiniFloat(int fraction, int bias, int width, long maxCode, long infCode, long nanCode, boolean signedZero) {
    private static final long DOUBLE_INF = 0x7FF0_0000_0000_0000L;

    static final MiniFloat F16 = new MiniFloat(10, 15, 16, 0x7BFF, 0x7C00, 0x7E00, true);
    static final MiniFloat BF16 = new MiniFloat(7, 127, 16, 0x7F7F, 0x7F80, 0x7FC0, true);
    static final MiniFloat E4M3 = new MiniFloat(3, 7, 8, 0x7E, 0, 0x7F, true);
    static final MiniFloat E5M2 = new MiniFloat(2, 15, 8, 0x7B, 0x7C, 0x7F, true);
    static final MiniFloat E4M3FNUZ = new MiniFloat(3, 8, 8, 0x7F, 0, 0x80, false);
    static final MiniFloat E5M2FNUZ = new MiniFloat(2, 16, 8, 0x7F, 0, 0x80, false);

    /** The value of a code. */
    double decode(long code) {
        long magnitude = code & (signMask() - 1);
        boolean negative = (code & signMask()) != 0;
        if (!signedZero && magnitude == 0 && negative) {
            return Double.NaN;
        }
        double value;
        if (magnitude > maxCode) {
            value = magnitude == infCode ? Double.POSITIVE_INFINITY : Double.NaN;
        } else {
            long exponent = magnitude >>> fraction;
            long mantissa = magnitude & ((1L << fraction) - 1);
            value = exponent == 0
                    ? Math.scalb((double) mantissa, 1 - bias - fraction)
                    : Math.scalb((double) (mantissa | (1L << fraction)), (int) exponent - bias - fraction);
        }
        // Through the bits, because negating a NaN need not set its sign.
        return negative ? Double.longBitsToDouble(Double.doubleToRawLongBits(value) | Long.MIN_VALUE) : value;
    }

    /** The code nearest to a value, ties to the even code, in one rounding. */
    long encode(double value, boolean saturate) {
        long bits = Double.doubleToRawLongBits(value);
        long sign = bits < 0 ? signMask() : 0;
        long magnitude = bits & Long.MAX_VALUE;
        if (magnitude > DOUBLE_INF) {
            return signedZero ? sign | nanCode : nanCode;
        }
        long code;
        if (magnitude >= (1024L - bias) << 52) {
            // A normal number: drop the fraction bits that do not fit; a carry moves into the exponent by itself.
            int drop = 52 - fraction;
            long tie = (1L << (drop - 1)) - 1 + ((magnitude >>> drop) & 1);
            code = (magnitude - ((1023L - bias) << 52) + tie) >>> drop;
        } else {
            // A subnormal: adding 2^52 steps of the format lets the processor round to whole steps.
            long steps = (1023L + 52 + 1 - bias - fraction) << 52;
            code = Double.doubleToRawLongBits(Double.longBitsToDouble(magnitude) + Double.longBitsToDouble(steps))
                    - steps;
        }
        if (code > maxCode) {
            if (saturate) {
                code = maxCode;
            } else if (infCode != 0) {
                code = infCode;
            } else {
                return signedZero ? sign | nanCode : nanCode;
            }
        }
        return code == 0 && !signedZero ? 0 : sign | code;
    }

    private long signMask() {
        return 1L << (width - 1);
    }
}
