package dev.panamark.ptx.analyze;

import dev.panamark.ptx.ir.AtomicKind;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.InstructionClass;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Sync;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.parse.Syntax;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What threads do together. A guarded one is a branch around it. */
final class WarpDecoder {
    private final Emitter emitter;
    private Modifiers modifiers = new Modifiers(List.of());

    WarpDecoder(Emitter emitter) {
        this.emitter = emitter;
    }

    boolean decode(String opcode, Modifiers given) {
        modifiers = given;
        switch (opcode) {
            case "bar", "barrier" -> barrier();
            case "shfl" -> shuffle();
            case "vote" -> vote();
            case "match" -> match();
            case "redux" -> redux();
            case "activemask" -> activeMask();
            case "elect" -> elect();
            case "nanosleep" -> sleep();
            default -> {
                return false;
            }
        }
        return true;
    }

    /** A register or constant for the value. */
    private Expr simple(Expr value, Type type) {
        if (value instanceof Expr.Read || value instanceof Expr.Const) {
            return value;
        }
        Register register = emitter.temporary(type);
        emitter.put(register, value);
        return emitter.read(register, type.jvm());
    }

    private Expr in(int i, Type type) {
        return simple(emitter.value(emitter.operand(i), type), type);
    }

    private record Condition(Expr value, boolean negated) {}

    private Condition condition(int i) {
        Syntax.Operand operand = emitter.operand(i);
        boolean negated = operand instanceof Syntax.Not;
        Expr value = emitter.condition(operand instanceof Syntax.Not not ? not.operand() : operand);
        return new Condition(simple(value, Type.PRED), negated);
    }

    private void meet(Site site, Sync sync) {
        emitter.add(new Item.Meet(site, sync));
    }

    private void barrier() {
        boolean cluster = modifiers.take("cluster");
        modifiers.take("cta");
        if (modifiers.take("warp")) {
            modifiers.take("sync");
            emitter.finish(modifiers);
            emitter.operands(1, 1);
            Site site = emitter.site(InstructionClass.BARRIER);
            meet(site, new Sync.WarpBarrier(in(0, Type.B32)));
            return;
        }
        modifiers.take("aligned");
        String what = modifiers.any("sync", "arrive", "red", "wait");
        if (cluster) {
            modifiers.any("release", "relaxed", "acquire");
            emitter.finish(modifiers);
            Site site = emitter.site(InstructionClass.BARRIER);
            // A cluster is one block: arriving does not wait, waiting is where it meets.
            if (what.equals("wait")) {
                meet(site, new Sync.Barrier(Sync.BarrierKind.SYNC, Emitter.constant(15), null, null, false, null));
            } else {
                emitter.add(new Op.Nothing(site, emitter.guard()));
            }
            return;
        }
        String reduction = modifiers.any("popc", "and", "or");
        Type type = modifiers.type();
        emitter.finish(modifiers);
        Site site = emitter.site(InstructionClass.BARRIER);
        if (what.equals("red")) {
            reduction(site, reduction, type);
            return;
        }
        if (!what.equals("sync") && !what.equals("arrive")) {
            throw emitter.unsupported();
        }
        boolean arrive = what.equals("arrive");
        emitter.operands(arrive ? 2 : 1, 2);
        meet(
                site,
                new Sync.Barrier(
                        arrive ? Sync.BarrierKind.ARRIVE : Sync.BarrierKind.SYNC,
                        in(0, Type.U32),
                        emitter.operands() == 2 ? in(1, Type.U32) : null,
                        null,
                        false,
                        null));
    }

    private void reduction(Site site, String reduction, @Nullable Type type) {
        emitter.operands(3, 4);
        boolean count = reduction.equals("popc");
        if (reduction.isEmpty() || type != (count ? Type.U32 : Type.PRED)) {
            throw emitter.unsupported();
        }
        Register target = count ? emitter.register(emitter.operand(0)) : emitter.predicate(emitter.operand(0));
        boolean counted = emitter.operands() == 4;
        Condition condition = condition(counted ? 3 : 2);
        meet(
                site,
                new Sync.Barrier(
                        count
                                ? Sync.BarrierKind.POPC
                                : reduction.equals("and") ? Sync.BarrierKind.AND : Sync.BarrierKind.OR,
                        in(1, Type.U32),
                        counted ? in(2, Type.U32) : null,
                        condition.value(),
                        condition.negated(),
                        word(target, count ? Type.U32 : Type.PRED)));
    }

    private Register word(Register register, Type type) {
        if (register.type().bits() != type.bits()) {
            throw emitter.fault(register + " is ." + register.type().ptx() + "; expected ." + type.ptx());
        }
        return register;
    }

