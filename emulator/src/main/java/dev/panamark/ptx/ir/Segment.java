package dev.panamark.ptx.ir;

import java.util.List;

/**
 * Instructions that a lane executes without regard to others, and what follows.
 *
 * @param index in the kernel
 * @param cost instructions of the text
 */
public record Segment(int index, List<Op> ops, Exit exit, int cost) {
    /** How a segment ends; numbers are those of segments. */
    public sealed interface Exit {
        Site site();
    }

    public record Jump(Site site, int next, boolean counted) implements Exit {}

    /**
     * Lanes part.
     *
     * @param meet where they meet again; -1 where they do not
     */
    public record Branch(Site site, Register predicate, boolean negated, int taken, int fall, int meet)
            implements Exit {}

    public record Together(Site site, Sync sync, int next) implements Exit {}

    public record End(Site site) implements Exit {}
}
