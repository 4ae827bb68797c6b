package dev.panamark.ptx.interpret;

import dev.panamark.ptx.check.SegmentEvents;
import dev.panamark.ptx.count.Track;
import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Guard;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Segment;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.runtime.Actions;
import dev.panamark.ptx.runtime.Atomics;
import dev.panamark.ptx.runtime.Copies;
import dev.panamark.ptx.runtime.Evaluate;
import dev.panamark.ptx.runtime.Executor;
import dev.panamark.ptx.runtime.Grid;
import dev.panamark.ptx.runtime.Memory;
import dev.panamark.ptx.runtime.Warp;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;

/** Executes a segment lane by lane, one op after the other. */
@SuppressWarnings("EnumOrdinal") // Within one program run, a number says as much as the constant.
public final class Interpreter implements Executor, Grid.Replay {
    private final Segment[] segments;

    public Interpreter(KernelCode code) {
        segments = code.segments().toArray(new Segment[0]);
    }

    @Override
    public int run(int segment, Warp warp, int mask) {
        Segment running = segments[segment];
        if (warp.counts()) {
            counted(segment, warp, mask);
        } else {
            for (int rest = mask; rest != 0; rest &= rest - 1) {
                lane(segment, warp, Integer.numberOfTrailingZeros(rest));
            }
        }
        if (running.exit() instanceof Segment.Branch branch) {
            int predicate = warp.predicates[branch.predicate().index()];
            return mask & (branch.negated() ? ~predicate : predicate);
        }
        return mask;
    }

    @Override
    public List<List<Track>> tracks() {
        return Arrays.stream(segments).map(segment -> Track.of(segment, false)).toList();
    }

