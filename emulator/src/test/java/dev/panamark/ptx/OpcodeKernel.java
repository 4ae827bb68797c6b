package dev.panamark.ptx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;

/** A {@link Reference} as a kernel of its own, and what comes of it. */
final class OpcodeKernel {
    /** Bytes that every thread finds at {@code %room}, and all at the parameter {@code q}. */
    static final int ROOM = 16;

    static final int PARAMETER = 64;

    private static final byte[] ROOMS = randomBytes(7, ROOM << 16);

    private final Reference reference;

    OpcodeKernel(Reference reference) {
        this.reference = reference;
    }

    /** Pointers to each operand's values, to the rooms and to each result, eight bytes a thread. */
    String text() {
        int inputs = reference.in().size();
        int outputs = reference.out().size();
        StringBuilder text = new StringBuilder(".version 9.0\n.target sm_90a\n.address_size 64\n")
                .append(reference.module())
                .append("\n.visible .entry k(");
        for (int i = 0; i <= inputs + outputs; i++) {
            text.append(".param .u64 p").append(i).append(", ");
        }
        text.append(".param .align 16 .b8 q[" + PARAMETER + "])\n{\n");
        text.append(".reg .b32 %thread, %index, %word, %cell;\n.reg .b64 %at, %to, %room;\n.reg .pred %t;\n");
        declare(text, Reference.INPUTS, reference.in());
        declare(text, Reference.OUTPUTS, reference.out());
        text.append("mov.u32 %thread, %tid.x;\nmov.u32 %index, %ctaid.x;\nmad.lo.u32 %index, %index, " + Reference.BLOCK
                + ", %thread;\nmul.wide.u32 %at, %index, 8;\n");
        if (reference.text().contains("%cell")) {
            text.append(".shared .align 16 .b8 cells[" + ROOM * Reference.BLOCK + "];\nmov.u32 %cell, cells;\n")
                    .append("mad.lo.u32 %cell, %thread, " + ROOM + ", %cell;\n");
        }
        if (reference.text().contains("%room")) {
            text.append("ld.param.u64 %room, [p" + inputs + "];\nadd.s64 %room, %room, %at;\n")
                    .append("add.s64 %room, %room, %at;\n");
        }
        for (int i = 0; i < inputs; i++) {
            Operand operand = reference.in().get(i);
            String name = "%" + Reference.INPUTS.get(i);
            text.append("ld.param.u64 %to, [p" + i + "];\nadd.s64 %to, %to, %at;\n");
            text.append(
                    operand.type().equals("pred")
                            ? "ld.global.b32 %word, [%to];\nsetp.ne.b32 " + name + ", %word, 0;\n"
                            : "ld.global." + operand.register() + " " + name + ", [%to];\n");
        }
        text.append(reference.text()).append('\n');
        for (int i = 0; i < outputs; i++) {
            Operand operand = reference.out().get(i);
            String name = "%" + Reference.OUTPUTS.get(i);
            text.append("ld.param.u64 %to, [p" + (inputs + 1 + i) + "];\nadd.s64 %to, %to, %at;\n");
            text.append(
                    operand.type().equals("pred")
                            ? "selp.b32 %word, 1, 0, " + name + ";\nst.global.b32 [%to], %word;\n"
                            : "st.global." + operand.register() + " [%to], " + name + ";\n");
        }
        return text.append("ret;\n}\n").toString();
    }

    private static void declare(StringBuilder text, List<String> names, List<Operand> operands) {
        for (int i = 0; i < operands.size(); i++) {
            text.append(".reg ." + operands.get(i).register() + " %" + names.get(i) + ";\n");
        }
    }

    private static byte[] randomBytes(long seed, int count) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** What is in all rooms, one after the other. */
    static byte[] rooms() {
        return ROOMS;
    }

    static byte[] parameter() {
        return randomBytes(8, PARAMETER);
    }

    /** The bits of each result by thread. */
    long[][] run(LaunchOptions.Engine engine, DeviceMemory memory, long[][] in, int threads) {
        PtxModule module = PtxModule.load(reference.name(), text());
        long[] buffers = new long[reference.in().size() + 1 + reference.out().size()];
        Parameters parameters = Parameters.of(module.kernel("k"));
        try (LinkedModule linked = module.link(memory)) {
            for (int i = 0; i < buffers.length; i++) {
                long bytes = (i == in.length ? ROOM : 8L) * threads;
                buffers[i] = memory.allocate(bytes);
                MemorySegment at = memory.at(buffers[i], bytes);
                if (i < in.length) {
                    MemorySegment.copy(in[i], 0, at, ValueLayout.JAVA_LONG_UNALIGNED, 0, threads);
                } else if (i == in.length) {
                    MemorySegment.copy(ROOMS, 0, at, ValueLayout.JAVA_BYTE, 0, ROOM * threads);
                } else {
                    at.fill((byte) 0);
                }
                parameters.add(buffers[i]);
            }
            parameters.add(parameter());
            linked.launch(
                    "k",
                    Extent.of(threads / Reference.BLOCK),
                    Extent.of(Reference.BLOCK),
                    0,
                    parameters.bytes(),
                    LaunchOptions.plain().engine(engine));
            long[][] out = new long[reference.out().size()][];
            for (int i = 0; i < out.length; i++) {
                out[i] = memory.at(buffers[in.length + 1 + i], 8L * threads).toArray(ValueLayout.JAVA_LONG_UNALIGNED);
            }
            return out;
        } finally {
            for (long buffer : buffers) {
                if (buffer != 0) {
                    memory.free(buffer);
                }
            }
        }
    }
}
