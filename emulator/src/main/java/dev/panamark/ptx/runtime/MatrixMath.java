package dev.panamark.ptx.runtime;

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

    private final Multiplicand a = new Multiplicand();
    private final Multiplicand b = new Multiplicand();
    private final Multiplicand c = new Multiplicand();

    void multiply(Warp warp, Sync.MultiplyMatrices multiply) {
        MatrixProduct product = multiply.product();
        a.take(warp, product.a(), multiply.a());
        b.take(warp, product.b(), multiply.b());
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

    /** Two rows and four columns at a time, so that eight chains hide each other's latency. */
    private static void reals(float[] a, float[] b, float[] c, int m, int n, int k) {
        for (int i = 0; i < m; i += 2) {
            for (int j = 0; j < n; j += 4) {
                block(a, b, c, i * k, j * k, i * n + j, n, k);
            }
        }
    }

    private static void block(float[] a, float[] b, float[] c, int row, int column, int at, int n, int k) {
        float s00 = c[at];
        float s01 = c[at + 1];
        float s02 = c[at + 2];
        float s03 = c[at + 3];
        float s10 = c[at + n];
        float s11 = c[at + n + 1];
        float s12 = c[at + n + 2];
        float s13 = c[at + n + 3];
        for (int l = 0; l < k; l++) {
            float a0 = a[row + l];
            float a1 = a[row + k + l];
            float b0 = b[column + l];
            float b1 = b[column + k + l];
            float b2 = b[column + 2 * k + l];
            float b3 = b[column + 3 * k + l];
            s00 = Math.fma(a0, b0, s00);
            s01 = Math.fma(a0, b1, s01);
            s02 = Math.fma(a0, b2, s02);
            s03 = Math.fma(a0, b3, s03);
            s10 = Math.fma(a1, b0, s10);
            s11 = Math.fma(a1, b1, s11);
            s12 = Math.fma(a1, b2, s12);
            s13 = Math.fma(a1, b3, s13);
        }
        c[at] = s00;
        c[at + 1] = s01;
        c[at + 2] = s02;
        c[at + 3] = s03;
        c[at + n] = s10;
        c[at + n + 1] = s11;
        c[at + n + 2] = s12;
        c[at + n + 3] = s13;
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
