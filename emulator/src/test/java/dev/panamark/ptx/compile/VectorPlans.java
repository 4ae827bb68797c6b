package dev.panamark.ptx.compile;

import dev.panamark.ptx.analyze.Analyzer;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.ir.Op;
import dev.panamark.ptx.ir.Segment;
import java.util.HashSet;
import java.util.Set;

/** What of a kernel is done with vectors, for tests elsewhere. */
public final class VectorPlans {
    private static final int LANES = 8;

    private VectorPlans() {}

    /** Numbers of the segments of a text's last kernel that are. */
    public static Set<Integer> segments(String text) {
        return new Compiler(kernel(text), false, false).plans(LANES).keySet();
    }

    /** Calls in these segments, as class and method. */
    public static Set<String> calls(String text) {
        KernelCode kernel = kernel(text);
        Set<String> calls = new HashSet<>();
        for (int number : new Compiler(kernel, false, false).plans(LANES).keySet()) {
            Segment segment = kernel.segments().get(number);
            for (Op op : segment.ops()) {
                if (op instanceof Op.Assign assign) {
                    add(assign.value(), calls);
                }
            }
        }
        return calls;
    }

    private static void add(Expr expr, Set<String> calls) {
        if (expr instanceof Expr.Call call) {
            calls.add(call.semantic().owner().getName() + "." + call.semantic().name());
            call.arguments().forEach(argument -> add(argument, calls));
        }
    }

    /** All calls that vectors have. */
    public static Set<String> known() {
        return VectorOperation.KNOWN.keySet();
    }

    private static KernelCode kernel(String text) {
        return Analyzer.analyze("k.ptx", text).kernels().getLast().code();
    }
}
