package dev.panamark.ptx;

import java.util.List;
import java.util.stream.IntStream;

/**
 * An instruction, or a few around it, and what must come of it.
 *
 * @param name the opcode
 * @param text with operands {@code %a}, {@code %b} and so on and results {@code %d}, {@code %e} and so on; besides
 *     there are {@code %room}, the address of 16 bytes of the thread's own in global memory, {@code %cell}, that of 16 in
 *     shared memory, and the kernel's parameter {@code q}, which {@link OpcodeKernel} fills
 * @param module what stands outside of the kernel
 * @param of the results for one thread
 */
record Reference(String name, String text, String module, List<Operand> in, List<Operand> out, Results of) {
    /** Blocks of that many threads run it. */
    static final int BLOCK = 256;

    static final List<String> INPUTS = List.of("a", "b", "c", "i", "j");
    static final List<String> OUTPUTS = List.of("d", "e", "f", "g");

    Reference(String name, String text, List<Operand> in, List<Operand> out, Results of) {
        this(name, text, "", in, out, of);
    }

    interface Results {
        /**
         * One for each result.
         *
         * @param in bits by operand and thread
         */
        List<Expected> at(long[][] in, int thread);
    }

    interface One {
        Expected of(long a, long b, long c);
    }

    /** {@code opcode d, a, b} and so on, by the thread's own values. */
    static Reference plain(Opcode opcode, String result, List<Operand> in, One of) {
        StringBuilder text = new StringBuilder(opcode.text()).append(" %d");
        for (int i = 0; i < in.size(); i++) {
            text.append(", %").append(INPUTS.get(i));
        }
        return one(opcode, text.append(';').toString(), result, in, of);
    }

    static Reference one(Opcode opcode, String text, String result, List<Operand> in, One of) {
        return new Reference(
                opcode.text(),
                text,
                in,
                List.of(Operand.of(result)),
                (values, thread) ->
                        List.of(of.of(value(values, 0, thread), value(values, 1, thread), value(values, 2, thread))));
    }

    private static long value(long[][] values, int operand, int thread) {
        return operand < values.length ? values[operand][thread] : 0;
    }

    static List<Operand> operands(String... types) {
        return IntStream.range(0, types.length)
                .mapToObj(i -> Operand.of(types[i]))
                .toList();
    }
}
