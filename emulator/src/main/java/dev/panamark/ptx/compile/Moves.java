package dev.panamark.ptx.compile;

import dev.panamark.ptx.analyze.Liveness;
import dev.panamark.ptx.analyze.Uniformity;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Segment;
import java.util.HashSet;
import java.util.Set;

/** Registers to which a segment adds, in all lanes of a row or a warp, the same. */
final class Moves {
    private Moves() {}

    /** Whether nothing else is written to a register in a segment, in those lanes that {@code uniformity} is about. */
    static boolean only(Segment segment, Register register, Uniformity uniformity) {
        Set<Register> written = new HashSet<>();
        segment.ops().forEach(op -> Liveness.writes(op, written::add));
        return segment.ops().stream().noneMatch(op -> {
            boolean[] writes = new boolean[1];
            Liveness.writes(op, other -> writes[0] |= other == register);
            return writes[0] && !moves(segment, op, register, written, uniformity);
        });
    }

    private static boolean moves(
            Segment segment, Op op, Register register, Set<Register> written, Uniformity uniformity) {
        return op instanceof Op.Assign assign
                && assign.guard() == null
                && assign.value() instanceof Expr.Call call
                && (call.semantic().name().equals("add32")
                        || call.semantic().name().equals("add64"))
                && call.arguments().stream().anyMatch(a -> a instanceof Expr.Read read && read.register() == register)
                && call.arguments().stream()
                                .filter(a -> same(segment, a, written, uniformity))
                                .count()
                        == 1;
    }

    private static boolean same(Segment segment, Expr expr, Set<Register> written, Uniformity uniformity) {
        return expr instanceof Expr.Read read
                ? !written.contains(read.register())
                        && uniformity.in(segment.index()).get(read.register().number())
                : expr.uniform();
    }
}
