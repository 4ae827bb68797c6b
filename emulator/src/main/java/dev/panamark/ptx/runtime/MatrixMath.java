package dev.panamark.ptx.runtime;

import dev.panamark.ptx.ir.Element;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.MatrixFragment;
import dev.panamark.ptx.ir.MatrixProduct;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Sync;
import java.util.List;

/**
 * Products of matrices, d = a b + c, for {@code mma} and {@code wmma.mma}.
 *
 * <p>Of f16, bf16, tf32 and 8-bit elements each element of d is a chain of fused multiply-adds in f32 that begins with
 * c and takes k in ascending order: products are exact, each sum is rounded to nearest even, subnormals stay. Where d is f16,
 * the chain is rounded once more, at its end. Of tf32 the lower 13 bits are ignored. f64 is the same chain in f64. The
 * PTX ISA leaves order and precision open ("accumulated with at least single precision", order unspecified). Hardware does
 * otherwise: it adds several products at once, aligned to the largest and truncated (M. Fasi, N. J. Higham, M.
 * Mikaitis, S. Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science 7:e330, 2021), so that last bits
 * differ. Whole numbers are exact; sums wrap, or with {@code .satfinite} stop at the range of s32.
 *
 * <p>Of one thread.
 */
final class MatrixMath {
    private static final int LANES = 32;

    /** A kernel holds a few of each at a time, which follow each other in its registers. */
    private static final int KEPT = 16;

    private final Multiplicand[] lefts = new Multiplicand[KEPT];
    private final Multiplicand[] rights = new Multiplicand[KEPT];
    private final Multiplicand c = new Multiplicand();
    /** Registers of c, of which there are at most 8. */
    private final int[] sums = new int[8 * LANES];

    /** Places of a tile's registers. */
    private final int[] places = new int[4];

    MatrixMath() {
        for (int i = 0; i < KEPT; i++) {
            lefts[i] = new Multiplicand();
            rights[i] = new Multiplicand();
        }
    }

    private static Multiplicand take(Multiplicand[] kept, Warp warp, MatrixFragment fragment, List<Expr> registers) {
        int slot =
                registers.getFirst() instanceof Expr.Read read ? read.register().index() / fragment.registers() : 0;
        Multiplicand multiplicand = kept[slot & (KEPT - 1)];
        multiplicand.take(warp, fragment, registers);
        return multiplicand;
    }

    void multiply(Warp warp, Sync.MultiplyMatrices multiply) {
        MatrixProduct product = multiply.product();
        Multiplicand a = take(lefts, warp, product.a(), multiply.a());
        Multiplicand b = take(rights, warp, product.b(), multiply.b());
        if (product.c().element() == Element.F32
                && product.d().element() == Element.F32
                && product.a().rows() >= 16) {
            singles(warp, multiply, a.reals, b.reals);
            return;
        }
        c.take(warp, product.c(), multiply.c());
        c.forget();
        int m = product.a().rows();
        int n = product.b().columns();
        int k = product.a().columns();
        switch (product.a().element()) {
            case F64 -> doubles(a.doubles, b.doubles, c.doubles, m, n, k);
            case S8, U8, S4, U4 -> wholes(a.wholes, b.wholes, c.wholes, m, n, k, product.saturate());
            default -> reals(a.reals, b.reals, c.reals, m, n, k);
        }
        put(warp, product.d(), multiply.d());
    }

    /** Sums of f32 in tiles of 16 x 8 stay in their registers: a lane has two columns of rows g and g + 8. */
    private void singles(Warp warp, Sync.MultiplyMatrices multiply, float[] a, float[] b) {
        MatrixProduct product = multiply.product();
        int registers = product.c().distinct();
        // Registers of one tile may be read and those of another one written; constants are in no register.
        Multiplicand.words(warp, multiply.c(), registers, sums);
        int k = product.a().columns();
        int across = product.b().columns() / 8;
        for (int tile = 0; tile < registers / 4; tile++) {
            for (int r = 0; r < 4; r++) {
                places[r] = LANES * multiply.d().get(4 * tile + r).index();
            }
            tile(a, b, tile / across * 16 * k, tile % across * 8 * k, k, 4 * LANES * tile, warp.words);
        }
    }

