package dev.panamark.kernel.format;

import java.util.List;
import java.util.stream.LongStream;

/**
 * Long ranges cut into blocks that all cores work on. Where the cuts lie does not depend on the number of cores, so
 * results that are combined in order do not either. Runs on the caller's fork-join pool, else on the common one.
 */
public final class Blocks {
    /** Elements of a block; the last one may be shorter. */
    public static final int SIZE = 1 << 15;

    private Blocks() {}

    /** What is done to one block. */
    @FunctionalInterface
    public interface Action {
        /** Works on {@code count} elements from {@code from} on; called from several threads at once. */
        void run(long from, int count);
    }

    /** What is computed from one block. */
    @FunctionalInterface
    public interface Query<T> {
        /** Looks at {@code count} elements from {@code from} on; called from several threads at once. */
        T of(long from, int count);
    }

    /** Does something to every block of {@code 0 .. elements - 1}; returns when all are done. */
    public static void each(long elements, Action action) {
        LongStream.range(0, blocks(elements))
                .parallel()
                .forEach(b -> action.run(b * SIZE, (int) Math.min(SIZE, elements - b * SIZE)));
    }

    /** Computes something from every block of {@code 0 .. elements - 1}; the answers are in the blocks' order. */
    public static <T> List<T> map(long elements, Query<T> query) {
        return LongStream.range(0, blocks(elements))
                .parallel()
                .mapToObj(b -> query.of(b * SIZE, (int) Math.min(SIZE, elements - b * SIZE)))
                .toList();
    }

    private static long blocks(long elements) {
        return Math.ceilDiv(elements, (long) SIZE);
    }
}
