package dev.panamark.ptx.analyze;

import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Space;
import dev.panamark.ptx.ir.Sync;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which registers hold the same value in all lanes of a row, the threads of a warp that differ in x only, or in all lanes of a
 * warp, whenever lanes execute together. Begins with the belief that all do and takes back what does not follow from it.
 *
 * <p>Lanes of a row that part at a branch may come back with different values, so what is written between the branch and
 * the place where they meet is not the same there. Lanes come together nowhere else.
 */
public final class Uniformity {
    private final List<Segment> segments;
    private final BitSet[] in;
    private final BitSet[] out;
    private final BitSet[] ops;

    /** Registers that differ where lanes meet, by segment. */
    private final BitSet[] parted;

    /** Segments whose branch is known to part lanes of a row. */
    private final BitSet parting = new BitSet();

    /** Whether lanes of a row may execute an instruction of the warp in groups, so that they are not at the same place. */
    private final boolean grouped;

    /** Whether all lanes of a warp are one row. */
    private final boolean whole;

    private Uniformity(List<Segment> segments, int registers, boolean whole) {
        this.segments = segments;
        this.whole = whole;
        int n = segments.size();
        in = new BitSet[n];
        out = new BitSet[n];
        ops = new BitSet[n];
        parted = new BitSet[n];
        for (int i = 0; i < n; i++) {
            in[i] = new BitSet();
            in[i].set(0, registers);
            out[i] = in[i];
            ops[i] = new BitSet();
            parted[i] = new BitSet();
        }
        grouped = segments.stream()
                .anyMatch(s -> s.exit() instanceof Segment.Together together && !ofAllLanes(together.sync()));
    }

    /**
     * That of rows in a kernel's segments.
     *
     * @param registers how many there are
     */
    public static Uniformity of(List<Segment> segments, int registers) {
        return of(segments, registers, false);
    }

    /** The same where all lanes of a warp are taken for one row, whatever their coordinates. */
    public static Uniformity ofWarps(List<Segment> segments, int registers) {
        return of(segments, registers, true);
    }

    private static Uniformity of(List<Segment> segments, int registers, boolean whole) {
        Uniformity uniformity = new Uniformity(segments, registers, whole);
        uniformity.solve();
        return uniformity;
    }

    /** Registers that a row shares where a segment begins, by number. */
    public BitSet in(int segment) {
        return in[segment];
    }

    /** Places of those ops of a segment that do the same for all lanes of a row and need be done only once. */
    public BitSet ops(int segment) {
        return ops[segment];
    }

    private void solve() {
        List<List<Integer>> before = new ArrayList<>();
        for (int i = 0; i < segments.size(); i++) {
            before.add(new ArrayList<>());
        }
        for (Segment segment : segments) {
            for (int next : next(segment.exit())) {
                before.get(next).add(segment.index());
            }
        }
        Deque<Integer> open = new ArrayDeque<>();
        BitSet waiting = new BitSet();
        for (int i = 0; i < segments.size(); i++) {
            open.add(i);
            waiting.set(i);
        }
        while (!open.isEmpty()) {
            int at = open.remove();
            waiting.clear(at);
            Segment segment = segments.get(at);
            BitSet start = (BitSet) in[at].clone();
            for (int previous : before.get(at)) {
                start.and(out[previous]);
            }
            start.andNot(parted[at]);
            in[at] = start;
            BitSet end = through(segment, start);
            List<Integer> changed = new ArrayList<>();
            if (!end.equals(out[at])) {
                out[at] = end;
                changed.addAll(next(segment.exit()));
            }
            if (segment.exit() instanceof Segment.Branch branch && parts(branch, end) && !parting.get(at)) {
                parting.set(at);
                if (branch.meet() >= 0) {
                    parted[branch.meet()].or(written(branch));
                    changed.add(branch.meet());
                }
            }
            for (int next : changed) {
                if (!waiting.get(next)) {
                    waiting.set(next);
                    open.add(next);
                }
            }
        }
    }

    private boolean parts(Segment.Branch branch, BitSet end) {
        return grouped || !end.get(branch.predicate().number());
    }

