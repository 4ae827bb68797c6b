package dev.panamark.ptx.runtime;

import org.jspecify.annotations.Nullable;

/** Lanes of a warp that are at the same place. Children are lanes that left it and will meet at its place. */
final class Fragment {
    int segment;
    int mask;
    /** Where its lanes wait for their siblings; -1 for nowhere. */
    final int meet;

    final Warp warp;
    final @Nullable Fragment parent;
    int children;
    boolean waiting;

    /** The instruction that last waited for an mbarrier in vain; -1 for none. */
    int pausedSite = -1;

    Fragment(Warp warp, int segment, int mask, int meet, @Nullable Fragment parent) {
        this.warp = warp;
        this.segment = segment;
        this.mask = mask;
        this.meet = meet;
        this.parent = parent;
    }
}
