package dev.panamark.ptx.analyze;

import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Guard;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Sync;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Which registers still matter where segments begin and end. */
public final class Liveness {
    private final BitSet[] in;
    private final BitSet[] out;

    private Liveness(BitSet[] in, BitSet[] out) {
        this.in = in;
        this.out = out;
    }

    /** Registers that a segment or what follows it may read before they are written, by number. */
    public BitSet in(int segment) {
        return in[segment];
    }

    /** The same after the instructions of a segment, what its exit reads included. */
    public BitSet out(int segment) {
        return out[segment];
    }

    /** That of a kernel's segments. */
    public static Liveness of(List<Segment> segments) {
        int n = segments.size();
        BitSet[] used = new BitSet[n];
        BitSet[] defined = new BitSet[n];
        BitSet[] in = new BitSet[n];
        BitSet[] out = new BitSet[n];
        for (int i = 0; i < n; i++) {
            used[i] = new BitSet();
            defined[i] = new BitSet();
            in[i] = new BitSet();
            out[i] = new BitSet();
            for (Op op : segments.get(i).ops()) {
                BitSet u = used[i];
                BitSet d = defined[i];
                reads(op, register -> {
                    if (!d.get(register.number())) {
                        u.set(register.number());
                    }
                });
                writes(op, register -> {
                    // What a guard may leave as it was is read as well.
                    if (op.guard() == null) {
                        d.set(register.number());
                    } else if (!d.get(register.number())) {
                        u.set(register.number());
                    }
                });
            }
        }
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int i = n - 1; i >= 0; i--) {
                BitSet after = new BitSet();
                exit(segments.get(i).exit(), after, in);
                out[i] = after;
                BitSet before = (BitSet) after.clone();
                before.andNot(defined[i]);
                before.or(used[i]);
                if (!before.equals(in[i])) {
                    in[i] = before;
                    changed = true;
                }
            }
        }
        return new Liveness(in, out);
    }

    private static void exit(Segment.Exit exit, BitSet live, BitSet[] in) {
        switch (exit) {
            case Segment.Jump jump -> live.or(in[jump.next()]);
            case Segment.Branch branch -> {
                live.or(in[branch.taken()]);
                live.or(in[branch.fall()]);
                live.set(branch.predicate().number());
            }
            case Segment.Together together -> {
                live.or(in[together.next()]);
                if (together.sync() instanceof Sync.Tensor tensor) {
                    tensor.writes().forEach(register -> live.clear(register.number()));
                    tensor.reads().forEach(value -> expression(value, register -> live.set(register.number())));
                    return;
                }
                // Lanes may read what lanes that take no part hold, so a result's register is live as well.
                sync(together.sync(), register -> live.set(register.number()));
            }
            case Segment.End end -> {}
        }
    }

    /** Registers that an op reads. */
    public static void reads(Op op, Consumer<Register> action) {
        Guard guard = op.guard();
        if (guard != null) {
            action.accept(guard.predicate());
        }
        switch (op) {
            case Op.Assign assign -> expression(assign.value(), action);
            case Op.Load load -> expression(load.address().base(), action);
            case Op.Store store -> {
                expression(store.address().base(), action);
                store.values().forEach(value -> expression(value, action));
            }
            case Op.Atomic atomic -> {
                expression(atomic.address().base(), action);
                expression(atomic.value(), action);
                optional(atomic.swap(), action);
            }
            case Op.Copy copy -> {
                expression(copy.target().base(), action);
                expression(copy.source().base(), action);
                expression(copy.size(), action);
            }
            case Op.Fetch fetch -> expression(fetch.address().base(), action);
            case Op.Act act -> act.arguments().forEach(argument -> expression(argument, action));
            case Op.Fence fence -> {}
            case Op.Nothing nothing -> {}
            case Op.Trap trap -> {}
        }
    }

    /** Registers that an op writes. */
    public static void writes(Op op, Consumer<Register> action) {
        switch (op) {
            case Op.Assign assign -> action.accept(assign.target());
            case Op.Load load -> {
                for (Register register : load.targets()) {
                    if (register != null) {
                        action.accept(register);
                    }
                }
            }
            case Op.Atomic atomic -> {
                Register target = atomic.target();
                if (target != null) {
                    action.accept(target);
                }
            }
            case Op.Act act -> written(act.target(), action);
            default -> {}
        }
    }

    /** Registers that lanes write together. */
    public static void writes(Sync sync, Consumer<Register> action) {
        switch (sync) {
            case Sync.Barrier s -> written(s.target(), action);
            case Sync.Shuffle s -> {
                written(s.target(), action);
                written(s.inRange(), action);
            }
            case Sync.Vote s -> written(s.target(), action);
            case Sync.Match s -> {
                written(s.target(), action);
                written(s.same(), action);
            }
            case Sync.Reduce s -> written(s.target(), action);
            case Sync.ActiveMask s -> written(s.target(), action);
            case Sync.Elect s -> {
                written(s.leader(), action);
                written(s.elected(), action);
            }
            case Sync.WarpBarrier s -> {}
            case Sync.Sleep s -> {}
            case Sync.Tensor s -> s.writes().forEach(action);
        }
    }

    /** Registers that a value is made of. */
    public static void expression(Expr expr, Consumer<Register> action) {
        switch (expr) {
            case Expr.Read read -> action.accept(read.register());
            case Expr.Call call -> call.arguments().forEach(argument -> expression(argument, action));
            default -> {}
        }
    }

    private static void optional(@Nullable Expr expr, Consumer<Register> action) {
        if (expr != null) {
            expression(expr, action);
        }
    }

    private static void sync(Sync sync, Consumer<Register> action) {
        switch (sync) {
            case Sync.Barrier s -> {
                expression(s.id(), action);
                optional(s.threads(), action);
                optional(s.predicate(), action);
                written(s.target(), action);
            }
            case Sync.WarpBarrier s -> expression(s.members(), action);
            case Sync.Shuffle s -> {
                expression(s.value(), action);
                expression(s.lane(), action);
                expression(s.clamp(), action);
                expression(s.members(), action);
                written(s.target(), action);
                written(s.inRange(), action);
            }
            case Sync.Vote s -> {
                expression(s.predicate(), action);
                expression(s.members(), action);
                written(s.target(), action);
            }
            case Sync.Match s -> {
                expression(s.value(), action);
                expression(s.members(), action);
                written(s.target(), action);
                written(s.same(), action);
            }
            case Sync.Reduce s -> {
                expression(s.value(), action);
                expression(s.members(), action);
                written(s.target(), action);
            }
            case Sync.ActiveMask s -> written(s.target(), action);
            case Sync.Elect s -> {
                written(s.leader(), action);
                written(s.elected(), action);
                expression(s.members(), action);
            }
            case Sync.Sleep s -> {}
            case Sync.Tensor s -> {
                s.reads().forEach(value -> expression(value, action));
                s.writes().forEach(action);
            }
        }
    }

    private static void written(@Nullable Register register, Consumer<Register> action) {
        if (register != null) {
            action.accept(register);
        }
    }
}