    /** Registers written between a branch and where its lanes meet. */
    private BitSet written(Segment.Branch branch) {
        BitSet written = new BitSet();
        BitSet seen = new BitSet();
        Deque<Integer> open = new ArrayDeque<>(List.of(branch.taken(), branch.fall()));
        while (!open.isEmpty()) {
            int at = open.remove();
            if (at == branch.meet() || seen.get(at)) {
                continue;
            }
            seen.set(at);
            Segment segment = segments.get(at);
            for (Op op : segment.ops()) {
                Liveness.writes(op, register -> written.set(register.number()));
            }
            if (segment.exit() instanceof Segment.Together together) {
                Liveness.writes(together.sync(), register -> written.set(register.number()));
            }
            open.addAll(next(segment.exit()));
        }
        return written;
    }

    private static List<Integer> next(Segment.Exit exit) {
        return switch (exit) {
            case Segment.Jump jump -> List.of(jump.next());
            case Segment.Branch branch -> List.of(branch.taken(), branch.fall());
            case Segment.Together together -> List.of(together.next());
            case Segment.End end -> List.of();
        };
    }

    private BitSet through(Segment segment, BitSet start) {
        BitSet state = (BitSet) start.clone();
        BitSet same = ops[segment.index()];
        for (int i = 0; i < segment.ops().size(); i++) {
            Op op = segment.ops().get(i);
            boolean uniform = op.guard() == null
                    && switch (op) {
                        case Op.Assign assign -> shared(assign.value(), state);
                        case Op.Load load -> shared(load.address().base(), state) && readsOnly(segment, load.space());
                        default -> false;
                    };
            same.set(i, uniform);
            Liveness.writes(op, register -> state.set(register.number(), uniform));
        }
        if (segment.exit() instanceof Segment.Together together) {
            boolean uniform = !grouped
                    && switch (together.sync()) {
                        case Sync.Barrier s -> true;
                        case Sync.Vote s -> true;
                        case Sync.Reduce s -> true;
                        default -> false;
                    };
            Liveness.writes(together.sync(), register -> state.set(register.number(), uniform));
        }
        return state;
    }

    /** Whether a load may be done before all that other lanes do in the segment. */
    private static boolean readsOnly(Segment segment, Space space) {
        return switch (space) {
            case PARAM, CONST -> true;
            case GLOBAL, SHARED ->
                segment.ops().stream().noneMatch(op -> {
                    Space written = switch (op) {
                        case Op.Store store -> store.space();
                        case Op.Atomic atomic -> atomic.space();
                        case Op.Act act -> Space.GENERIC;
                        default -> null;
                    };
                    return written == space || written == Space.GENERIC;
                });
            case LOCAL, GENERIC -> false;
        };
    }

    /** Whether a value is the same for all lanes of a row, where the registers of {@code state} are. */
    private boolean shared(Expr expr, BitSet state) {
        return switch (expr) {
            case Expr.Read read -> state.get(read.register().number());
            case Expr.Call call -> call.arguments().stream().allMatch(argument -> shared(argument, state));
            case Expr.ThreadIndex index -> index.axis() > 0 && !whole;
            case Expr.Lane lane -> false;
            case Expr.Clock clock -> false;
            case Expr.Const constant -> true;
            case Expr.Uniform uniform -> true;
            case Expr.GlobalAddress address -> true;
            case Expr.Parameter parameter -> true;
            case Expr.WarpIndex index -> true;
        };
    }

    private static boolean ofAllLanes(Sync sync) {
        @Nullable
        Expr members = switch (sync) {
            case Sync.WarpBarrier s -> s.members();
            case Sync.Shuffle s -> s.members();
            case Sync.Vote s -> s.members();
            case Sync.Match s -> s.members();
            case Sync.Reduce s -> s.members();
            case Sync.Elect s -> s.members();
            case Sync.Barrier s -> null;
            case Sync.ActiveMask s -> null;
            case Sync.Sleep s -> null;
            case Sync.Tensor s -> null;
        };
        return members == null || (members instanceof Expr.Const constant && (int) constant.bits() == -1);
    }
}
