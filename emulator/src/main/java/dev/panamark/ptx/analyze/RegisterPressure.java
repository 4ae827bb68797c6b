package dev.panamark.ptx.analyze;

import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Segment;
import java.util.BitSet;
import java.util.List;

/** How many 32-bit registers the values of a thread take that matter at the same time; predicates have their own. */
final class RegisterPressure {
    private RegisterPressure() {}

    /** The most that there are anywhere in a kernel, its instructions taken in the order of the text. */
    static int of(KernelCode kernel) {
        List<Register> registers = kernel.registers().all();
        Liveness liveness = Liveness.of(kernel.segments());
        int most = 0;
        for (Segment segment : kernel.segments()) {
            BitSet live = (BitSet) liveness.out(segment.index()).clone();
            most = Math.max(most, words(live, registers));
            for (Op op : segment.ops().reversed()) {
                // A result needs its register even where nothing reads it.
                Liveness.writes(op, register -> live.set(register.number()));
                most = Math.max(most, words(live, registers));
                if (op.guard() == null) {
                    Liveness.writes(op, register -> live.clear(register.number()));
                }
                Liveness.reads(op, register -> live.set(register.number()));
                most = Math.max(most, words(live, registers));
            }
        }
        return most;
    }

    private static int words(BitSet live, List<Register> registers) {
        return live.stream()
                .map(number -> switch (registers.get(number).storage()) {
                    case PREDICATE -> 0;
                    case WORD -> 1;
                    case LONG -> 2;
                })
                .sum();
    }
}
