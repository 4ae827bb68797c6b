package dev.panamark.ptx.ir;

import org.jspecify.annotations.Nullable;

/** What lanes do together. Operands are registers or constants. */
public sealed interface Sync {
    /** Kinds of {@code bar} and {@code barrier}. */
    enum BarrierKind {
        SYNC,
        ARRIVE,
        POPC,
        AND,
        OR
    }

    /**
     * Threads of the block meet.
     *
     * @param threads how many; null for all of the block
     * @param predicate what a reduction reads, {@code negated} first
     */
    record Barrier(
            BarrierKind kind,
            Expr id,
            @Nullable Expr threads,
            @Nullable Expr predicate,
            boolean negated,
            @Nullable Register target)
            implements Sync {}

    record WarpBarrier(Expr members) implements Sync {}

    /** Modes of {@code shfl}. */
    enum ShuffleMode {
        UP,
        DOWN,
        BFLY,
        IDX
    }

    /**
     * Lanes read what others hold.
     *
     * @param inRange null where it is not asked for
     */
    record Shuffle(
            ShuffleMode mode,
            @Nullable Register target,
            @Nullable Register inRange,
            Expr value,
            Expr lane,
            Expr clamp,
            Expr members)
            implements Sync {}

    /** Modes of {@code vote}. */
    enum VoteMode {
        ALL,
        ANY,
        UNI,
        BALLOT
    }

    record Vote(VoteMode mode, Register target, Expr predicate, boolean negated, Expr members) implements Sync {}

    record Match(boolean all, Register target, @Nullable Register same, Expr value, Expr members) implements Sync {}

    record Reduce(AtomicKind kind, Type type, Register target, Expr value, Expr members) implements Sync {}

    record ActiveMask(Register target) implements Sync {}

    record Elect(@Nullable Register leader, Register elected, Expr members) implements Sync {}

    /** Others may go on first. */
    record Sleep() implements Sync {}
}
