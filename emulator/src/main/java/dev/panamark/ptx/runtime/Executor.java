package dev.panamark.ptx.runtime;

import dev.panamark.ptx.count.Track;
import java.util.List;

/** What executes the segments of one kernel. Threads may use one at the same time. */
public interface Executor {
    /**
     * Executes the instructions of a segment on the lanes of {@code mask}.
     *
     * @return of a segment that ends in a branch the lanes that take it; else anything
     */
    int run(int segment, Warp warp, int mask);

    /** What a launch goes on with after so many more instructions of warps. */
    default Executor after(long instructions) {
        return this;
    }

    /** Whether what lanes do together is done with vectors. */
    default VectorUse vectors() {
        return VectorUse.NEVER;
    }

    /** By segment, what it notes of lanes where it counts. */
    default List<List<Track>> tracks() {
        return List.of();
    }
}
