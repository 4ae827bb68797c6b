package dev.panamark.ptx.analyze;

import static dev.panamark.ptx.analyze.Emitter.constant;
import static dev.panamark.ptx.analyze.Emitter.integer;

import dev.panamark.ptx.ir.Action;
import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.InstructionClass;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Space;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.parse.Syntax;
import dev.panamark.ptx.runtime.Memory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Barriers in shared memory. Order and scope say nothing: a block's threads see what others did before. */
final class MbarrierDecoder {
    private final Emitter emitter;
    private Modifiers modifiers = new Modifiers(List.of());

    MbarrierDecoder(Emitter emitter) {
        this.emitter = emitter;
    }

    boolean decode(String opcode, Modifiers given) {
        modifiers = given;
        if (!opcode.equals("mbarrier")) {
            return false;
        }
        String operation = modifiers.any(
                "init",
                "inval",
                "expect_tx",
                "complete_tx",
                "arrive",
                "arrive_drop",
                "test_wait",
                "try_wait",
                "pending_count");
        switch (operation) {
            case "init" -> {
                Space space = space();
                emitter.operands(2, 2);
                site();
                act(Action.INIT, List.of(address(0, space), emitter.value(emitter.operand(1), Type.U32)), null);
            }
            case "inval" -> {
                Space space = space();
                emitter.operands(1, 1);
                site();
                act(Action.INVALIDATE, List.of(address(0, space)), null);
            }
            case "expect_tx", "complete_tx" -> {
                modifiers.take("relaxed");
                modifiers.any("cta", "cluster");
                Space space = space();
                emitter.operands(2, 2);
                site();
                act(
                        operation.equals("expect_tx") ? Action.EXPECT_TRANSACTIONS : Action.COMPLETE_TRANSACTIONS,
                        List.of(address(0, space), emitter.value(emitter.operand(1), Type.U32)),
                        null);
            }
            case "arrive", "arrive_drop" -> arrive(operation.equals("arrive_drop"));
            case "test_wait", "try_wait" -> test(operation.equals("try_wait"));
            case "pending_count" -> {
                type();
                emitter.operands(2, 2);
                site();
                Register target = emitter.target(emitter.operand(0));
                act(
                        Action.PENDING,
                        List.of(emitter.value(emitter.operand(1), Type.B64)),
                        target == null ? null : word(target, Type.B32));
            }
            default -> throw emitter.unsupported();
        }
        return true;
    }

    /** {@code cp.async.mbarrier.arrive}, of which the first three names are known. */
    void copies(Modifiers given) {
        modifiers = given;
        if (!modifiers.take("arrive")) {
            throw emitter.unsupported();
        }
        boolean expected = modifiers.take("noinc");
        Space space = space();
        emitter.operands(1, 1);
        emitter.site(InstructionClass.COPY_ASYNC);
        act(expected ? Action.ARRIVE_WITH_COPIES : Action.ARRIVE_MORE_WITH_COPIES, List.of(address(0, space)), null);
    }

    private void arrive(boolean drop) {
        boolean transactions = modifiers.take("expect_tx");
        boolean open = modifiers.take("noComplete");
        modifiers.any("release", "relaxed");
        modifiers.any("cta", "cluster");
        Space space = space();
        emitter.operands(transactions || open ? 3 : 2, 3);
        if (transactions && open) {
            throw emitter.unsupported();
        }
        site();
        Expr address = address(1, space);
        Register target = emitter.target(emitter.operand(0));
        Expr number = emitter.operands() == 3 ? emitter.value(emitter.operand(2), Type.U32) : constant(1);
        emitter.add(new Item.Cut());
        if (transactions) {
            add(Action.EXPECT_TRANSACTIONS, List.of(address, number), null);
        }
        Action action =
                drop ? open ? Action.DROP_WITHOUT_END : Action.DROP : open ? Action.ARRIVE_WITHOUT_END : Action.ARRIVE;
        add(
                action,
                List.of(address, transactions ? constant(1) : number),
                target == null ? null : word(target, Type.B64));
        emitter.add(new Item.Cut());
    }

    private void test(boolean mayTakeLong) {
        boolean parity = modifiers.take("parity");
        modifiers.any("acquire", "relaxed");
        modifiers.any("cta", "cluster");
        Space space = space();
        emitter.operands(3, mayTakeLong ? 4 : 3);
        site();
        if (emitter.operands() == 4) {
            emitter.value(emitter.operand(3), Type.U32);
        }
        Register target = emitter.operand(0) instanceof Syntax.Sink ? null : emitter.predicate(emitter.operand(0));
        Expr phase = emitter.value(emitter.operand(2), parity ? Type.U32 : Type.B64);
        act(parity ? Action.TEST_PARITY : Action.TEST_STATE, List.of(address(1, space), phase), target);
    }

    private Space space() {
        boolean shared =
                !modifiers.any("shared", "shared::cta", "shared::cluster").isEmpty();
        type();
        return shared ? Space.SHARED : Space.GENERIC;
    }

    private void type() {
        Type type = emitter.need(modifiers.type());
        emitter.finish(modifiers);
        if (type != Type.B64) {
            throw emitter.unsupported();
        }
    }

    private Register word(Register register, Type type) {
        if (register.type().bits() != type.bits()) {
            throw emitter.fault(register + " is ." + register.type().ptx() + "; expected ." + type.ptx());
        }
        return register;
    }

    private Site site() {
        return emitter.site(InstructionClass.MBARRIER);
    }

    /** An address in shared memory, of 64 bits where it was a generic one. */
    private Expr address(int operand, Space space) {
        Address address = emitter.address(emitter.addressOperand(operand), space);
        return space == Space.SHARED
                ? integer("add32", address.base(), constant((int) address.offset()))
                : integer("add64", address.base(), Expr.Const.of(address.offset() - Memory.SHARED_WINDOW));
    }

    /** What other lanes did before and do after is on its other side. */
    private void act(Action action, List<Expr> arguments, @Nullable Register target) {
        emitter.add(new Item.Cut());
        add(action, arguments, target);
        emitter.add(new Item.Cut());
    }

    private void add(Action action, List<Expr> arguments, @Nullable Register target) {
        emitter.add(new Op.Act(emitter.site(), emitter.guard(), action, arguments, target));
    }
}
