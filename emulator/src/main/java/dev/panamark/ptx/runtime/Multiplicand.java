package dev.panamark.ptx.runtime;

import dev.panamark.ptx.ir.Element;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.MatrixFragment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A matrix taken out of the registers of a warp. Kernels multiply the same one by several others, so it is kept: what its
 * registers held last time need not be unpacked again. Of one thread.
 */
final class Multiplicand {
    private static final int LANES = 32;

    /** Of 32 x 16 elements of f16, or of 16 x 64 of four bits. */
    private static final int MOST = 1024;

    /** Of 32 bits: eight registers of 32 lanes. */
    private static final int MOST_WORDS = 256;

    private static final float[] E4M3 = table(0);
    private static final float[] E5M2 = table(1);

    /** By the number of the element, as {@link MatrixFragment#place} says; in the array of the kind of the format. */
    final float[] reals = new float[MOST];

    final double[] doubles = new double[MOST];
    final int[] wholes = new int[MOST];

    private int[] raw = new int[MOST_WORDS];
    private int[] last = new int[MOST_WORDS];
    private final long[] longs = new long[MOST];
    private @Nullable MatrixFragment known;

    private static float[] table(int kind) {
        float[] values = new float[256];
        for (int code = 0; code < 256; code++) {
            values[code] = ConvertOps.floatOfFp8(code, kind);
        }
        return values;
    }

    /** Takes the matrix that {@code registers} hold. */
    void take(Warp warp, MatrixFragment fragment, List<Expr> registers) {
        if (fragment.element() == Element.F64) {
            takeLongs(warp, fragment, registers);
            return;
        }
        int count = LANES * fragment.distinct();
        for (int r = 0; r < fragment.distinct(); r++) {
            switch (registers.get(r)) {
                case Expr.Read read ->
                    System.arraycopy(warp.words, LANES * read.register().index(), raw, LANES * r, LANES);
                case Expr other -> Arrays.fill(raw, LANES * r, LANES * r + LANES, (int) Evaluate.bits(other, warp, 0));
            }
        }
        if (fragment == known && Arrays.equals(raw, 0, count, last, 0, count)) {
            return;
        }
        known = fragment;
        switch (fragment.element()) {
            case F16 -> halves(fragment, count);
            case BF16 -> brains(fragment, count);
            case TF32 -> shortened(fragment, count);
            case F32 -> singles(fragment, count);
            case E4M3 -> bytes(fragment, count, E4M3);
            case E5M2 -> bytes(fragment, count, E5M2);
            default -> wholes(fragment, count);
        }
        int[] spare = last;
        last = raw;
        raw = spare;
    }

    /** The matrix is changed, so that it is taken anew next time. */
    void forget() {
        known = null;
    }

    private void takeLongs(Warp warp, MatrixFragment fragment, List<Expr> registers) {
        known = fragment;
        for (int r = 0; r < fragment.distinct(); r++) {
            for (int lane = 0; lane < LANES; lane++) {
                longs[LANES * r + lane] = Evaluate.bits(registers.get(r), warp, lane);
            }
        }
        for (int i = 0; i < LANES * fragment.distinct(); i++) {
            doubles[fragment.place(i)] = Double.longBitsToDouble(longs[i]);
        }
    }

    private void halves(MatrixFragment fragment, int count) {
        for (int i = 0; i < count; i++) {
            int word = raw[i];
            reals[fragment.place(2 * i)] = Float.float16ToFloat((short) word);
            reals[fragment.place(2 * i + 1)] = Float.float16ToFloat((short) (word >>> 16));
        }
    }

    private void brains(MatrixFragment fragment, int count) {
        for (int i = 0; i < count; i++) {
            int word = raw[i];
            reals[fragment.place(2 * i)] = Float.intBitsToFloat(word << 16);
            reals[fragment.place(2 * i + 1)] = Float.intBitsToFloat(word & 0xffff0000);
        }
    }

    private void shortened(MatrixFragment fragment, int count) {
        for (int i = 0; i < count; i++) {
            reals[fragment.place(i)] = Float.intBitsToFloat(raw[i] & 0xffffe000);
        }
    }

    private void singles(MatrixFragment fragment, int count) {
        for (int i = 0; i < count; i++) {
            reals[fragment.place(i)] = Float.intBitsToFloat(raw[i]);
        }
    }

    private void bytes(MatrixFragment fragment, int count, float[] values) {
        for (int i = 0; i < 4 * count; i++) {
            reals[fragment.place(i)] = values[raw[i >> 2] >>> (8 * (i & 3)) & 0xff];
        }
    }

    private void wholes(MatrixFragment fragment, int count) {
        int e = fragment.element().perRegister();
        int bits = fragment.element().bits();
        boolean signed = fragment.element() == Element.S8 || fragment.element() == Element.S4;
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < e; j++) {
                int above = raw[i] << (32 - bits - bits * j);
                wholes[fragment.place(e * i + j)] = signed ? above >> (32 - bits) : above >>> (32 - bits);
            }
        }
    }
}