    /**
     * A tile; four lanes at a time have two rows of eight columns, so that sixteen chains hide each other's latency.
     *
     * @param row where the tile's first row is in {@code a}
     * @param column where its first column is in {@code b}
     * @param from where its registers begin in {@link #sums}
     * @param d where its registers are put, at {@link #places}
     */
    private void tile(float[] a, float[] b, int row, int column, int k, int from, int[] d) {
        int[] c = sums;
        int d0 = places[0];
        int d1 = places[1];
        int d2 = places[2];
        int d3 = places[3];
        for (int lane = 0; lane < LANES; lane += 4) {
            int in = from + lane;
            int x = row + (lane >> 2) * k;
            int y = x + 8 * k;
            float s00 = Float.intBitsToFloat(c[in]);
            float s01 = Float.intBitsToFloat(c[in + LANES]);
            float s10 = Float.intBitsToFloat(c[in + 2 * LANES]);
            float s11 = Float.intBitsToFloat(c[in + 3 * LANES]);
            float s02 = Float.intBitsToFloat(c[in + 1]);
            float s03 = Float.intBitsToFloat(c[in + LANES + 1]);
            float s12 = Float.intBitsToFloat(c[in + 2 * LANES + 1]);
            float s13 = Float.intBitsToFloat(c[in + 3 * LANES + 1]);
            float s04 = Float.intBitsToFloat(c[in + 2]);
            float s05 = Float.intBitsToFloat(c[in + LANES + 2]);
            float s14 = Float.intBitsToFloat(c[in + 2 * LANES + 2]);
            float s15 = Float.intBitsToFloat(c[in + 3 * LANES + 2]);
            float s06 = Float.intBitsToFloat(c[in + 3]);
            float s07 = Float.intBitsToFloat(c[in + LANES + 3]);
            float s16 = Float.intBitsToFloat(c[in + 2 * LANES + 3]);
            float s17 = Float.intBitsToFloat(c[in + 3 * LANES + 3]);
            for (int l = 0; l < k; l++) {
                float a0 = a[x + l];
                float a1 = a[y + l];
                int at = column + l;
                float b0 = b[at];
                s00 = Math.fma(a0, b0, s00);
                s10 = Math.fma(a1, b0, s10);
                float b1 = b[at + k];
                s01 = Math.fma(a0, b1, s01);
                s11 = Math.fma(a1, b1, s11);
                float b2 = b[at + 2 * k];
                s02 = Math.fma(a0, b2, s02);
                s12 = Math.fma(a1, b2, s12);
                float b3 = b[at + 3 * k];
                s03 = Math.fma(a0, b3, s03);
                s13 = Math.fma(a1, b3, s13);
                float b4 = b[at + 4 * k];
                s04 = Math.fma(a0, b4, s04);
                s14 = Math.fma(a1, b4, s14);
                float b5 = b[at + 5 * k];
                s05 = Math.fma(a0, b5, s05);
                s15 = Math.fma(a1, b5, s15);
                float b6 = b[at + 6 * k];
                s06 = Math.fma(a0, b6, s06);
                s16 = Math.fma(a1, b6, s16);
                float b7 = b[at + 7 * k];
                s07 = Math.fma(a0, b7, s07);
                s17 = Math.fma(a1, b7, s17);
            }
            d[d0 + lane] = Float.floatToRawIntBits(s00);
            d[d1 + lane] = Float.floatToRawIntBits(s01);
            d[d2 + lane] = Float.floatToRawIntBits(s10);
            d[d3 + lane] = Float.floatToRawIntBits(s11);
            d[d0 + lane + 1] = Float.floatToRawIntBits(s02);
            d[d1 + lane + 1] = Float.floatToRawIntBits(s03);
            d[d2 + lane + 1] = Float.floatToRawIntBits(s12);
            d[d3 + lane + 1] = Float.floatToRawIntBits(s13);
            d[d0 + lane + 2] = Float.floatToRawIntBits(s04);
            d[d1 + lane + 2] = Float.floatToRawIntBits(s05);
            d[d2 + lane + 2] = Float.floatToRawIntBits(s14);
            d[d3 + lane + 2] = Float.floatToRawIntBits(s15);
            d[d0 + lane + 3] = Float.floatToRawIntBits(s06);
            d[d1 + lane + 3] = Float.floatToRawIntBits(s07);
            d[d2 + lane + 3] = Float.floatToRawIntBits(s16);
            d[d3 + lane + 3] = Float.floatToRawIntBits(s17);
        }
    }

    private static void reals(float[] a, float[] b, float[] c, int m, int n, int k) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                float sum = c[i * n + j];
                for (int l = 0; l < k; l++) {
                    sum = Math.fma(a[i * k + l], b[j * k + l], sum);
                }
                c[i * n + j] = sum;
            }
        }
    }

    private static void doubles(double[] a, double[] b, double[] c, int m, int n, int k) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                double sum = c[i * n + j];
                for (int l = 0; l < k; l++) {
                    sum = Math.fma(a[i * k + l], b[j * k + l], sum);
                }
                c[i * n + j] = sum;
            }
        }
    }

    private static void wholes(int[] a, int[] b, int[] c, int m, int n, int k, boolean saturate) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                int sum = 0;
                for (int l = 0; l < k; l++) {
                    sum += a[i * k + l] * b[j * k + l];
                }
                long all = (long) c[i * n + j] + sum;
                c[i * n + j] = saturate ? Math.clamp(all, Integer.MIN_VALUE, Integer.MAX_VALUE) : (int) all;
            }
        }
    }

    private void put(Warp warp, MatrixFragment fragment, List<Register> registers) {
        for (int r = 0; r < fragment.distinct(); r++) {
            int to = LANES * registers.get(r).index();
            int from = LANES * r;
            switch (fragment.element()) {
                case F64 -> {
                    for (int lane = 0; lane < LANES; lane++) {
                        warp.longs[to + lane] = Double.doubleToRawLongBits(c.doubles[fragment.place(from + lane)]);
                    }
                }
                case S32 -> {
                    for (int lane = 0; lane < LANES; lane++) {
                        warp.words[to + lane] = c.wholes[fragment.place(from + lane)];
                    }
                }
                case F16 -> {
                    for (int lane = 0; lane < LANES; lane++) {
                        int at = 2 * (from + lane);
                        warp.words[to + lane] = HalfOps.fromFloat(c.reals[fragment.place(at)], 0)
                                | HalfOps.fromFloat(c.reals[fragment.place(at + 1)], 0) << 16;
                    }
                }
                default -> {
                    for (int lane = 0; lane < LANES; lane++) {
                        warp.words[to + lane] = Float.floatToRawIntBits(c.reals[fragment.place(from + lane)]);
                    }
                }
            }
        }
    }
}
