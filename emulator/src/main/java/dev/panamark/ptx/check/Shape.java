package dev.panamark.ptx.check;

import java.util.Arrays;

/** Which places the 32 lanes of a warp read, as seen last: addresses of a track are mostly as far from each other as before. */
final class Shape {
    private static final int LANES = 32;
    private static final int LANE_BITS = 5;

    private final long[] distances = new long[LANES];
    private boolean isKnown;

    /** Places from that of the first lane on, in order, each once; and the lanes that access it, a bit each. */
    int[] places = new int[0];

    int[] lanes = new int[0];

    /** Whether places follow each other. */
    boolean isRun;

    /** Whether each lane reads or writes the place after that of the lane before. */
    boolean isRow;

    /** When it was last seen to fit. */
    private long fitted = -1;

    /**
     * Makes it fit the addresses of all lanes.
     *
     * @param bytes of a lane
     * @param shift two to the power of it are the bytes of a place
     * @param turn a number that grows; within one the addresses are the same
     */
    void fit(long[] addresses, int from, int bytes, int shift, long turn) {
        if (fitted == turn) {
            return;
        }
        fitted = turn;
        long start = addresses[from];
        long difference = isKnown ? 0 : 1;
        for (int lane = 0; lane < LANES; lane++) {
            difference |= addresses[from + lane] - start - distances[lane];
        }
        if (difference != 0) {
            learn(addresses, from, bytes, shift);
        }
    }

    private void learn(long[] addresses, int from, int bytes, int shift) {
        int each = bytes >> shift;
        long[] read = new long[LANES * each];
        for (int lane = 0; lane < LANES; lane++) {
            distances[lane] = addresses[from + lane] - addresses[from];
            for (int i = 0; i < each; i++) {
                read[lane * each + i] = ((distances[lane] >> shift) + i) << LANE_BITS | lane;
            }
        }
        Arrays.sort(read);
        places = new int[read.length];
        lanes = new int[read.length];
        int count = 0;
        for (long one : read) {
            int place = (int) (one >> LANE_BITS);
            if (count > 0 && places[count - 1] == place) {
                lanes[count - 1] |= 1 << (int) (one & (LANES - 1));
            } else {
                places[count] = place;
                lanes[count++] = 1 << (int) (one & (LANES - 1));
            }
        }
        places = Arrays.copyOf(places, count);
        lanes = Arrays.copyOf(lanes, count);
        isRun = places[count - 1] - places[0] == count - 1;
        isRow = isRun && count == LANES && places[0] == 0;
        for (int i = 0; i < count && isRow; i++) {
            isRow = lanes[i] == 1 << i;
        }
        isKnown = true;
    }
}
