package dev.panamark.ptx.check;

/**
 * Reads of one warp that all lanes made together and that are not noted place by place yet. Most never need to be: a barrier of
 * the block comes before anybody writes there.
 */
final class ReadLog {
    static final int MOST = 128;

    private final int[] readers = new int[MOST];
    private final int[] firsts = new int[MOST];
    private final int[] times = new int[MOST];
    private final int[][] places = new int[MOST][];
    private final int[][] lanes = new int[MOST][];
    private int count;
    private int least = Integer.MAX_VALUE;
    private int most = Integer.MIN_VALUE;

    /** What is done with each place of a read. */
    interface Action {
        void on(int place, int reader, int lane, int time);
    }

    boolean isFull() {
        return count == MOST;
    }

    /** Whether any read of a place from one to another may be there. */
    boolean touches(int from, int to) {
        return from <= most && to > least;
    }

    /** @param reader what is noted of the read, but for its lane */
    void add(int reader, int first, Shape shape, int time) {
        readers[count] = reader;
        firsts[count] = first;
        times[count] = time;
        places[count] = shape.places;
        lanes[count] = shape.lanes;
        least = Math.min(least, first + shape.places[0]);
        most = Math.max(most, first + shape.places[shape.places.length - 1]);
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
            int[] at = places[i];
            for (int k = 0; k < at.length; k++) {
                action.on(firsts[i] + at[k], readers[i], lanes[i][k], times[i]);
            }
        }
        drop();
    }
}
