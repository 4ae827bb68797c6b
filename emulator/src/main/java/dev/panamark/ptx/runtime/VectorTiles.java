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
    private static final int COLUMNS = 8;
    private static final VectorSpecies<Float> FLOATS = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_PREFERRED;

    /** The group of four columns of a lane. */
    private static final VectorShuffle<Float> COLUMN = VectorShuffle.fromOp(FLOATS, lane -> lane % 4);

    /** Of each four lanes the first, second, third and last one for all of them. */
    private static final VectorShuffle<Float> FIRST = VectorShuffle.fromOp(FLOATS, lane -> lane & -4);

    private static final VectorShuffle<Float> SECOND = VectorShuffle.fromOp(FLOATS, lane -> (lane & -4) + 1);
    private static final VectorShuffle<Float> THIRD = VectorShuffle.fromOp(FLOATS, lane -> (lane & -4) + 2);
    private static final VectorShuffle<Float> LAST = VectorShuffle.fromOp(FLOATS, lane -> lane | 3);

    private static final int INFINITE = 0x7c00;

    private VectorTiles() {}

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
                int at = column + COLUMNS * l;
                FloatVector even = FloatVector.fromArray(FLOATS, b, at).rearrange(COLUMN);
                FloatVector odd = FloatVector.fromArray(FLOATS, b, at + 4).rearrange(COLUMN);
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
