package dev.panamark.ptx.runtime;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Products of tiles in f32, d = a b + c of 16 rows of a and 8 columns of b, and whether they are made with vectors. Of register
 * r and lane l the row is l / 4 + 8 (r / 2), the column 2 (l % 4) + r % 2. Threads may use one at the same time.
 */
final class TileProduct {
    private static final int LANES = 32;

    /** Rows of a, and columns of b. */
    private static final int ROWS = 16;

    private static final int COLUMNS = 8;

    /** Products before vectors are thought of: more than a first launch is likely to have. */
    private static final int BEGIN = 20_000;

    private static final TileProduct PLAIN = new TileProduct(VectorUse.NEVER);

    /** What was found to be faster is so for all kernels. */
    private static final TileProduct TRIED = new TileProduct(VectorUse.WHERE_FASTER);

    private static final TileProduct VECTORS = new TileProduct(VectorUse.ALWAYS);

    private final Trial trial = new Trial();
    private final AtomicBoolean begun = new AtomicBoolean();
    private final boolean always;
    private volatile boolean ready;
    private int count;

    private TileProduct(VectorUse use) {
        begun.set(use != VectorUse.WHERE_FASTER);
        always = use == VectorUse.ALWAYS && usable();
    }

    static TileProduct of(VectorUse use) {
        return switch (use) {
            case NEVER -> PLAIN;
            case WHERE_FASTER -> TRIED;
            case ALWAYS -> VECTORS;
        };
    }

    private static boolean usable() {
        int lanes = VectorModule.lanes();
        return lanes > 0 && lanes <= VectorTiles.MOST_LANES;
    }

    /** Makes a product with vectors or without. */
    interface Way {
        void multiply(boolean vectors);
    }

    void multiply(Way way) {
        if (always || trial.faster()) {
            way.multiply(true);
            return;
        }
        if (!ready || trial.slower() || !trial.due()) {
            way.multiply(false);
            if (++count >= BEGIN && begun.compareAndSet(false, true)) {
                Thread.ofPlatform().daemon().name("emulator-tiles").start(() -> ready = usable());
            }
            return;
        }
        boolean vectors = trial.vectors();
        long start = System.nanoTime();
        way.multiply(vectors);
        trial.took(vectors, System.nanoTime() - start);
    }

    /**
     * One product without vectors. Four lanes at a time have two rows of eight columns, so that sixteen chains hide each
     * other's latency.
     *
     * @param row where the tile of {@code a} begins, numbered as {@link Multiplicand.Layout#TILES} says
     * @param column where the tile of {@code b} begins
     * @param places where registers begin: four of c, four of d; no lane reads what another one has written
     */
    static void plain(float[] a, int row, float[] b, int column, int k, int[] c, int[] d, int[] places) {
        int c0 = places[0];
        int c1 = places[1];
        int c2 = places[2];
        int c3 = places[3];
        int d0 = places[4];
        int d1 = places[5];
        int d2 = places[6];
        int d3 = places[7];
        for (int lane = 0; lane < LANES; lane += 4) {
            int x = row + (lane >> 2);
            int y = x + ROWS / 2;
            float s00 = Float.intBitsToFloat(c[c0 + lane]);
            float s01 = Float.intBitsToFloat(c[c1 + lane]);
            float s10 = Float.intBitsToFloat(c[c2 + lane]);
            float s11 = Float.intBitsToFloat(c[c3 + lane]);
            float s02 = Float.intBitsToFloat(c[c0 + lane + 1]);
            float s03 = Float.intBitsToFloat(c[c1 + lane + 1]);
            float s12 = Float.intBitsToFloat(c[c2 + lane + 1]);
            float s13 = Float.intBitsToFloat(c[c3 + lane + 1]);
            float s04 = Float.intBitsToFloat(c[c0 + lane + 2]);
            float s05 = Float.intBitsToFloat(c[c1 + lane + 2]);
            float s14 = Float.intBitsToFloat(c[c2 + lane + 2]);
            float s15 = Float.intBitsToFloat(c[c3 + lane + 2]);
            float s06 = Float.intBitsToFloat(c[c0 + lane + 3]);
            float s07 = Float.intBitsToFloat(c[c1 + lane + 3]);
            float s16 = Float.intBitsToFloat(c[c2 + lane + 3]);
            float s17 = Float.intBitsToFloat(c[c3 + lane + 3]);
            for (int l = 0; l < k; l++) {
                float a0 = a[x + ROWS * l];
                float a1 = a[y + ROWS * l];
                int at = column + COLUMNS * l;
                float b0 = b[at];
                s00 = Math.fma(a0, b0, s00);
                s10 = Math.fma(a1, b0, s10);
                float b1 = b[at + 4];
                s01 = Math.fma(a0, b1, s01);
                s11 = Math.fma(a1, b1, s11);
                float b2 = b[at + 1];
                s02 = Math.fma(a0, b2, s02);
                s12 = Math.fma(a1, b2, s12);
                float b3 = b[at + 5];
                s03 = Math.fma(a0, b3, s03);
                s13 = Math.fma(a1, b3, s13);
                float b4 = b[at + 2];
                s04 = Math.fma(a0, b4, s04);
                s14 = Math.fma(a1, b4, s14);
                float b5 = b[at + 6];
                s05 = Math.fma(a0, b5, s05);
                s15 = Math.fma(a1, b5, s15);
                float b6 = b[at + 3];
                s06 = Math.fma(a0, b6, s06);
                s16 = Math.fma(a1, b6, s16);
                float b7 = b[at + 7];
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
}
