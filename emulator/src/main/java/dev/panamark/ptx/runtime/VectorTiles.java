package dev.panamark.ptx.runtime;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Products of tiles as of {@link TileProduct} with vectors over lanes. Not to be touched where {@link VectorModule} finds
 * none.
 */
final class VectorTiles {
    /** Lanes of a vector. */
    static final int MOST_LANES = 16;

    private static final int LANES = 32;
    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;

    /** Of each four lanes the first, second, third and last one for all of them. */
    private static final VectorShuffle<Float> FIRST = VectorShuffle.fromOp(FLOATS, lane -> lane & -4);

    private static final VectorShuffle<Float> SECOND = VectorShuffle.fromOp(FLOATS, lane -> (lane & -4) + 1);
    private static final VectorShuffle<Float> THIRD = VectorShuffle.fromOp(FLOATS, lane -> (lane & -4) + 2);
    private static final VectorShuffle<Float> LAST = VectorShuffle.fromOp(FLOATS, lane -> lane | 3);

    private static final int INFINITE = 0x7c00;

    /** Lanes of a vector where two hold a register. */
    private static final int HALF = 16;

    /**
     * Of vectors that hold a register: the lanes that have row t, a first or second element, of the columns 0, 2, 4, 6 and again,
     * at t, and those of the next columns, at t + 4.
     */
    private static final IntVector[] ROWS = rows();

    private static IntVector[] rows() {
        IntVector[] rows = new IntVector[8];
        for (int i = 0; i < rows.length; i++) {
            int[] from = new int[INTS.length()];
            for (int lane = 0; lane < from.length; lane++) {
                from[lane] = 8 * (lane % 4) + i;
            }
            rows[i] = IntVector.fromArray(INTS, from, 0);
        }
        return rows;
    }

    private static final IntVector ROW0 = ROWS[0];
    private static final IntVector ROW1 = ROWS[1];
    private static final IntVector ROW2 = ROWS[2];
    private static final IntVector ROW3 = ROWS[3];
    private static final IntVector NEXT0 = ROWS[4];
    private static final IntVector NEXT1 = ROWS[5];
    private static final IntVector NEXT2 = ROWS[6];
    private static final IntVector NEXT3 = ROWS[7];

    private VectorTiles() {}

    /** Lanes of a vector. */
    static int lanes() {
        return FLOATS.length();
    }

    /** Whether two registers hold the same. */
    static boolean same(int[] words, int at, int[] others, int from) {
        IntVector difference = IntVector.zero(INTS);
        for (int lane = 0; lane < LANES; lane += INTS.length()) {
            IntVector one = IntVector.fromArray(INTS, words, at + lane);
            difference =
                    difference.or(one.lanewise(VectorOperators.XOR, IntVector.fromArray(INTS, others, from + lane)));
        }
        return !difference.compare(VectorOperators.NE, 0).anyTrue();
    }

    /** The lower and upper f16 of {@code count} words, all lower ones first. */
    static void halves(int[] words, int count, float[] to) {
        for (int i = 0; i < count; i += FLOATS.length()) {
            IntVector both = IntVector.fromArray(INTS, words, i);
            half(both).intoArray(to, i);
            half(both.lanewise(VectorOperators.LSHR, 16)).intoArray(to, count + i);
        }
    }

    /** That of the lower bits: as exponents of f32 are 112 higher, a product. Subnormals are exact as well. */
    private static FloatVector half(IntVector words) {
        IntVector magnitude = words.and(0x7fff);
        IntVector sign = words.lanewise(VectorOperators.LSHL, 16).and(0x80000000);
        IntVector finite = magnitude
                .lanewise(VectorOperators.LSHL, 13)
                .reinterpretAsFloats()
                .mul(0x1p112f)
                .reinterpretAsInts();
        IntVector other = magnitude.lanewise(VectorOperators.LSHL, 13).or(0x7f800000);
        return finite.blend(other, magnitude.compare(VectorOperators.GE, INFINITE))
                .or(sign)
                .reinterpretAsFloats();
    }

    /** The same of bf16. */
    static void brains(int[] words, int count, float[] to) {
        for (int i = 0; i < count; i += FLOATS.length()) {
            IntVector both = IntVector.fromArray(INTS, words, i);
            both.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().intoArray(to, i);
            both.and(0xffff0000).reinterpretAsFloats().intoArray(to, count + i);
        }
    }

    /** Words without some of their bits. */
    static void singles(int[] words, int count, int mask, float[] to) {
        for (int i = 0; i < count; i += FLOATS.length()) {
            IntVector.fromArray(INTS, words, i).and(mask).reinterpretAsFloats().intoArray(to, i);
        }
    }

    /**
     * A as {@link Multiplicand.Layout#LANES} says.
     *
     * @param values of element j of register r and lane l at {@code count j + 32 r + l}
     * @param inTile registers of a tile, two for the rows of each group of columns
     * @param elements of a register
     */
    static void spread(float[] values, int inTile, int count, int elements, float[] to) {
        int one = FLOATS.length();
        for (int r = 0; r < count / LANES; r++) {
            // Column 4 e (r / 2) of the tile, and its upper or lower rows.
            int register = r % inTile;
            int first = r / inTile * inTile * LANES * 4 * elements
                    + register / 2 * 4 * elements * 2 * LANES
                    + register % 2 * LANES;
            for (int j = 0; j < elements; j++) {
                for (int lane = 0; lane < LANES; lane += one) {
                    FloatVector vector = FloatVector.fromArray(FLOATS, values, count * j + LANES * r + lane);
                    int at = first + j * 2 * LANES + lane;
                    int step = elements * 2 * LANES;
                    vector.rearrange(FIRST).intoArray(to, at);
                    vector.rearrange(SECOND).intoArray(to, at + step);
                    vector.rearrange(THIRD).intoArray(to, at + 2 * step);
                    vector.rearrange(LAST).intoArray(to, at + 3 * step);
                }
            }
        }
    }

