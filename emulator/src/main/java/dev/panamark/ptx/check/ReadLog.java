package dev.panamark.ptx.check;

import org.jspecify.annotations.Nullable;

/**
 * Reads of one warp that all lanes made together and that are not noted place by place yet. Most never need to be: a barrier of
 * the block comes before anybody writes there.
 */
final class ReadLog {
    private static final int MOST = 128;

    private final @Nullable Loads[] loads = new Loads[MOST];
    private final int[] firsts = new int[MOST];
    private final int[] times = new int[MOST];
    private final int[][] places = new int[MOST][];
    private final int[][] lanes = new int[MOST][];
    private int count;
    private int least = Integer.MAX_VALUE;
    private int most = Integer.MIN_VALUE;

    /** What is done with each place of a read. */
    interface Action {
        void on(int place, int site, int lanes, int time);
    }

    boolean isFull() {
        return count == MOST;
    }

    /** Whether any read of a place from one to another may be there. */
    boolean touches(int from, int to) {
        return from <= most && to > least;
    }

    /** @param first the place of the first lane, to which offsets are added */
    void add(Loads all, int first, Shape shape, int time) {
        loads[count] = all;
        firsts[count] = first;
        times[count] = time;
        places[count] = shape.places;
        lanes[count] = shape.lanes;
        least = Math.min(least, first + all.least() + shape.places[0]);
        most = Math.max(most, first + all.most() + shape.places[shape.places.length - 1]);
        count++;
    }

    void drop() {
        count = 0;
        least = Integer.MAX_VALUE;
        most = Integer.MIN_VALUE;
    }

    /** Hands all reads over, in order, and forgets them. */
    void flush(Action action) {
        for (int i = 0; i < count; i++) {
            Loads all = loads[i];
            for (int load = 0; all != null && load < all.count(); load++) {
                int first = firsts[i] + all.offset(load);
                for (int k = 0; k < places[i].length; k++) {
                    action.on(first + places[i][k], all.site(load), lanes[i][k], times[i]);
                }
            }
        }
        drop();
    }
}
