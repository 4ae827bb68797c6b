package dev.panamark.ptx.analyze;

import static dev.panamark.ptx.analyze.Emitter.compare;
import static dev.panamark.ptx.analyze.Emitter.constant;
import static dev.panamark.ptx.analyze.Emitter.logic;

import dev.panamark.ptx.ir.Action;
import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Guard;
import dev.panamark.ptx.ir.InstructionClass;
import dev.panamark.ptx.ir.Jvm;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Space;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.parse.Syntax;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Asynchronous copies, but not those in bulk. */
final class AsyncDecoder {
    private final Emitter emitter;
    private final MbarrierDecoder mbarriers;
    private Modifiers modifiers = new Modifiers(List.of());

    AsyncDecoder(Emitter emitter, MbarrierDecoder mbarriers) {
        this.emitter = emitter;
        this.mbarriers = mbarriers;
    }

    boolean decode(String opcode, Modifiers given) {
        modifiers = given;
        if (!opcode.equals("cp")) {
            return false;
        }
        if (!modifiers.take("async") || emitter.instruction().modifiers().contains("bulk")) {
            throw emitter.unsupported();
        }
        switch (modifiers.any("commit_group", "wait_group", "wait_all", "mbarrier", "ca", "cg")) {
            case "commit_group" -> {
                emitter.finish(modifiers);
                emitter.operands(0, 0);
                act(InstructionClass.COPY_ASYNC, Action.COMMIT_COPIES, List.of(), null);
            }
            case "wait_group" -> await();
            case "wait_all" -> {
                emitter.finish(modifiers);
                emitter.operands(0, 0);
                act(InstructionClass.COPY_ASYNC, Action.AWAIT_COPIES, List.of(), null);
            }
            case "mbarrier" -> mbarriers.copies(modifiers);
            case "ca" -> copy(false);
            case "cg" -> copy(true);
            default -> throw emitter.unsupported();
        }
        return true;
    }

    /** What other lanes did before and do after is on its other side. */
    private void act(InstructionClass kind, Action action, List<Expr> arguments, @Nullable Register target) {
        Site site = emitter.site(kind);
        emitter.add(new Item.Cut());
        emitter.add(new Op.Act(site, emitter.guard(), action, arguments, target));
        emitter.add(new Item.Cut());
    }

    private void await() {
        emitter.finish(modifiers);
        emitter.operands(1, 1);
        if (!(emitter.operand(0) instanceof Syntax.Int number) || number.value() < 0) {
            throw emitter.fault("the number of groups is not a constant of 0 or more");
        }
        act(InstructionClass.COPY_ASYNC, Action.AWAIT_GROUPS, List.of(Expr.Const.of(number.value())), null);
    }

    private void copy(boolean whole) {
        boolean policy = modifiers.take("L2::cache_hint");
        modifiers.any("L2::64B", "L2::128B", "L2::256B");
        boolean toShared =
                modifiers.any("shared", "shared::cta", "global").startsWith("shared") && modifiers.take("global");
        emitter.finish(modifiers);
        if (!toShared) {
            throw emitter.unsupported();
        }
        int given = emitter.operands() - (policy ? 1 : 0);
        emitter.operands(policy ? 4 : 3, policy ? 5 : 4);
        if (!(emitter.operand(2) instanceof Syntax.Int number)
                || !(number.value() == 16 || (!whole && (number.value() == 4 || number.value() == 8)))) {
            throw emitter.fault("the number of bytes is not " + (whole ? "16" : "4, 8 or 16"));
        }
        int bytes = (int) number.value();
        if (policy) {
            emitter.value(emitter.operand(given), Type.B64);
        }
        Site site = emitter.site(InstructionClass.COPY_ASYNC);
        Address target = emitter.address(emitter.addressOperand(0), Space.SHARED);
        Address source = emitter.address(emitter.addressOperand(1), Space.GLOBAL);
        Expr size = given == 4 ? size(emitter.operand(3), bytes) : constant(bytes);
        emitter.add(new Op.Copy(site, emitter.guard(), target, source, bytes, size));
        if (!(size instanceof Expr.Const fixed)) {
            Register reads = emitter.temporary(Type.PRED);
            emitter.add(new Op.Assign(site, null, reads, reads(size)));
            emitter.add(new Op.Fetch(site, new Guard(reads, false), source, bytes));
        } else if (fixed.bits() != 0) {
            emitter.add(new Op.Fetch(site, emitter.guard(), source, bytes));
        }
    }

    /** Whether a lane reads anything. */
    private Expr reads(Expr size) {
        Expr any = compare("ne32", size, constant(0));
        Guard guard = emitter.guard();
        if (guard == null) {
            return any;
        }
        Expr runs = emitter.read(guard.predicate(), Jvm.INT);
        return logic("and32", any, guard.negated() ? logic("notPred", runs) : runs);
    }

    /** Bytes of the source: a number of them, or none where a predicate is true. */
    private Expr size(Syntax.Operand operand, int bytes) {
        boolean ignores = operand instanceof Syntax.Not
                || (operand instanceof Syntax.Name name
                        && emitter.find(name) instanceof Binding.Single single
                        && single.register().type() == Type.PRED);
        return ignores
                ? logic("select32", constant(0), constant(bytes), emitter.condition(operand))
                : emitter.value(operand, Type.U32);
    }
}