    private void sync() {
        if (!modifiers.take("sync")) {
            throw emitter.fault(
                    emitter.instruction().at(),
                    "unsupported instruction " + emitter.instruction().fullName()
                            + "; expected the form with .sync, which sm_70 and newer have");
        }
    }

    private void shuffle() {
        sync();
        String mode = modifiers.any("up", "down", "bfly", "idx");
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(5, 5);
        if (mode.isEmpty() || type != Type.B32) {
            throw emitter.unsupported();
        }
        Site site = emitter.site(InstructionClass.CROSS_LANE);
        Syntax.Operand first = emitter.operand(0);
        Register range = null;
        if (first instanceof Syntax.Pair pair) {
            first = pair.first();
            range = pair.second() instanceof Syntax.Sink ? null : emitter.predicate(pair.second());
        }
        Register target = emitter.target(first);
        meet(
                site,
                new Sync.Shuffle(
                        Sync.ShuffleMode.valueOf(mode.toUpperCase(Locale.ROOT)),
                        target == null ? null : word(target, Type.B32),
                        range,
                        in(1, Type.B32),
                        in(2, Type.U32),
                        in(3, Type.U32),
                        in(4, Type.B32)));
    }

    private void vote() {
        sync();
        String mode = modifiers.any("all", "any", "uni", "ballot");
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(3, 3);
        Type expected = mode.equals("ballot") ? Type.B32 : Type.PRED;
        if (mode.isEmpty() || type != expected) {
            throw emitter.unsupported();
        }
        Site site = emitter.site(InstructionClass.CROSS_LANE);
        Condition condition = condition(1);
        meet(
                site,
                new Sync.Vote(
                        Sync.VoteMode.valueOf(mode.toUpperCase(Locale.ROOT)),
                        word(emitter.register(emitter.operand(0)), expected),
                        condition.value(),
                        condition.negated(),
                        in(2, Type.B32)));
    }

    private void match() {
        String mode = modifiers.any("all", "any");
        sync();
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(3, 3);
        if (mode.isEmpty() || (type != Type.B32 && type != Type.B64)) {
            throw emitter.unsupported();
        }
        Site site = emitter.site(InstructionClass.CROSS_LANE);
        Syntax.Operand first = emitter.operand(0);
        Register same = null;
        if (first instanceof Syntax.Pair pair) {
            first = pair.first();
            same = pair.second() instanceof Syntax.Sink ? null : emitter.predicate(pair.second());
        }
        meet(
                site,
                new Sync.Match(
                        mode.equals("all"),
                        word(emitter.register(first), Type.B32),
                        same,
                        in(1, type),
                        in(2, Type.B32)));
    }

    private void redux() {
        sync();
        String operation = modifiers.any("add", "min", "max", "and", "or", "xor");
        boolean odd = modifiers.take("abs") || modifiers.take("NaN");
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(3, 3);
        boolean logic = operation.equals("and") || operation.equals("or") || operation.equals("xor");
        boolean known = logic
                ? type == Type.B32
                : type == Type.S32 || type == Type.U32 || (type == Type.F32 && !operation.equals("add") && !odd);
        if (operation.isEmpty() || !known) {
            throw emitter.unsupported();
        }
        Site site = emitter.site(InstructionClass.CROSS_LANE);
        Register target = word(emitter.register(emitter.operand(0)), type);
        meet(
                site,
                new Sync.Reduce(
                        AtomicKind.valueOf(operation.toUpperCase(Locale.ROOT)),
                        type,
                        target,
                        in(1, type),
                        in(2, Type.B32)));
    }

    private void activeMask() {
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        emitter.operands(1, 1);
        Site site = emitter.site(InstructionClass.CROSS_LANE);
        meet(site, new Sync.ActiveMask(word(emitter.register(emitter.operand(0)), type)));
    }

    private void elect() {
        sync();
        emitter.finish(modifiers);
        emitter.operands(2, 2);
        Site site = emitter.site(InstructionClass.CROSS_LANE);
        if (!(emitter.operand(0) instanceof Syntax.Pair pair)) {
            throw emitter.fault("no predicate; expected d|p");
        }
        meet(site, new Sync.Elect(emitter.target(pair.first()), emitter.predicate(pair.second()), in(1, Type.B32)));
    }

    private void sleep() {
        modifiers.type();
        emitter.finish(modifiers);
        emitter.operands(1, 1);
        meet(emitter.site(InstructionClass.OTHER), new Sync.Sleep());
    }

    /** Whether an opcode needs a branch around it when guarded. */
    static boolean handles(String opcode) {
        return switch (opcode) {
            case "bar", "barrier", "shfl", "vote", "match", "redux", "activemask", "elect", "nanosleep" -> true;
            default -> false;
        };
    }
}