    private void counted(int segment, Warp warp, int mask) {
        List<Track> tracks = warp.tracks(segment);
        int[] masks = new int[tracks.size()];
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            int lane = Integer.numberOfTrailingZeros(rest);
            int next = 0;
            int slot = 0;
            List<Op> ops = segments[segment].ops();
            for (int i = 0; i < ops.size(); i++) {
                Op op = ops.get(i);
                Track track = next < tracks.size() ? tracks.get(next) : null;
                boolean noted = track != null && track.at() == i;
                Guard guard = op.guard();
                if (guard == null || (Evaluate.register(guard.predicate(), warp, lane) != 0) != guard.negated()) {
                    Address address = Track.address(op);
                    if (noted) {
                        masks[next] |= 1 << lane;
                        warp.scratch[32 * next + lane] = address == null ? 0 : address(address, warp, lane);
                    }
                    noteValues(op, warp, lane, slot);
                    execute(op, warp, lane);
                }
                slot += SegmentEvents.values(op);
                next += noted ? 1 : 0;
            }
        }
        for (int i = 0; i < masks.length; i++) {
            Warp.count(warp, segment, i, masks[i]);
        }
        Warp.check(warp, segment);
    }

    /** For what looks for faults. */
    private static void noteValues(Op op, Warp warp, int lane, int slot) {
        if (warp.stored.length > 0 && op instanceof Op.Store store && SegmentEvents.values(op) > 0) {
            for (int i = 0; i < store.values().size(); i++) {
                warp.stored[32 * (slot + i) + lane] =
                        Evaluate.bits(store.values().get(i), warp, lane);
            }
        }
    }

    @Override
    public void lane(int segment, Warp warp, int lane) {
        for (Op op : segments[segment].ops()) {
            Guard guard = op.guard();
            if (guard == null || (Evaluate.register(guard.predicate(), warp, lane) != 0) != guard.negated()) {
                execute(op, warp, lane);
            }
        }
    }

    private static void execute(Op op, Warp warp, int lane) {
        switch (op) {
            case Op.Assign assign ->
                Evaluate.set(assign.target(), warp, lane, Evaluate.bits(assign.value(), warp, lane));
            case Op.Load load -> load(load, warp, lane);
            case Op.Store store -> store(store, warp, lane);
            case Op.Atomic atomic -> atomic(atomic, warp, lane);
            case Op.Copy copy ->
                Copies.begin(
                        warp,
                        lane,
                        copy.site().index(),
                        (int) address(copy.target(), warp, lane),
                        address(copy.source(), warp, lane),
                        copy.bytes(),
                        (int) Evaluate.bits(copy.size(), warp, lane));
            case Op.Fetch ignored -> {}
            case Op.Act act -> act(act, warp, lane);
            case Op.Fence ignored -> VarHandle.fullFence();
            case Op.Nothing ignored -> {}
            case Op.Trap trap -> Warp.trap(warp, lane, trap.site().index(), trap.message());
        }
    }

    private static long address(Address address, Warp warp, int lane) {
        return Evaluate.bits(address.base(), warp, lane) + address.offset();
    }

    private static void load(Op.Load load, Warp warp, int lane) {
        int bytes = load.type().bytes();
        int all = bytes * load.targets().size();
        int site = load.site().index();
        long address = address(load.address(), warp, lane);
        long[] values = new long[load.targets().size()];
        for (int i = 0; i < values.length; i++) {
            long raw = switch (load.space()) {
                case SHARED ->
                    Memory.load(warp.shared, Memory.shared(warp, lane, site, (int) address, all) + i * bytes, bytes);
                case LOCAL ->
                    Memory.load(warp.local, Memory.local(warp, lane, site, (int) address, all) + i * bytes, bytes);
                case PARAM ->
                    Memory.load(
                            warp.parameters, Memory.parameter(warp, lane, site, (int) address, all) + i * bytes, bytes);
                case GLOBAL, CONST ->
                    Memory.load(warp.global, Memory.global(warp, lane, site, address, all) + (long) i * bytes, bytes);
                case GENERIC -> {
                    Memory.genericCheck(warp, lane, site, address, all);
                    yield Memory.generic(warp, lane, site, address + (long) i * bytes, bytes);
                }
            };
            values[i] = extend(load.type(), raw);
        }
        for (int i = 0; i < values.length; i++) {
            Register target = load.targets().get(i);
            if (target != null) {
                Evaluate.set(target, warp, lane, values[i]);
            }
        }
    }

    private static long extend(Type type, long raw) {
        return switch (type) {
            case S8 -> (byte) raw;
            case S16 -> (short) raw;
            case S32 -> (int) raw;
            case U32, B32, F32 -> raw & 0xffffffffL;
            default -> raw;
        };
    }

    private static void store(Op.Store store, Warp warp, int lane) {
        int bytes = store.type().bytes();
        int all = bytes * store.values().size();
        int site = store.site().index();
        long address = address(store.address(), warp, lane);
        for (int i = 0; i < store.values().size(); i++) {
            long value = Evaluate.bits(store.values().get(i), warp, lane);
            switch (store.space()) {
                case SHARED ->
                    Memory.store(
                            warp.shared, Memory.shared(warp, lane, site, (int) address, all) + i * bytes, bytes, value);
                case LOCAL ->
                    Memory.store(
                            warp.local, Memory.local(warp, lane, site, (int) address, all) + i * bytes, bytes, value);
                case GLOBAL ->
                    Memory.store(
                            warp.global,
                            Memory.global(warp, lane, site, address, all) + (long) i * bytes,
                            bytes,
                            value);
                case GENERIC -> {
                    Memory.genericCheck(warp, lane, site, address, all);
                    Memory.generic(warp, lane, site, address + (long) i * bytes, bytes, value);
                }
                case CONST, PARAM -> throw new IllegalStateException("stores to " + store.space() + " are refused");
            }
        }
    }

    private static void act(Op.Act act, Warp warp, int lane) {
        long[] arguments = new long[Actions.ARGUMENTS];
        for (int i = 0; i < act.arguments().size(); i++) {
            arguments[i] = Evaluate.bits(act.arguments().get(i), warp, lane);
        }
        long result = Actions.run(
                warp,
                lane,
                act.site().index(),
                act.action().ordinal(),
                arguments[0],
                arguments[1],
                arguments[2],
                arguments[3]);
        Register target = act.target();
        if (target != null) {
            Evaluate.set(target, warp, lane, result);
        }
    }

    private static void atomic(Op.Atomic atomic, Warp warp, int lane) {
        long address = address(atomic.address(), warp, lane);
        long value = Evaluate.bits(atomic.value(), warp, lane);
        Expr third = atomic.swap();
        long swap = third == null ? 0 : Evaluate.bits(third, warp, lane);
        int site = atomic.site().index();
        int kind = atomic.kind().ordinal();
        int type = atomic.type().ordinal();
        long old = switch (atomic.space()) {
            case SHARED -> Atomics.shared(warp, lane, site, (int) address, value, swap, kind, type);
            case GLOBAL -> Atomics.global(warp, lane, site, address, value, swap, kind, type);
            case GENERIC -> Atomics.generic(warp, lane, site, address, value, swap, kind, type);
            default -> throw new IllegalStateException("atomics on " + atomic.space() + " are refused");
        };
        Register target = atomic.target();
        if (target != null) {
            Evaluate.set(target, warp, lane, old);
        }
    }
}
