package dev.panamark.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A kernel made by chance that has no races and ends: every thread reads the inputs anywhere and writes its own places
 * of the output and, between barriers, of shared memory. Values of floats meet integers only through conversions, since
 * which NaN a result is is not defined.
 */
final class RandomKernel {
    private static final int REGISTERS = 8;

    /** What kernels call. */
    private static final String FUNCTIONS = """
            .func (.param .b32 r) mixed(.param .b32 a, .param .b64 b)
            {
            .reg .b32 %r<4>;
            .reg .b64 %rd<2>;
            .reg .pred %p<2>;
            ld.param.b32 %r1, [a];
            ld.param.b64 %rd1, [b];
            cvt.u32.u64 %r2, %rd1;
            setp.gt.s32 %p1, %r1, %r2;
            @%p1 bra OTHER;
            add.s32 %r3, %r1, %r2;
            st.param.b32 [r], %r3;
            ret;
            OTHER:
            mul.lo.s32 %r3, %r1, %r2;
            st.param.b32 [r], %r3;
            ret;
            }
            """;

    private final Random random;
    private final StringBuilder text = new StringBuilder();
    private final List<String> open = new ArrayList<>();
    private int labels;

    private RandomKernel(long seed) {
        random = new Random(seed);
    }

    /** Takes the addresses of an input of 4 KiB and of an output with 64 bytes for each thread. */
    static String of(long seed) {
        return new RandomKernel(seed).text();
    }

