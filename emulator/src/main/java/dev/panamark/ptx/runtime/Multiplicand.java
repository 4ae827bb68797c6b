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

    private static final float[] E4M3 = table(0);
    private static final float[] E5M2 = table(1);

    /** How elements of floating point are numbered. */
    enum Layout {
        /** By {@link MatrixFragment#places}. */
        PLACES,
        /** By {@link MatrixFragment#tiled}. */
        TILES,
        /**
         * For each lane what it multiplies. Of A: of tile i of 16 rows, column l and lane t the element of row t / 4 at
         * {@code 64 (i columns + l) + t}, that of row t / 4 + 8 at 32 places later. Of B, with v lanes of a vector: of tile i of 8
         * columns, row l and lane t of any vector the element of column 2 (t % 4) at {@code 2 v (i rows + l) + t}, that of the
         * next column v places later.
         */
        LANES
    }

    /** Beyond the elements of a matrix, so that a vector may begin at each. */
    private static final int ROOM = 32;

    /** By the number of the element, as {@link MatrixFragment} says; in the array of the kind of the format. */
    float[] reals = new float[0];

    double[] doubles = new double[0];
    int[] wholes = new int[0];

    /** What the registers held. */
    private int[] raw = new int[0];

    private @Nullable MatrixFragment known;
    private Layout layout = Layout.PLACES;

    /** Values of elements: of element j of register r and lane l at 32 (j registers + r) + l. */
    private float[] values = new float[0];

    private static float[] table(int kind) {
        float[] values = new float[256];
        for (int code = 0; code < 256; code++) {
            values[code] = ConvertOps.floatOfFp8(code, kind);
        }
        return values;
    }

    /** The words of registers: of register r and lane l at {@code 32 r + l}. */
    static void words(Warp warp, List<Expr> registers, int count, int[] to) {
        for (int r = 0; r < count; r++) {
            Expr expr = registers.get(r);
            if (expr instanceof Expr.Read read) {
                System.arraycopy(warp.words, LANES * read.register().index(), to, LANES * r, LANES);
            } else {
                Arrays.fill(to, LANES * r, LANES * r + LANES, (int) Evaluate.bits(expr, warp, 0));
            }
        }
    }

    /**
     * Takes the matrix that {@code registers} hold.
     *
     * @param wanted of elements of floating point
     */
    void take(Warp warp, MatrixFragment fragment, List<Expr> registers, Layout wanted) {
        if (fragment.element() == Element.F64) {
            takeLongs(warp, fragment, registers);
            return;
        }
        if (fragment == known && layout == wanted && same(warp, registers, fragment.distinct())) {
            return;
        }
        int count = LANES * fragment.distinct();
        if (raw.length < count) {
            raw = new int[count];
        }
        words(warp, registers, fragment.distinct(), raw);
        known = fragment;
        layout = wanted;
        int elements = fragment.elements() + ROOM;
        switch (fragment.element()) {
            case S8, U8, S4, U4, S32 -> {
                wholes = wholes.length < elements ? new int[elements] : wholes;
                wholes(fragment, count);
            }
            default -> {
                int room = wanted == Layout.LANES ? spread(fragment) + ROOM : elements;
                reals = reals.length < room ? new float[room] : reals;
                if (wanted == Layout.LANES) {
                    lanes(fragment, count);
                } else {
                    reals(fragment, count);
                }
            }
        }
    }

    private boolean same(Warp warp, List<Expr> registers, int count) {
        for (int r = 0; r < count; r++) {
            if (!(registers.get(r) instanceof Expr.Read read)) {
                return false;
            }
            int from = LANES * read.register().index();
            if (layout == Layout.LANES) {
                if (!VectorTiles.same(warp.words, from, raw, LANES * r)) {
                    return false;
                }
            } else if (!Arrays.equals(warp.words, from, from + LANES, raw, LANES * r, LANES * r + LANES)) {
                return false;
            }
        }
        return true;
    }

    /** The matrix is changed, so that it is taken anew next time. */
    void forget() {
        known = null;
    }

    private void takeLongs(Warp warp, MatrixFragment fragment, List<Expr> registers) {
        known = fragment;
        doubles = doubles.length < fragment.elements() ? new double[fragment.elements()] : doubles;
        for (int r = 0; r < fragment.distinct(); r++) {
            Expr register = registers.get(r);
            for (int lane = 0; lane < LANES; lane++) {
                doubles[fragment.place(LANES * r + lane)] =
                        Double.longBitsToDouble(Evaluate.bits(register, warp, lane));
            }
        }
    }

    private void lanes(MatrixFragment fragment, int count) {
        int e = fragment.element().perRegister();
        if (values.length < e * count) {
            values = new float[e * count];
        }
        switch (fragment.element()) {
            case F16 -> VectorTiles.halves(raw, count, values);
            case BF16 -> VectorTiles.brains(raw, count, values);
            case TF32 -> VectorTiles.singles(raw, count, 0xffffe000, values);
            case E4M3 -> codes(count, E4M3);
            default -> codes(count, E5M2);
        }
        if (fragment.use() == MatrixFragment.Use.A) {
            VectorTiles.spread(values, fragment.registersOfTile(), count, e, reals);
            return;
        }
        VectorTiles.spread(values, fragment.rows(), count, e, reals, fragment.tiled());
    }

    /** Elements that lanes multiply, each in so many places. */
    private static int spread(MatrixFragment fragment) {
        return fragment.elements() * (fragment.use() == MatrixFragment.Use.A ? 4 : VectorTiles.lanes() / 4);
    }

    private void codes(int count, float[] table) {
        for (int j = 0; j < 4; j++) {
            for (int i = 0; i < count; i++) {
                values[count * j + i] = table[raw[i] >>> (8 * j) & 0xff];
            }
        }
    }

    private void reals(MatrixFragment fragment, int count) {
        int[] places = layout == Layout.PLACES ? fragment.places() : fragment.tiled();
        switch (fragment.element()) {
            case F16 -> halves(places, count);
            case BF16 -> brains(places, count);
            case E4M3 -> bytes(places, count, E4M3);
            case E5M2 -> bytes(places, count, E5M2);
            case TF32 -> singles(places, count, 0xffffe000);
            default -> singles(places, count, -1);
        }
    }

    private void halves(int[] places, int count) {
        float[] to = reals;
        for (int i = 0; i < count; i++) {
            int word = raw[i];
            to[places[2 * i]] = Float.float16ToFloat((short) word);
            to[places[2 * i + 1]] = Float.float16ToFloat((short) (word >>> 16));
        }
    }

    private void brains(int[] places, int count) {
        for (int i = 0; i < count; i++) {
            int word = raw[i];
            reals[places[2 * i]] = Float.intBitsToFloat(word << 16);
            reals[places[2 * i + 1]] = Float.intBitsToFloat(word & 0xffff0000);
        }
    }

    private void singles(int[] places, int count, int mask) {
        for (int i = 0; i < count; i++) {
            reals[places[i]] = Float.intBitsToFloat(raw[i] & mask);
        }
    }

    private void bytes(int[] places, int count, float[] values) {
        for (int i = 0; i < 4 * count; i++) {
            reals[places[i]] = values[(raw[i >> 2] >>> (8 * (i & 3))) & 0xff];
        }
    }

    private void wholes(MatrixFragment fragment, int count) {
        int e = fragment.element().perRegister();
        int bits = fragment.element().bits();
        boolean unsigned = fragment.element() == Element.U8 || fragment.element() == Element.U4;
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < e; j++) {
                int above = raw[i] << (32 - bits - bits * j);
                wholes[fragment.place(e * i + j)] = unsigned ? above >>> (32 - bits) : above >> (32 - bits);
            }
        }
    }
}
