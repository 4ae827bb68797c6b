package dev.panamark.ptx;

import static dev.panamark.ptx.Reference.operands;

import java.util.ArrayList;
import java.util.List;

/** Control flow, addresses of spaces, order of accesses, and what only waits or hints. */
final class FlowReferences {
    private static final String FUNCTIONS = """
            .func (.param .b32 r) more(.param .b32 x)
            {
            .reg .b32 v;
            ld.param.b32 v, [x];
            add.s32 v, v, 1;
            st.param.b32 [r], v;
            ret;
            }
            .func (.param .b32 r) less(.param .b32 x)
            {
            .reg .b32 v;
            ld.param.b32 v, [x];
            sub.s32 v, v, 1;
            st.param.b32 [r], v;
            ret;
            }
            .global .align 8 .u64 functions[2] = {more, less};
            """;
    private static final String NEGATIVE = "{.reg .pred p; setp.lt.s32 p, %a, 0; ";

    private FlowReferences() {}

    /** None where the opcode is of another kind. */
    static List<Reference> of(Opcode opcode) {
        return switch (opcode.base()) {
            case "bra" -> List.of(branch(opcode));
            case "call" -> calls(opcode);
            case "ret" -> List.of(simple(opcode, NEGATIVE + "@p ret; mov.b32 %d, %a;}", a -> a < 0 ? 0 : a));
            case "nanosleep" -> List.of(simple(opcode, "nanosleep.u32 20;\nmov.b32 %d, %a;", a -> a));
            case "griddepcontrol" -> List.of(simple(opcode, opcode.text() + ";\nmov.b32 %d, %a;", a -> a));
            case "setmaxnreg" -> List.of(simple(opcode, opcode.text() + " 232;\nmov.b32 %d, %a;", a -> a));
            case "cvta" -> List.of(address(opcode));
            case "mbarrier" -> List.of(mbarrier(opcode));
            case "mapa" ->
                List.of(simple(
                        opcode,
                        "st.shared.b32 [%cell], %a;\n{.reg .b64 x; cvt.u64.u32 x, %cell; cvta.shared.u64 x, x; "
                                + opcode.text() + " x, x, 0; ld.b32 %d, [x];}",
                        a -> a));
            case "membar", "fence" -> List.of(order(opcode.text() + ";", opcode.text() + ";", opcode));
            case "st", "ld", "atom" -> ordered(opcode);
            default -> List.of();
        };
    }

    /** Of the thread's own: a phase of two arrivals, or of one and a transaction, and whether it is over after each. */
    private static Reference mbarrier(Opcode opcode) {
        String space = opcode.has("shared") ? ".shared" : ".shared::cta";
        boolean transactions = opcode.has("expect_tx");
        String arrive = opcode.has("arrive") ? opcode.text() : "mbarrier.arrive" + space + ".b64";
        String test = opcode.has("test_wait") || opcode.has("try_wait")
                ? opcode.text()
                : "mbarrier.test_wait" + space + ".b64";
        String phase = opcode.has("parity") ? "0" : "s";
        String text = "{.reg .b64 s; .reg .pred p; mbarrier.init" + space + ".b64 [%cell], " + (transactions ? 1 : 2)
                + ";\n" + arrive + " s, [%cell]" + (transactions ? ", 24" : "") + ";\n" + test + " p, [%cell], " + phase
                + ";\nselp.b32 %d, 1, 0, p;\n"
                + (transactions ? "mbarrier.complete_tx.shared::cta.b64 [%cell], 24;\n" : arrive + " _, [%cell];\n")
                + test
                + " p, [%cell], " + phase + ";\nselp.b32 %e, 1, 0, p;}";
        return new Reference(
                opcode.text(),
                text,
                operands("b32"),
                operands("b32", "b32"),
                (in, thread) -> List.of(Expected.bits(0), Expected.bits(1)));
    }

    private interface Word {
        int of(int a);
    }

    private static Reference simple(Opcode opcode, String text, Word word) {
        return simple(opcode, text, "", word);
    }

    private static Reference simple(Opcode opcode, String text, String module, Word word) {
        return new Reference(
                opcode.text(),
                text,
                module,
                operands("s32"),
                operands("s32"),
                (in, thread) -> List.of(Expected.bits(word.of((int) in[0][thread]) & 0xffffffffL)));
    }

    private static Reference branch(Opcode opcode) {
        return opcode.has("uni")
                ? simple(opcode, "mov.b32 %d, %a;\nbra.uni OVER;\nmov.b32 %d, 0;\nOVER:", a -> a)
                : simple(
                        opcode,
                        NEGATIVE + "@p bra LESS; add.s32 %d, %a, 1; bra OVER; LESS: sub.s32 %d, %a, 1; OVER:}",
                        a -> a < 0 ? a - 1 : a + 1);
    }

