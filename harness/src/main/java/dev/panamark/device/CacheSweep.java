package dev.panamark.device;

import java.util.SequencedMap;

/**
 * Leaves nothing of a kernel's data in any cache: writes more than the last-level cache holds, then reads as much of
 * other memory, so that a launch afterwards neither finds its inputs nor pays for writing back what it did not write.
 */
public interface CacheSweep {

    /** Sweeps, and returns when that is done. */
    void sweep();

    /** How much is written and read; JSON values. */
    SequencedMap<String, Object> facts();
}