    /**
     * B as {@link Multiplicand.Layout#LANES} says.
     *
     * @param values of element j of register r and lane l at {@code count j + 32 r + l}
     * @param rows of B
     * @param elements of a register
     * @param tiled places of elements in tiles
     */
    static void spread(float[] values, int rows, int count, int elements, float[] to, int[] tiled) {
        int one = FLOATS.length();
        if (one != HALF) {
            for (int j = 0; j < elements; j++) {
                for (int i = 0; i < count; i++) {
                    // Four columns 0, 2, 4, 6 or 1, 3, 5, 7 begin at a multiple of 4.
                    int place = tiled[elements * i + j];
                    for (int lane = place % 4; lane < one; lane += 4) {
                        to[place / 4 * one + lane] = values[count * j + i];
                    }
                }
            }
            return;
        }
        int inTile = rows / (4 * elements);
        for (int r = 0; r < count / LANES; r++) {
            // Row 4 e (r % inTile) of the tile.
            int first = (r / inTile * rows + 4 * elements * (r % inTile)) * 2 * HALF;
            for (int j = 0; j < elements; j++) {
                int from = count * j + LANES * r;
                IntVector low = FloatVector.fromArray(FLOATS, values, from).reinterpretAsInts();
                IntVector high =
                        FloatVector.fromArray(FLOATS, values, from + HALF).reinterpretAsInts();
                int at = first + j * 2 * HALF;
                int step = elements * 2 * HALF;
                put(ROW0, low, high, to, at);
                put(NEXT0, low, high, to, at + HALF);
                put(ROW1, low, high, to, at + step);
                put(NEXT1, low, high, to, at + step + HALF);
                put(ROW2, low, high, to, at + 2 * step);
                put(NEXT2, low, high, to, at + 2 * step + HALF);
                put(ROW3, low, high, to, at + 3 * step);
                put(NEXT3, low, high, to, at + 3 * step + HALF);
            }
        }
    }

    private static void put(IntVector lanes, IntVector low, IntVector high, float[] to, int at) {
        lanes.selectFrom(low, high).reinterpretAsFloats().intoArray(to, at);
    }

    /**
     * One product, of {@code a} and {@code b} as {@link Multiplicand.Layout#LANES} says. Two vectors of each register at a time,
     * so that eight chains hide each other's latency.
     *
     * @param row where the tile of {@code a} begins
     * @param column where the tile of {@code b} begins
     * @param places where registers begin: four of c, four of d
     */
    static void multiply(float[] a, int row, float[] b, int column, int k, int[] c, int[] d, int[] places) {
        int c0 = places[0];
        int c1 = places[1];
        int c2 = places[2];
        int c3 = places[3];
        int d0 = places[4];
        int d1 = places[5];
        int d2 = places[6];
        int d3 = places[7];
        int one = FLOATS.length();
        for (int lane = 0; lane < LANES; lane += 2 * one) {
            int other = lane + one;
            FloatVector s0 = floats(c, c0 + lane);
            FloatVector s1 = floats(c, c1 + lane);
            FloatVector s2 = floats(c, c2 + lane);
            FloatVector s3 = floats(c, c3 + lane);
            FloatVector t0 = floats(c, c0 + other);
            FloatVector t1 = floats(c, c1 + other);
            FloatVector t2 = floats(c, c2 + other);
            FloatVector t3 = floats(c, c3 + other);
            for (int l = 0; l < k; l++) {
                int at = column + 2 * one * l;
                FloatVector even = FloatVector.fromArray(FLOATS, b, at);
                FloatVector odd = FloatVector.fromArray(FLOATS, b, at + one);
                int from = row + 2 * LANES * l;
                FloatVector low = FloatVector.fromArray(FLOATS, a, from + lane);
                s0 = low.fma(even, s0);
                s1 = low.fma(odd, s1);
                FloatVector high = FloatVector.fromArray(FLOATS, a, from + LANES + lane);
                s2 = high.fma(even, s2);
                s3 = high.fma(odd, s3);
                low = FloatVector.fromArray(FLOATS, a, from + other);
                t0 = low.fma(even, t0);
                t1 = low.fma(odd, t1);
                high = FloatVector.fromArray(FLOATS, a, from + LANES + other);
                t2 = high.fma(even, t2);
                t3 = high.fma(odd, t3);
            }
            s0.reinterpretAsInts().intoArray(d, d0 + lane);
            s1.reinterpretAsInts().intoArray(d, d1 + lane);
            s2.reinterpretAsInts().intoArray(d, d2 + lane);
            s3.reinterpretAsInts().intoArray(d, d3 + lane);
            t0.reinterpretAsInts().intoArray(d, d0 + other);
            t1.reinterpretAsInts().intoArray(d, d1 + other);
            t2.reinterpretAsInts().intoArray(d, d2 + other);
            t3.reinterpretAsInts().intoArray(d, d3 + other);
        }
    }

    private static FloatVector floats(int[] words, int at) {
        return IntVector.fromArray(INTS, words, at).reinterpretAsFloats();
    }
}
