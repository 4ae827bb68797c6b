package dev.panamark.kernel.reference;

import java.util.SplittableRandom;
import java.util.stream.LongStream;

/** Which of many rows or elements a reference computes: the places where kernels go wrong, and random ones. */
final class Sample {
    private static final int[] TILES = {16, 64, 128};

    private Sample() {}

    /**
     * First and last, both sides of the first, the last and one random edge of tiles of 16, 64 and 128, and one at
     * random in each of {@code least} equal stretches.
     *
     * @param least how many at least, where there are so many
     * @return ascending, each once
     */
    static long[] of(long count, int least, long seed) {
        if (count <= least) {
            return LongStream.range(0, count).toArray();
        }
        SplittableRandom random = new SplittableRandom(seed);
        LongStream.Builder chosen = LongStream.builder().add(0).add(count - 1);
        for (int tile : TILES) {
            if (tile < count) {
                long last = (count - 1) / tile;
                for (long edge : new long[] {1, last, random.nextLong(1, last + 1)}) {
                    for (long at = edge * tile - 1; at <= edge * tile + 1; at++) {
                        chosen.add(Math.min(at, count - 1));
                    }
                }
            }
        }
        for (int k = 0; k < least; k++) {
            chosen.add(random.nextLong(start(count, k, least), start(count, k + 1, least)));
        }
        return chosen.build().sorted().distinct().toArray();
    }

    private static long start(long count, int stretch, int stretches) {
        return count / stretches * stretch + count % stretches * stretch / stretches;
    }
}
