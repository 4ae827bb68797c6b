package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.ptx.compile.VectorPlans;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments done with vectors: each meaning that has them, and accesses whose lanes are apart, overlap or leave memory. */
class VectorsTest {
    private static final int THREADS = 512;

    /** Bit patterns around which something changes, of floats and of whole numbers. */
    private static final int[] WORDS = {
        0,
        1,
        -1,
        2,
        31,
        32,
        0x7fffffff,
        0x80000000,
        0x80000001,
        0x7f800000,
        0xff800000,
        0x7fc00000,
        0xffc00000,
        0x00800000,
        0x007fffff,
        0x3f800000,
        0xbf800000,
        0x3f800001,
        0x4b800000,
        0x7f7fffff
    };

    /** Input in %r1 to %r3, %f1 to %f3 (their bits), %rd11 to %rd13, %d1 to %d3; results in %r10, %f10, %rd20, %d10, %p1. */
    private static final List<String> LINES = lines();

    private static List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (String type : List.of("32", "64")) {
            String r = type.equals("32") ? "%r" : "%rd1";
            String to = type.equals("32") ? "%r10, " : "%rd20, ";
            for (String op : List.of("add.s", "sub.s", "mul.lo.s", "min.s", "max.s", "and.b", "or.b", "xor.b")) {
                lines.add(op + type + " " + to + r + "1, " + r + "2;");
            }
            for (String op : List.of("neg.s", "abs.s", "not.b")) {
                lines.add(op + type + " " + to + r + "1;");
            }
            lines.add("mad.lo.s" + type + " " + to + r + "1, " + r + "2, " + r + "3;");
            for (String op : List.of("shl.b", "shr.u", "shr.s")) {
                lines.add(op + type + " " + to + r + "1, 5;");
                lines.add(op + type + " " + to + r + "1, 31;");
            }
        }
        for (String type : List.of("f32", "f64")) {
            String f = type.equals("f32") ? "%f" : "%d";
            for (String op : List.of("add.rn.", "sub.rn.", "mul.rn.", "div.rn.", "min.", "max.")) {
                lines.add(op + type + " " + f + "10, " + f + "1, " + f + "2;");
            }
            for (String op : List.of("neg.", "abs.", "sqrt.rn.")) {
                lines.add(op + type + " " + f + "10, " + f + "1;");
            }
            lines.add("fma.rn." + type + " " + f + "10, " + f + "1, " + f + "2, " + f + "3;");
        }
        for (String op : List.of("lt", "le", "gt", "ge")) {
            lines.add("setp." + op + ".s32 %p1, %r1, %r2;");
            lines.add("setp." + op + ".u32 %p1, %r1, %r2;");
            lines.add("setp." + op + ".f32 %p1, %f1, %f2;");
        }
        lines.addAll(List.of(
                "setp.eq.s32 %p1, %r1, %r2;",
                "setp.ne.s32 %p1, %r1, 1;",
                "setp.eq.f32 %p1, %f1, %f2;",
                "setp.neu.f32 %p1, %f1, %f2;",
                "setp.lt.s32 %p2, %r1, %r2;\nsetp.lt.s32 %p3, %r2, %r3;\nand.pred %p1, %p2, %p3;",
                "setp.lt.s32 %p2, %r1, %r2;\nsetp.lt.s32 %p3, %r2, %r3;\nor.pred %p1, %p2, %p3;",
                "setp.lt.s32 %p2, %r1, %r2;\nsetp.lt.s32 %p3, %r2, %r3;\nxor.pred %p1, %p2, %p3;",
                "setp.lt.s32 %p2, %r1, %r2;\nnot.pred %p1, %p2;",
                "cvt.s64.s32 %rd20, %r1;",
                "cvt.u64.u32 %rd20, %r1;",
                "cvt.rn.f32.s32 %f10, %r1;",
                "cvt.rn.f64.s32 %d10, %r1;",
                "mul.wide.s32 %rd20, %r1, %r2;",
                "mul.wide.u32 %rd20, %r1, %r2;",
                "setp.lt.s32 %p2, %r1, 5;\nselp.b32 %r10, %r2, %r3, %p2;",
                "setp.lt.f32 %p2, %f1, %f2;\nselp.f32 %f10, %f2, %f3, %p2;",
                "mov.u32 %r4, %tid.x;\nmov.u32 %r5, %laneid;\nmad.lo.s32 %r10, %r4, 1000, %r5;",
                "mov.u32 %r4, %tid.y;\nadd.s32 %r10, %r4, %r1;"));
        return lines;
    }

    static Stream<String> meanings() {
        return LINES.stream();
    }

    /** The line alone between barriers. */
    private static String text(String line) {
        return Texts.kernel(2, """
                mov.u32 %r20, %tid.x;
                mov.u32 %r21, %tid.y;
                mov.u32 %r22, %ntid.x;
                mad.lo.s32 %r20, %r21, %r22, %r20;
                mov.u32 %r22, %ctaid.x;
                mad.lo.s32 %r20, %r22, 128, %r20;
                mul.wide.u32 %rd30, %r20, 32;
                add.s64 %rd31, %rd0, %rd30;
                add.s64 %rd32, %rd1, %rd30;
                ld.global.b32 %r1, [%rd31];
                ld.global.b32 %r2, [%rd31+4];
                ld.global.b32 %r3, [%rd31+8];
                mov.b32 %f1, %r1;
                mov.b32 %f2, %r2;
                mov.b32 %f3, %r3;
                ld.global.b64 %rd11, [%rd31];
                ld.global.b64 %rd12, [%rd31+8];
                ld.global.b64 %rd13, [%rd31+16];
                mov.b64 %d1, %rd11;
                mov.b64 %d2, %rd12;
                mov.b64 %d3, %rd13;
                setp.eq.s32 %p1, %r1, %r2;
                mov.b32 %r10, 0;
                mov.b32 %f10, 0f00000000;
                mov.b64 %rd20, 0;
                mov.f64 %d10, 0d0000000000000000;
                bar.sync 0;
                """ + line + """

                bar.sync 0;
                st.global.b32 [%rd32], %r10;
                st.global.f32 [%rd32+4], %f10;
                st.global.b64 [%rd32+8], %rd20;
                st.global.f64 [%rd32+16], %d10;
                selp.b32 %r11, 1, 0, %p1;
                st.global.b32 [%rd32+24], %r11;
                """);
    }

    /** Eight words a thread; of each three the upper halves of doubles among them. */
    private static int[] input() {
        Random random = new Random(5);
        return IntStream.range(0, 8 * THREADS)
                .map(i -> random.nextInt(4) == 0 ? random.nextInt() : WORDS[random.nextInt(WORDS.length)])
                .toArray();
    }

    @ParameterizedTest
    @MethodSource("meanings")
    void meansTheSame(String line) {
        String text = text(line);
        assertTrue(VectorPlans.segments(text).contains(1), "not done with vectors");
        same(text, Extent.of(THREADS / 128), Extent.of(128), input());
        same(text, Extent.of(THREADS / 128), Extent.of(16, 8), input());
        // Shorter than most vectors.
        same(text, Extent.of(THREADS / 128), Extent.of(4, 32), input());
    }

    @Test
    void nothingIsLeftOut() {
        Set<String> tried = new HashSet<>();
        LINES.forEach(line -> tried.addAll(VectorPlans.calls(text(line))));
        Set<String> left = new HashSet<>(VectorPlans.known());
        left.removeAll(tried);
        assertEquals(Set.of(), left);
    }

    /** Loads through %rd10 and %r10 and stores through %rd11 and %r11, all of which follow each other by lane. */
    private static String access(int secondGlobal, int secondShared, String lines) {
        return Texts.kernel(2, """
                .shared .align 16 .b8 s[2048];
                mov.u32 %r20, %tid.x;
                mov.u32 %r21, %tid.y;
                mov.u32 %r22, %ntid.x;
                mad.lo.s32 %r20, %r21, %r22, %r20;
                mov.u32 %r22, %ctaid.x;
                mad.lo.s32 %r23, %r22, 128, %r20;
                mul.wide.u32 %rd30, %r23, 4;
                add.s64 %rd10, %rd0, %rd30;
                add.s64 %rd11, %rd10, GLOBAL;
                add.s64 %rd12, %rd1, %rd30;
                mov.u32 %r10, s;
                mad.lo.s32 %r10, %r20, 4, %r10;
                add.s32 %r11, %r10, SHARED;
                ld.global.b32 %r1, [%rd10];
                st.shared.b32 [%r10], %r1;
                st.shared.b32 [%r10+1024], %r1;
                bar.sync 0;
                LINES

                bar.sync 0;
                ld.shared.b32 %r3, [%r10];
                xor.b32 %r2, %r2, %r3;
                st.global.b32 [%rd12], %r2;
                """.replace("GLOBAL", String.valueOf(secondGlobal))
                .replace("SHARED", String.valueOf(secondShared))
                .replace("LINES", lines));
    }

    /** Lanes of one warp after the other, in order, whatever the distance, as the interpreter does it. */
    @ParameterizedTest
    @ValueSource(ints = {-64, -32, -8, -4, 0, 4, 8, 28, 64, 128, 512})
    void accessesThatOverlapKeepTheirOrder(int distance) {
        for (String lines : List.of(
                "ld.shared.b32 %r2, [%r10+256];\nst.shared.b32 [%r11+256], %r2;",
                "st.shared.b32 [%r11+256], %r1;\nld.shared.b32 %r2, [%r10+256];",
                "st.shared.b32 [%r11+256], %r1;\nst.shared.b32 [%r10+256], %r20;\nmov.b32 %r2, %r20;",
                "st.shared.b32 [%r10+" + (256 + distance) + "], %r1;\nld.shared.b32 %r2, [%r10+256];")) {
            String text = access(0, distance, lines);
            for (Extent block : List.of(Extent.of(32), Extent.of(16, 2), Extent.of(8, 4))) {
                same(text, Extent.of(1), block, input());
            }
        }
        String text = access(distance, 0, "ld.global.b32 %r2, [%rd10+256];\nst.global.b32 [%rd11+256], %r1;");
        assertTrue(VectorPlans.segments(text).contains(1), "not done with vectors");
        same(text, Extent.of(1), Extent.of(32), input());
    }

    /** Out of shared memory, out of an allocation and misaligned: at the same lane. */
    @ParameterizedTest
    @ValueSource(ints = {1024, 1536, 1920, 1984, 2044, 2048, 4000, -4, -64, -2048, 2, 1 << 20})
    void faultsAreTheSame(int distance) {
        String shared = access(0, distance, "ld.shared.b32 %r2, [%r11];");
        String stored = access(0, distance, "mov.b32 %r2, %r1;\nst.shared.b32 [%r11], %r2;");
        String global = access(distance, 0, "ld.global.b32 %r2, [%rd11];");
        for (String text : List.of(shared, stored, global)) {
            assertTrue(VectorPlans.segments(text).contains(1), "not done with vectors");
            assertEquals(
                    end(text, LaunchOptions.Engine.INTERPRETER),
                    end(text, LaunchOptions.Engine.VECTORS),
                    "distance " + distance);
        }
    }

    private static String end(String text, LaunchOptions.Engine engine) {
        try (Run run = new Run("k.ptx", text)) {
            long in = run.buffer(new int[256]);
            long out = run.buffer(4 * 256);
            LaunchOptions options = LaunchOptions.plain().engine(engine);
            try {
                run.launch("k", Extent.of(1), Extent.of(64), options, in, out);
                return "complete";
            } catch (KernelFault fault) {
                return String.valueOf(fault.getMessage());
            }
        }
    }

    private static void same(String text, Extent grid, Extent block, int[] input) {
        List<List<byte[]>> memory = new ArrayList<>();
        List<Counts> counts = new ArrayList<>();
        for (LaunchOptions.Engine engine : List.of(LaunchOptions.Engine.INTERPRETER, LaunchOptions.Engine.VECTORS)) {
            try (Run run = new Run("k.ptx", text)) {
                long in = run.buffer(input);
                long out = run.buffer(32 * THREADS);
                LaunchOptions options = LaunchOptions.plain().engine(engine);
                counts.add(run.launch("k", grid, block, options.counting(true), in, out));
                memory.add(run.contents());
            }
        }
        for (int i = 0; i < 2; i++) {
            Memories.assertSame(memory.get(0).get(i), memory.get(1).get(i), "buffer " + i + " of block " + block);
        }
        assertEquals(counts.get(0), counts.get(1));
    }
}
