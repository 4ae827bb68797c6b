package dev.panamark.ptx.ir;

import java.util.ArrayList;
import java.util.List;
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

    /** What all 32 lanes do with matrices that they hold together. */
    sealed interface Tensor extends Sync {
        List<Expr> reads();

        List<Register> writes();
    }

    /**
     * {@code ldmatrix}: matrices of 8 rows of 16 bytes are read from shared memory, one a target. Of matrix i the row r is
     * at the address of lane 8 i + r.
     *
     * @param transposed whether a lane gets its part of the transposed matrix
     * @param space {@code SHARED} or {@code GENERIC}
     */
    record LoadMatrices(List<Register> targets, boolean transposed, Space space, Address address) implements Tensor {
        @Override
        public List<Expr> reads() {
            return List.of(address.base());
        }

        @Override
        public List<Register> writes() {
            return targets;
        }
    }

    /** {@code stmatrix}: the way back of {@link LoadMatrices}. */
    record StoreMatrices(List<Expr> values, boolean transposed, Space space, Address address) implements Tensor {
        @Override
        public List<Expr> reads() {
            return joined(values, List.of(address.base()));
        }

        @Override
        public List<Register> writes() {
            return List.of();
        }
    }

    /** {@code movmatrix}: a matrix of 8 rows of 8 halves is transposed. */
    record TransposeMatrix(Register target, Expr value) implements Tensor {
        @Override
        public List<Expr> reads() {
            return List.of(value);
        }

        @Override
        public List<Register> writes() {
            return List.of(target);
        }
    }

    /** {@code mma} and {@code wmma.mma}: d = a b + c. */
    record MultiplyMatrices(MatrixProduct product, List<Register> d, List<Expr> a, List<Expr> b, List<Expr> c)
            implements Tensor {
        @Override
        public List<Expr> reads() {
            return joined(joined(a, b), c);
        }

        @Override
        public List<Register> writes() {
            return d;
        }
    }

    /**
     * {@code wmma.load}.
     *
     * @param byColumns whether a column's elements follow each other in memory, else a row's
     * @param stride elements from one row or column to the next
     */
    record LoadFragment(
            MatrixFragment fragment,
            boolean byColumns,
            Space space,
            Address address,
            Expr stride,
            List<Register> targets)
            implements Tensor {
        @Override
        public List<Expr> reads() {
            return List.of(address.base(), stride);
        }

        @Override
        public List<Register> writes() {
            return targets;
        }
    }

    /** {@code wmma.store}: the way back of {@link LoadFragment}. */
    record StoreFragment(
            MatrixFragment fragment, boolean byColumns, Space space, Address address, Expr stride, List<Expr> values)
            implements Tensor {
        @Override
        public List<Expr> reads() {
            return joined(values, List.of(address.base(), stride));
        }

        @Override
        public List<Register> writes() {
            return List.of();
        }
    }

    private static List<Expr> joined(List<Expr> first, List<Expr> second) {
        List<Expr> all = new ArrayList<>(first);
        all.addAll(second);
        return List.copyOf(all);
    }
}