    private String text() {
        line(".shared .align 16 .b8 s[8192];");
        line(".local .align 16 .b8 own[32];");
        line("mov.u64 %rd42, own;");
        line("st.local.v2.b64 [own], {0, 1};");
        line("st.local.v2.b64 [own+16], {-1, 77};");
        line("mov.u32 %r70, %tid.x;");
        line("mov.u32 %r71, %ctaid.x;");
        line("mov.u32 %r72, %ntid.x;");
        line("mad.lo.s32 %r73, %r71, %r72, %r70;");
        line("mul.wide.u32 %rd40, %r73, 64;");
        line("add.s64 %rd41, %rd1, %rd40;");
        line("shl.b32 %r74, %r70, 4;");
        line("mov.u32 %r75, s;");
        line("add.s32 %r76, %r75, %r74;");
        for (int i = 0; i < REGISTERS; i++) {
            line("mad.lo.s32 %r" + i + ", %r70, " + random.nextInt() + ", " + random.nextInt() + ";");
            line("cvt.rn.f32.s32 %f" + i + ", %r" + i + ";");
            line("mul.f32 %f" + i + ", %f" + i + ", 0f30000000;");
            line("cvt.s64.s32 %rd" + (10 + i) + ", %r" + i + ";");
            line("cvt.f64.f32 %d" + i + ", %f" + i + ";");
            line("cvt.u16.u32 %h" + i + ", %r" + i + ";");
            line("setp.gt.s32 %p" + i + ", %r" + i + ", " + random.nextInt() + ";");
        }
        line("st.shared.v4.b32 [%r76], {%r0, %r1, %r2, %r3};");
        line("bar.sync 0;");
        block(0);
        finish();
        return Texts.kernel(2, text.toString()).replaceFirst("\\.visible", FUNCTIONS + ".visible");
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    private void block(int depth) {
        int count = 2 + random.nextInt(11);
        for (int i = 0; i < count; i++) {
            int choice = random.nextInt(24);
            if (choice == 0 && depth < 3) {
                branch(depth);
            } else if (choice == 1 && depth < 2) {
                loop(depth);
            } else if (choice == 2 && open.isEmpty()) {
                exchange();
            } else if (choice == 3 && open.isEmpty()) {
                together();
            } else {
                instruction();
            }
        }
    }

    private void branch(int depth) {
        String other = "L" + labels++;
        String end = "L" + labels++;
        line("@" + (random.nextBoolean() ? "!" : "") + p() + " bra " + other + ";");
        open.add(end);
        block(depth + 1);
        if (random.nextBoolean()) {
            line("bra " + end + ";");
        }
        line(other + ":");
        block(depth + 1);
        open.remove(end);
        line(end + ":");
    }

    private void loop(int depth) {
        String top = "L" + labels++;
        String end = "L" + labels++;
        String counter = "%r" + (40 + depth);
        line("and.b32 " + counter + ", " + r() + ", 7;");
        open.add(end);
        line(top + ":");
        line("setp.eq.s32 %p1" + depth + ", " + counter + ", 0;");
        line("@%p1" + depth + " bra " + end + ";");
        line("sub.s32 " + counter + ", " + counter + ", 1;");
        block(depth + 1);
        line("bra " + top + ";");
        open.remove(end);
        line(end + ":");
    }

    /** Shared memory is written by its owner and read by others after a barrier. */
    private void exchange() {
        line("bar.sync 0;");
        line(
                random.nextBoolean()
                        ? "st.shared.v2.b32 [%r76+8], {" + r() + ", " + r() + "};"
                        : "st.shared.u16 [%r76+" + 2 * random.nextInt(8) + "], " + h() + ";");
        line("bar.sync 0;");
        line("add.s32 %r77, %r74, " + 16 * random.nextInt(20) + ";");
        line("and.b32 %r77, %r77, 8176;");
        line("add.s32 %r77, %r75, %r77;");
        switch (random.nextInt(4)) {
            case 0 -> line("ld.shared.v4.u32 {" + r() + ", %r60, %r61, " + "%r62}, [%r77];");
            case 1 -> line("ld.shared.u8 " + r() + ", [%r77+" + random.nextInt(16) + "];");
            case 2 -> line("ld.shared.s16 " + r() + ", [%r77+" + 2 * random.nextInt(8) + "];");
            default -> line("ld.shared.b64 " + rd() + ", [%r77+8];");
        }
        line("bar.sync 0;");
    }

    private void together() {
        switch (random.nextInt(10)) {
            case 0 ->
                line("shfl.sync." + pick("up", "down", "bfly", "idx") + ".b32 " + r() + "|" + p() + ", " + r() + ", "
                        + random.nextInt(32) + ", " + pick("31", "0", "0x1c1f", "0x181f") + ", -1;");
            case 1 -> line("vote.sync.ballot.b32 " + r() + ", " + p() + ", -1;");
            case 2 -> line("vote.sync." + pick("any", "all", "uni") + ".pred " + p() + ", !" + p() + ", -1;");
            case 3 ->
                line("redux.sync." + pick("add.s32", "max.u32", "min.s32", "xor.b32") + " " + r() + ", " + r()
                        + ", -1;");
            case 4 -> line("bar.red.popc.u32 " + r() + ", 0, " + p() + ";");
            case 5 -> line("bar.red." + pick("and", "or") + ".pred " + p() + ", 0, " + p() + ";");
            case 6 -> line("match.all.sync.b64 " + r() + "|" + p() + ", " + rd() + ", -1;");
            case 7 -> line("shfl.sync.idx.b32 " + r() + ", " + r() + ", " + r() + ", 31, -1;");
            case 8 -> line("activemask.b32 " + r() + ";");
            default -> line("match.any.sync.b32 " + r() + ", " + r() + ", -1;");
        }
    }

    private void instruction() {
        String guard = random.nextInt(5) == 0 ? "@" + (random.nextBoolean() ? "!" : "") + p() + " " : "";
        text.append(guard);
        switch (random.nextInt(27)) {
            case 0, 1 ->
                line(pick(
                                "add.s32",
                                "sub.s32",
                                "mul.lo.s32",
                                "mul.hi.s32",
                                "mul.hi.u32",
                                "min.s32",
                                "max.u32",
                                "and.b32",
                                "or.b32",
                                "xor.b32",
                                "shl.b32",
                                "shr.s32",
                                "shr.u32",
                                "div.s32",
                                "div.u32",
                                "rem.s32",
                                "rem.u32",
                                "add.sat.s32",
                                "bmsk.clamp.b32",
                                "szext.wrap.s32")
                        + " " + r() + ", " + r() + ", " + rOr() + ";");
            case 2 ->
                line(pick(
                                "mad.lo.s32",
                                "mad.hi.u32",
                                "sad.s32",
                                "bfe.u32",
                                "bfe.s32",
                                "prmt.b32",
                                "shf.l.wrap.b32",
                                "shf.r.clamp.b32",
                                "dp4a.s32.u32",
                                "mad24.lo.s32")
                        + " " + r() + ", " + r() + ", " + r() + ", " + rOr() + ";");
            case 3 -> line("lop3.b32 " + r() + ", " + r() + ", " + r() + ", " + r() + ", " + random.nextInt(256) + ";");
            case 4 ->
                line(pick("popc.b32", "clz.b32", "brev.b32", "not.b32", "neg.s32", "abs.s32", "bfind.s32", "cnot.b32")
                        + " " + r() + ", " + r() + ";");
            case 5 ->
                line(pick(
                                "add.s64",
                                "sub.s64",
                                "mul.lo.s64",
                                "mul.hi.u64",
                                "min.s64",
                                "max.u64",
                                "and.b64",
                                "xor.b64",
                                "div.s64",
                                "rem.u64")
                        + " " + rd() + ", " + rd() + ", " + rd() + ";");
            case 6 -> line(pick("shl.b64", "shr.u64", "shr.s64") + " " + rd() + ", " + rd() + ", " + rOr() + ";");
            case 7, 8 ->
                line(pick(
                                "add.f32",
                                "sub.ftz.f32",
                                "mul.f32",
                                "min.f32",
                                "max.f32",
                                "add.rz.f32",
                                "mul.rm.f32",
                                "div.rn.f32",
                                "add.sat.f32",
                                "mul.rp.ftz.f32",
                                "div.full.f32",
                                "max.NaN.f32")
                        + " " + f() + ", " + f() + ", " + f() + ";");
            case 9 ->
                line(pick("fma.rn.f32", "fma.rz.f32", "fma.rn.ftz.sat.f32", "fma.rm.f32") + " " + f() + ", " + f()
                        + ", " + f() + ", " + f() + ";");
            case 10 ->
                line(pick("abs.f32", "neg.f32", "sqrt.rn.f32", "rcp.rn.f32", "ex2.approx.f32", "rsqrt.approx.ftz.f32")
                        + " " + f() + ", " + f() + ";");
            case 11 ->
                line(pick("add.f64", "mul.f64", "sub.rn.f64", "max.f64", "div.rn.f64") + " " + d() + ", " + d() + ", "
                        + d() + ";");
            case 12 -> conversion();
            case 13 -> compare();
            case 14, 15 -> memory();
            case 16 -> line(pick("mul.wide.s32", "mul.wide.u32") + " " + rd() + ", " + r() + ", " + rOr() + ";");
            case 17 ->
                line(pick("mad.wide.s32", "mad.wide.u32") + " " + rd() + ", " + r() + ", " + rOr() + ", " + rd() + ";");
            case 18 -> carries();
            case 19 ->
                line(pick("add.s16", "sub.u16", "mul.lo.s16", "mul.hi.u16", "and.b16", "xor.b16", "max.s16", "min.u16")
                        + " " + h() + ", " + h() + ", " + h() + ";");
            case 20 ->
                line(pick("bfi.b32 " + r() + ", " + r() + ", " + r(), "bfi.b64 " + rd() + ", " + rd() + ", " + rd())
                        + ", " + place() + ", " + place() + ";");
            case 21 -> wide();
            case 22 -> pairs();
            case 23 -> own();
            case 24 ->
                line(pick("sin.approx.f32", "cos.approx.ftz.f32", "lg2.approx.f32", "tanh.approx.f32", "sqrt.rz.f32")
                        + " " + f() + ", " + f() + ";");
            case 25 -> call();
            default -> half();
        }
    }

    /** Two or three words with what is carried from one to the next; the guard is that of the first. */
    private void carries() {
        String next = pick("addc.cc.u32", "addc.u32", "madc.hi.cc.u32", "madc.lo.u32");
        String factor = next.startsWith("m") ? r() + ", " : "";
        line(pick("add.cc.u32 " + r() + ", ", "mad.lo.cc.u32 " + r() + ", " + r() + ", ") + r() + ", " + r() + ";");
        line(next + " " + r() + ", " + factor + r() + ", " + r() + ";");
        line("sub.cc.s64 " + rd() + ", " + rd() + ", " + rd() + ";");
        line(pick("subc.s64", "subc.cc.u64") + " " + rd() + ", " + rd() + ", " + rd() + ";");
    }

    private void wide() {
        line(
                switch (random.nextInt(6)) {
                    case 0 -> pick("popc.b64", "clz.b64", "bfind.u64") + " " + r() + ", " + rd() + ";";
                    case 1 -> pick("brev.b64", "not.b64", "neg.s64", "abs.s64") + " " + rd() + ", " + rd() + ";";
                    case 2 -> "mov.b64 {" + r() + ", " + "%r61}, " + rd() + ";";
                    case 3 -> "mov.b64 " + rd() + ", {" + r() + ", " + r() + "};";
                    case 4 -> "mad.lo.s64 " + rd() + ", " + rd() + ", " + rd() + ", " + rd() + ";";
                    default -> "bfe.s64 " + rd() + ", " + rd() + ", " + place() + ", " + place() + ";";
                });
    }

    /** Two halves in a word; what is NaN there has one pattern only. */
    private void pairs() {
        line(
                switch (random.nextInt(6)) {
                    case 0 -> "cvt.rn." + pick("f16x2", "bf16x2") + ".f32 " + r() + ", " + f() + ", " + f() + ";";
                    case 1 ->
                        pick("add.f16x2", "mul.bf16x2", "max.f16x2", "min.NaN.bf16x2", "sub.sat.f16x2") + " " + r()
                                + ", " + r() + ", " + r() + ";";
                    case 2 ->
                        pick("fma.rn.f16x2", "fma.rn.relu.bf16x2") + " " + r() + ", " + r() + ", " + r() + ", " + r()
                                + ";";
                    case 3 -> "mov.b32 " + r() + ", {" + h() + ", " + h() + "};";
                    case 4 -> "set.lt.f16x2.f16x2 " + r() + ", " + r() + ", " + r() + ";";
                    default ->
                        "cvt.rn.satfinite." + pick("e4m3x2", "e5m2x2") + ".f32 " + h() + ", " + f() + ", " + f() + ";";
                });
    }

    /** Memory of the thread's own: local, its part of shared memory, atomic operations on its part of the output. */
    private void own() {
        int word = 4 * random.nextInt(4);
        line(
                switch (random.nextInt(9)) {
                    case 0 -> "st.local.b32 [own+" + word + "], " + r() + ";";
                    case 1 -> "ld.local.s16 " + r() + ", [%rd42+" + 2 * random.nextInt(16) + "];";
                    case 2 -> "st.local.v4.u16 [%rd42+8], {" + h() + ", " + h() + ", " + h() + ", " + h() + "};";
                    case 3 -> "ld.local.v2.b64 {%rd10, %rd11}, [own+16];";
                    case 4 ->
                        "atom.shared." + pick("add.u32", "max.s32", "exch.b32", "inc.u32") + " " + r() + ", [%r76+"
                                + word + "], " + r() + ";";
                    case 5 -> "atom.shared.cas.b64 " + rd() + ", [%r76+8], " + rd() + ", " + rd() + ";";
                    case 6 ->
                        "atom.global." + pick("min.u32", "xor.b32", "dec.u32", "add.noftz.f16x2") + " " + r()
                                + ", [%rd41+" + (32 + word) + "], " + r() + ";";
                    case 7 -> "red.global.add.u64 [%rd41+48], " + rd() + ";";
                    default -> "ld.volatile.shared.u32 " + r() + ", [%r76+" + word + "];";
                });
    }

    /** Takes the guard, if there is one, off the line that has begun. */
    private String guard() {
        int mark = text.lastIndexOf("\n") + 1;
        String guard = text.substring(mark);
        text.setLength(mark);
        return guard;
    }

    private void call() {
        String guard = guard();
        line("{ .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x], " + r() + "; st.param.b64 [y], " + rd()
                + "; " + guard + "call (z), mixed, (x, y); " + guard + "ld.param.b32 " + r() + ", [z]; }");
    }

    private void conversion() {
        line(
                switch (random.nextInt(16)) {
                    case 0 -> "cvt.rzi.s32.f32 " + r() + ", " + f() + ";";
                    case 1 -> "cvt.rn.f32.u32 " + f() + ", " + r() + ";";
                    case 2 -> "cvt.u32.u64 " + r() + ", " + rd() + ";";
                    case 3 -> "cvt.s64.s16 " + rd() + ", " + r() + ";";
                    case 4 -> "cvt.rn.f16.f32 " + h() + ", " + f() + ";";
                    case 5 -> "cvt.sat.s8.s32 " + r() + ", " + r() + ";";
                    case 6 -> "cvt.rni.u64.f64 " + rd() + ", " + d() + ";";
                    case 7 -> "cvt.rn.f32.f64 " + f() + ", " + d() + ";";
                    case 8 -> "cvt.rm.f32.s64 " + f() + ", " + rd() + ";";
                    case 9 -> "cvt.rn.bf16.f32 " + h() + ", " + f() + ";";
                    case 10 -> "cvt.f32.bf16 " + f() + ", " + h() + ";";
                    case 11 -> "cvt.sat.u8.s16 " + r() + ", " + h() + ";";
                    case 12 -> "cvt.rpi.u8.f16 " + r() + ", " + h() + ";";
                    case 13 -> "cvt.rn.f16x2.e4m3x2 " + r() + ", " + h() + ";";
                    case 14 -> "cvt.rni.f32.f32 " + f() + ", " + f() + ";";
                    default -> "cvt.f32.f16 " + f() + ", " + h() + ";";
                });
    }

    private void compare() {
        line(
                switch (random.nextInt(12)) {
                    case 0 -> "setp." + pick("lt", "ge", "eq") + ".s32 " + p() + ", " + r() + ", " + r() + ";";
                    case 1 -> "setp." + pick("ltu", "gt", "neu", "nan") + ".f32 " + p() + ", " + f() + ", " + f() + ";";
                    case 2 -> "setp." + pick("hi", "le") + ".and.u32 %p0|%p1, " + r() + ", " + r() + ", !" + p() + ";";
                    case 3 -> "selp.b32 " + r() + ", " + r() + ", " + rOr() + ", " + p() + ";";
                    case 4 -> "set.lt.u32.s32 " + r() + ", " + r() + ", " + r() + ";";
                    case 6 -> "setp." + pick("ge", "ltu", "num") + ".f64 " + p() + ", " + d() + ", " + d() + ";";
                    case 7 -> "setp." + pick("eq", "gtu") + ".f16 " + p() + ", " + h() + ", " + h() + ";";
                    case 8 -> "setp." + pick("lt", "hs") + ".u64 " + p() + "|" + p() + ", " + rd() + ", " + rd() + ";";
                    case 9 -> "slct.b32.f32 " + r() + ", " + r() + ", " + r() + ", " + f() + ";";
                    case 10 -> "testp." + pick("normal", "number") + ".f32 " + p() + ", " + f() + ";";
                    case 5 -> "selp.f32 " + f() + ", " + f() + ", " + f() + ", " + p() + ";";
                    default -> "xor.pred " + p() + ", " + p() + ", " + p() + ";";
                });
    }

    private void memory() {
        // The address is computed without the guard.
        String guard = guard();
        line("and.b32 %r63, " + r() + ", 4032;");
        line("cvt.u64.u32 %rd30, %r63;");
        line("add.s64 %rd31, %rd0, %rd30;");
        text.append(guard);
        line(
                switch (random.nextInt(6)) {
                    case 0 -> "ld.global.u32 " + r() + ", [%rd31+" + 4 * random.nextInt(16) + "];";
                    case 1 -> "ld.global.nc.v2.u32 {" + "%r0, %r1" + "}, [%rd31+" + 8 * random.nextInt(8) + "];";
                    case 2 -> "ld.global.s8 " + r() + ", [%rd31+" + random.nextInt(64) + "];";
                    case 3 -> "ld.b64 " + rd() + ", [%rd31+" + 8 * random.nextInt(8) + "];";
                    case 4 -> "st.global.u32 [%rd41+" + 4 * random.nextInt(16) + "], " + r() + ";";
                    default -> "st.u16 [%rd41+" + 2 * random.nextInt(32) + "], " + h() + ";";
                });
    }

    private void half() {
        line(
                random.nextInt(3) == 0
                        ? pick("neg.f16", "abs.bf16", "ex2.approx.f16", "tanh.approx.bf16") + " " + h() + ", " + h()
                                + ";"
                        : pick("add.f16", "mul.f16", "sub.f16", "max.f16", "add.bf16", "min.bf16", "mul.ftz.f16") + " "
                                + h() + ", " + h() + ", " + h() + ";");
    }

    private void finish() {
        for (int i = 0; i < REGISTERS; i++) {
            line("xor.b32 %r64, %r64, %r" + i + ";");
            line("mul.lo.s32 %r64, %r64, 31;");
            line("cvt.u32.u64 %r65, %rd" + (10 + i) + ";");
            line("add.s32 %r64, %r64, %r65;");
        }
        line("st.global.u32 [%rd41], %r64;");
        line("st.global.v2.f32 [%rd41+8], {%f0, %f1};");
        line("st.global.f64 [%rd41+16], %d2;");
        line("selp.u32 %r66, 1, 2, %p3;");
        line("st.global.u32 [%rd41+24], %r66;");
    }

    private String pick(String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private String r() {
        return "%r" + random.nextInt(REGISTERS);
    }

    private String rOr() {
        return random.nextInt(3) == 0 ? "" + random.nextInt(-40, 40) : r();
    }

    /** Of a bit. */
    private String place() {
        return random.nextInt(3) == 0 ? "" + random.nextInt(70) : r();
    }

    private String rd() {
        return "%rd" + (10 + random.nextInt(REGISTERS));
    }

    private String f() {
        return "%f" + random.nextInt(REGISTERS);
    }

    private String d() {
        return "%d" + random.nextInt(REGISTERS);
    }

    private String h() {
        return "%h" + random.nextInt(REGISTERS);
    }

    private String p() {
        return "%p" + random.nextInt(REGISTERS);
    }
}
