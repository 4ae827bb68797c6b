package dev.panamark.ptx.compile;

import dev.panamark.ptx.analyze.Liveness;
import dev.panamark.ptx.analyze.Uniformity;
import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Space;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which segments can be done with vectors: all that their lanes do are unguarded operations that vectors have, and accesses
 * to consecutive words. Done op by op instead of lane by lane, it is the same where no lane reads or writes what another
 * one writes: accesses are at the same place or, as is found out when they are made, apart.
 */
final class VectorPlan {
    /** Pairs of accesses that must be found apart, at most. */
    private static final int MOST_PAIRS = 8;

    /** Lanes of a warp. */
    private static final int LANES = 32;

    /** More would need local variables with long numbers. */
    static final int MOST_UNIFORM = 80;

    /** More are left to other code, as compiling them takes long. */
    private static final int MOST_OPS = 120;

    /** Two accesses, one of which writes. */
    record Pair(Access one, Access other) {}

    /**
     * An access to consecutive words.
     *
     * @param register with the address of a lane
     */
    record Access(Space space, Register register, long offset, boolean writes) {}

    private final Segment segment;
    private final Set<Register> streams;
    private final BitSet uniform;

    /** Registers that a row shares where an op is. */
    private final BitSet shared;

    private final List<Access> accesses = new ArrayList<>();
    private final List<Pair> pairs = new ArrayList<>();

    private VectorPlan(Segment segment, Uniformity uniformity, Streams streams) {
        this.segment = segment;
        this.streams = streams.of(segment.index());
        uniform = uniformity.ops(segment.index());
        shared = (BitSet) uniformity.in(segment.index()).clone();
    }

    /** What to look after in a segment; null where it cannot be done with vectors. */
    static @Nullable VectorPlan of(Segment segment, Uniformity uniformity, Streams streams) {
        VectorPlan plan = new VectorPlan(segment, uniformity, streams);
        return plan.fits() ? plan : null;
    }

    List<Pair> pairs() {
        return pairs;
    }

    /** Accesses of words in shared memory. */
    List<Access> accesses() {
        return accesses;
    }

    private boolean fits() {
        int count = segment.ops().size();
        int once = uniform.cardinality();
        if (once == count || once > MOST_UNIFORM || count - once > MOST_OPS) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            Op op = segment.ops().get(i);
            boolean same = uniform.get(i);
            if (!same && !fits(op)) {
                return false;
            }
            Liveness.writes(op, register -> shared.set(register.number(), same));
        }
        return apart();
    }

    private boolean fits(Op op) {
        if (op.guard() != null) {
            return false;
        }
        return switch (op) {
            case Op.Assign assign ->
                assign.target().storage() == Register.Storage.PREDICATE
                        ? isMask(assign.value())
                        : isValue(assign.value());
            case Op.Load load -> {
                Address address = load.address();
                yield stream(op, load.space(), address, false);
            }
            case Op.Store store ->
                isValue(store.values().getFirst()) && stream(op, store.space(), store.address(), true);
            case Op.Nothing nothing -> true;
            default -> false;
        };
    }

    private boolean stream(Op op, Space space, Address address, boolean writes) {
        if (!Streams.fits(op) || !(address.base() instanceof Expr.Read read) || !streams.contains(read.register())) {
            return false;
        }
        accesses.add(new Access(space, read.register(), address.offset(), writes));
        return true;
    }

    /** Whether a value is the same for all lanes of a row, where those registers are. */
    static boolean shared(Expr expr, Predicate<Register> registers) {
        return switch (expr) {
            case Expr.Read read -> registers.test(read.register());
            case Expr.Call call -> call.arguments().stream().allMatch(argument -> shared(argument, registers));
            case Expr.ThreadIndex index -> index.axis() > 0;
            case Expr.Lane lane -> false;
            case Expr.Clock clock -> false;
            case Expr.Const constant -> true;
            case Expr.Uniform value -> true;
            case Expr.GlobalAddress address -> true;
            case Expr.Parameter parameter -> true;
            case Expr.WarpIndex index -> true;
        };
    }

    private boolean isShared(Expr expr) {
        return shared(expr, register -> shared.get(register.number()));
    }

    private boolean isValue(Expr expr) {
        if (isShared(expr)) {
            return true;
        }
        return switch (expr) {
            case Expr.Read read -> read.register().storage() != Register.Storage.PREDICATE;
            case Expr.Lane lane -> true;
            case Expr.ThreadIndex index -> true;
            case Expr.Call call -> {
                List<Expr> arguments = call.arguments();
                yield switch (VectorOperation.of(call)) {
                    case null -> false;
                    case VectorOperation.Compare compare -> false;
                    case VectorOperation.Masks masks -> false;
                    case VectorOperation.Shift shift -> isValue(arguments.getFirst());
                    case VectorOperation.Select select ->
                        isValue(arguments.get(0)) && isValue(arguments.get(1)) && isMask(arguments.get(2));
                    default -> arguments.stream().allMatch(this::isValue);
                };
            }
            default -> false;
        };
    }

    private boolean isMask(Expr expr) {
        if (isShared(expr)) {
            return true;
        }
        return switch (expr) {
            case Expr.Read read -> read.register().storage() == Register.Storage.PREDICATE;
            case Expr.Call call ->
                switch (VectorOperation.ofMask(call)) {
                    case VectorOperation.Compare compare ->
                        call.arguments().stream().allMatch(this::isValue);
                    case VectorOperation.Masks masks ->
                        call.arguments().stream().allMatch(this::isMask);
                    case null, default -> false;
                };
            default -> false;
        };
    }

    /** Whether no lane accesses what another one writes, as far as it can be told; notes what cannot. */
    private boolean apart() {
        for (int i = 0; i < accesses.size(); i++) {
            for (int k = i + 1; k < accesses.size(); k++) {
                Access a = accesses.get(i);
                Access b = accesses.get(k);
                if (a.space() != b.space() || !(a.writes() || b.writes())) {
                    continue;
                }
                if (a.register() != b.register()) {
                    pairs.add(new Pair(a, b));
                } else if (a.offset() != b.offset()
                        && Math.abs(a.offset() - b.offset()) < (long) LANES * Streams.BYTES) {
                    return false;
                }
            }
        }
        return pairs.size() <= MOST_PAIRS;
    }
}
