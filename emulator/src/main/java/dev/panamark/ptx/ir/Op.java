package dev.panamark.ptx.ir;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What every lane does on its own. */
public sealed interface Op {
    Site site();

    /** Null where every active lane executes it. */
    @Nullable
    Guard guard();

    /** A register gets a value. */
    record Assign(Site site, @Nullable Guard guard, Register target, Expr value) implements Op {}

    /**
     * Consecutive values are read.
     *
     * @param type of one; signed types are sign-extended to the target
     * @param targets null for one that is dropped
     */
    record Load(
            Site site, @Nullable Guard guard, Space space, Type type, List<@Nullable Register> targets, Address address)
            implements Op {}

    /** Consecutive values are written. */
    record Store(Site site, @Nullable Guard guard, Space space, Type type, List<Expr> values, Address address)
            implements Op {}

    /**
     * Reads, computes and writes in one step.
     *
     * @param target null for {@code red}
     * @param swap the third operand of {@code cas}
     */
    record Atomic(
            Site site,
            @Nullable Guard guard,
            Space space,
            AtomicKind kind,
            Type type,
            @Nullable Register target,
            Address address,
            Expr value,
            @Nullable Expr swap)
            implements Op {}

    /**
     * An asynchronous copy from global to shared memory begins: nothing of it is seen before the lane waits for it.
     *
     * @param bytes written, 4, 8 or 16, to which both addresses are aligned
     * @param size bytes read, an int; those beyond are written as 0
     */
    record Copy(Site site, @Nullable Guard guard, Address target, Address source, int bytes, Expr size) implements Op {}

    /** The instruction, another op of which reads memory, reads it here on these lanes; does nothing else. */
    record Fetch(Site site, @Nullable Guard guard, Address address, int bytes) implements Op {}

    /**
     * What the runtime does.
     *
     * @param target null where there is no result
     */
    record Act(
            Site site,
            @Nullable Guard guard,
            Action action,
            List<Expr> arguments,
            @Nullable Register target) implements Op {}

    /** Earlier accesses come before later ones, for other threads too. */
    record Fence(Site site, @Nullable Guard guard) implements Op {}

    /** Does nothing that can be seen, such as a prefetch. */
    record Nothing(Site site, @Nullable Guard guard) implements Op {}

    /** Ends the launch with a fault. */
    record Trap(Site site, @Nullable Guard guard, String message) implements Op {}
}