    /** By name, and by an address that threads take from a table. */
    private static List<Reference> calls(Opcode opcode) {
        List<Reference> all = new ArrayList<>();
        String pass = ".param .b32 x; .param .b32 r; st.param.b32 [x], %a; ";
        String take = " ld.param.b32 %d, [r];}";
        all.add(simple(opcode, "{" + pass + opcode.text() + " (r), more, (x);" + take, FUNCTIONS, a -> a + 1));
        if (!opcode.has("uni")) {
            all.add(simple(
                    opcode,
                    NEGATIVE
                            + ".reg .b64 y, z; .reg .b32 w; selp.b32 w, 8, 0, p; cvt.u64.u32 y, w; mov.u64 z, functions; "
                            + "add.s64 z, z, y; ld.global.u64 z, [z]; " + pass
                            + "one : .callprototype (.param .b32 _) _ (.param .b32 _);\n" + opcode.text()
                            + " (r), z, (x), one;" + take,
                    FUNCTIONS,
                    a -> a < 0 ? a - 1 : a + 1));
        }
        return all;
    }

    /** From an address of a space to a generic one or back; what is read there tells. */
    private static Reference address(Opcode opcode) {
        String back = opcode.has("to") ? "to." : "";
        String to = " x, x; ";
        String local = ".local .align 16 .b8 own[16];\nst.local.b32 [own], %a;\n{.reg .b64 x; mov.u64 x, own; ";
        String shared = "st.shared.b32 [%cell], %a;\n{.reg .b64 x; cvt.u64.u32 x, %cell; ";
        String global = "st.global.b32 [%room], %a;\n{.reg .b64 x; mov.b64 x, %room; ";
        return switch (opcode.any("global", "shared", "local", "param")) {
            case "param" -> {
                byte[] bytes = OpcodeKernel.parameter();
                int word = (bytes[16] & 255) | (bytes[17] & 255) << 8 | (bytes[18] & 255) << 16 | bytes[19] << 24;
                yield simple(
                        opcode, "{.reg .b64 x; mov.b64 x, q; " + opcode.text() + to + "ld.b32 %d, [x+16];}", a -> word);
            }
            case "local" ->
                simple(
                        opcode,
                        local + (back.isEmpty() ? "" : "cvta.local.u64" + to) + opcode.text() + to + "ld"
                                + (back.isEmpty() ? "" : ".local") + ".b32 %d, [x];}",
                        a -> a);
            case "shared" ->
                simple(
                        opcode,
                        shared + (back.isEmpty() ? "" : "cvta.shared.u64" + to) + opcode.text() + to + "ld"
                                + (back.isEmpty() ? "" : ".shared") + ".b32 %d, [x];}",
                        a -> a);
            default ->
                simple(
                        opcode,
                        global + opcode.text() + to + "ld" + (back.isEmpty() ? "" : ".global") + ".b32 %d, [x];}",
                        a -> a);
        };
    }

    /** Accesses that others may wait for: beside their values, that others see them in order. */
    private static List<Reference> ordered(Opcode opcode) {
        if (opcode.any("volatile", "relaxed", "acquire", "release").isEmpty() || Operand.bits(opcode.type()) != 32) {
            return List.of();
        }
        return switch (opcode.base()) {
            case "st" -> List.of(order("membar.gl;", "membar.gl;", opcode));
            case "ld" -> List.of(order("membar.gl;", opcode.has("acquire") ? "" : "membar.gl;", opcode));
            default ->
                List.of(order(
                        opcode.has("release") ? "" : "membar.gl;", opcode.has("acquire") ? "" : "membar.gl;", opcode));
        };
    }

    /**
     * The first four warps leave a value and then a flag, the others wait for the flag and take the value. Flags are
     * written and read by this opcode if it is such an access, else by volatile ones.
     */
    private static Reference order(String before, String after, Opcode opcode) {
        boolean shared = opcode.has("cta") || opcode.has("shared");
        String space = shared ? ".shared" : ".global";
        String own = shared ? "%cell" : "%room";
        String write = "st.volatile" + space + ".b32 [" + own + "+8], 1; ";
        String read = "ld.volatile" + space + ".b32 y, [z+8]; ";
        switch (opcode.base()) {
            case "st" -> write = opcode.text() + " [" + own + "+8], 1; ";
            case "ld" -> read = opcode.text() + " y, [z+8]; ";
            case "atom" -> {
                if (opcode.has("cas")) {
                    read = opcode.text() + " y, [z+8], 1, 1; ";
                } else {
                    write = opcode.text() + " y, [" + own + "+8], 1; ";
                }
            }
            default -> {}
        }
        String bits = shared ? "b32" : "b64";
        int half = Reference.BLOCK / 2;
        String text = "st" + space + ".b32 [" + own + "+8], 0;\nbar.sync 0;\n{.reg .pred p; .reg .b32 y; .reg ." + bits
                + " z; setp.ge.u32 p, %thread, " + half + "; @p bra TAKE; st" + space + ".b32 [" + own + "], %a; "
                + before
                + " " + write + "mov.b32 %d, %a; bra.uni OVER; TAKE: sub.s" + (shared ? 32 : 64) + " z, " + own + ", "
                + OpcodeKernel.ROOM * half + "; AGAIN: " + read + "setp.eq.s32 p, y, 0; @p bra AGAIN; " + after + " ld"
                + space + ".b32 %d, [z]; OVER:}";
        return new Reference(
                opcode.text(),
                text,
                List.of(new Operand("b32", Operand.Domain.BRIEF)),
                operands("b32"),
                (in, thread) ->
                        List.of(Expected.bits(in[0][thread % Reference.BLOCK < half ? thread : thread - half])));
    }
}
