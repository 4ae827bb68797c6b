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

    /** Registers of a tile of c. */
    private static final int TILE = 4;

    /** A kernel holds a few of each at a time, which follow each other in its registers. */
    private static final int KEPT = 16;

    private final Multiplicand[] lefts = new Multiplicand[KEPT];
    private final Multiplicand[] rights = new Multiplicand[KEPT];
    private final Multiplicand c = new Multiplicand();
    /** Registers of c, of which there are at most 8. */
    private final int[] sums = new int[8 * LANES];

    private final TileProduct tiles;

    /** Where the registers of a tile begin: of c, and of d. */
    private final int[] places = new int[2 * TILE];

    MatrixMath(VectorUse vectors) {
        tiles = TileProduct.of(vectors);
        for (int i = 0; i < KEPT; i++) {
            lefts[i] = new Multiplicand();
            rights[i] = new Multiplicand();
        }
    }

    private static Multiplicand take(
            Multiplicand[] kept, Warp warp, MatrixFragment fragment, List<Expr> registers, Multiplicand.Layout layout) {
        int slot =
                registers.getFirst() instanceof Expr.Read read ? read.register().index() / fragment.registers() : 0;
        Multiplicand multiplicand = kept[slot & (KEPT - 1)];
        multiplicand.take(warp, fragment, registers, layout);
        return multiplicand;
    }

    void multiply(Warp warp, Sync.MultiplyMatrices multiply) {
        MatrixProduct product = multiply.product();
        if (product.c().element() == Element.F32
                && product.d().element() == Element.F32
                && product.a().rows() >= 16) {
            tiles.multiply(vectors -> singles(warp, multiply, vectors));
            return;
        }
        Multiplicand a = take(lefts, warp, product.a(), multiply.a(), Multiplicand.Layout.PLACES);
        Multiplicand b = take(rights, warp, product.b(), multiply.b(), Multiplicand.Layout.PLACES);
        c.take(warp, product.c(), multiply.c(), Multiplicand.Layout.PLACES);
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

    /** Sums of f32 in tiles of 16 x 8. */
    private void singles(Warp warp, Sync.MultiplyMatrices multiply, boolean vectors) {
        MatrixProduct product = multiply.product();
        Multiplicand.Layout layout = vectors ? Multiplicand.Layout.LANES : Multiplicand.Layout.TILES;
        float[] a = take(lefts, warp, product.a(), multiply.a(), layout).reals;
        float[] b = take(rights, warp, product.b(), multiply.b(), layout).reals;
        int registers = product.c().distinct();
        // Registers of one tile may be read and those of another one written; constants are in no register.
        boolean copied = registers > TILE || !inRegisters(multiply.c());
        if (copied) {
            Multiplicand.words(warp, multiply.c(), registers, sums);
        }
        int[] from = copied ? sums : warp.words;
        int k = product.a().columns();
        int across = product.b().columns() / 8;
        for (int tile = 0; tile < registers / TILE; tile++) {
            for (int r = 0; r < TILE; r++) {
                int register = TILE * tile + r;
                places[r] = LANES * (copied ? register : index(multiply.c().get(register)));
                places[TILE + r] = LANES * multiply.d().get(register).index();
            }
            int row = tile / across * (vectors ? 2 * LANES : 16) * k;
            int column = tile % across * (vectors ? 2 * VectorTiles.lanes() : 8) * k;
            if (vectors) {
                VectorTiles.multiply(a, row, b, column, k, from, warp.words, places);
            } else {
                TileProduct.plain(a, row, b, column, k, from, warp.words, places);
            }
        }
    }

    private static int index(Expr value) {
        if (value instanceof Expr.Read read) {
            return read.register().index();
        }
        throw new IllegalStateException("in no register: " + value);
    }

    private static boolean inRegisters(List<Expr> values) {
        for (Expr value : values) {
            if (!(value instanceof Expr.Read)) {
                return false;
            }
        }
        return true;
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
