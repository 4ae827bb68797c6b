package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Asynchronous copies; expected values and counts by hand from the PTX ISA and the rules of wavefronts and sectors. */
class CopiesTest {
    /** Of each lane 16 bytes: of shared memory at r4, of the input at rd2 and of the output at rd3. */
    private static final String PLACES = """
            .shared .align 16 .b8 s[1024];
            mov.u32 %r1, %tid.x;
            shl.b32 %r2, %r1, 4;
            mov.u32 %r3, s;
            add.u32 %r4, %r3, %r2;
            cvt.u64.u32 %rd9, %r2;
            add.s64 %rd2, %rd0, %rd9;
            add.s64 %rd3, %rd1, %rd9;
            """;

    private static final String STORE = """

            ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r4];
            st.global.v4.u32 [%rd3], {%r10, %r11, %r12, %r13};
            """;

    private static final int WORDS = 4 * 64;

    private static int input(int word) {
        return 0x01020304 * (word % 100 + 1);
    }

    private static int[] run(LaunchOptions.Engine engine, int threads, String body) {
        try (Run run = new Run("k.ptx", Texts.kernel(2, PLACES + body))) {
            long in =
                    run.buffer(IntStream.range(0, WORDS).map(CopiesTest::input).toArray());
            long out = run.buffer(4L * WORDS);
            run.launch(
                    "k", Extent.of(1), Extent.of(threads), LaunchOptions.plain().engine(engine), in, out);
            return run.ints(out, 4 * threads);
        }
    }

    /** The first {@code bytes} of a word. */
    private static int part(int word, int bytes) {
        return bytes <= 0 ? 0 : bytes >= 4 ? word : word & ((1 << (8 * bytes)) - 1);
    }

    /** Lane l copies l bytes, the last ones 16, and the rest is 0 whatever was there. */
    @ParameterizedTest
    @EnumSource
    void whatTheSourceLacksIsZero(LaunchOptions.Engine engine) {
        String body = "min.u32 %r5, %r1, 16;\nst.shared.v4.u32 [%r4], {%r1, %r1, %r1, %r1};\n"
                + "cp.async.cg.shared.global.L2::128B [%r4], [%rd2], 16, %r5;\ncp.async.wait_all;" + STORE;
        int[] expected = IntStream.range(0, 4 * 32)
                .map(i -> part(input(i), Math.min(i / 4, 16) - 4 * (i % 4)))
                .toArray();
        assertArrayEquals(expected, run(engine, 32, body));
    }

    /** Even lanes ignore their source, of which two words are copied; a policy changes nothing. */
    @ParameterizedTest
    @EnumSource
    void aSourceIsIgnoredWhereAPredicateSaysSo(LaunchOptions.Engine engine) {
        String body =
                "and.b32 %r5, %r1, 1;\nsetp.eq.u32 %p1, %r5, 0;\ncreatepolicy.fractional.L2::evict_last.b64 %rd4;\n"
                        + "st.shared.v4.u32 [%r4], {9, 9, 9, 9};\n"
                        + "cp.async.ca.shared::cta.global.L2::cache_hint [%r4], [%rd2], 8, %p1, %rd4;\ncp.async.wait_all;"
                        + STORE;
        int[] expected = IntStream.range(0, 4 * 32)
                .map(i -> i % 4 > 1 ? 9 : i / 4 % 2 == 0 ? 0 : input(i))
                .toArray();
        assertArrayEquals(expected, run(engine, 32, body));
    }

    /** Three groups into one place: what is read is the last one that was waited for, or what was there before. */
    @ParameterizedTest
    @CsvSource({"3, -1", "2, 0", "1, 1", "0, 2"})
    void aCopyIsSeenOnceItsGroupIsWaitedFor(int pending, int group) {
        StringBuilder body = new StringBuilder("st.shared.v4.u32 [%r4], {5, 5, 5, 5};\n");
        for (int i = 0; i < 3; i++) {
            body.append("cp.async.ca.shared.global [%r4], [%rd0+" + 16 * i + "], 16;\ncp.async.commit_group;\n");
        }
        body.append("cp.async.wait_group " + pending + ";").append(STORE);
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            int[] expected = IntStream.range(0, 4 * 32)
                    .map(i -> group < 0 ? 5 : input(4 * group + i % 4))
                    .toArray();
            assertArrayEquals(expected, run(engine, 32, body.toString()), engine.toString());
        }
    }

    /** Copies that no group has are waited for by wait_all only; an empty group is one. */
    @ParameterizedTest
    @CsvSource({"cp.async.wait_group 0;, false", "cp.async.wait_all;, true"})
    void whatWasNotCommittedIsInNoGroup(String wait, boolean seen) {
        String body = "cp.async.commit_group;\ncp.async.ca.shared.global [%r4], [%rd2], 16;\n" + wait + STORE;
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            int[] expected =
                    IntStream.range(0, 4 * 32).map(i -> seen ? input(i) : 0).toArray();
            assertArrayEquals(expected, run(engine, 32, body), engine.toString());
        }
    }

    /** Only lanes that a guard lets copy and wait. */
    @ParameterizedTest
    @EnumSource
    void guardsHold(LaunchOptions.Engine engine) {
        String body = "setp.lt.u32 %p1, %r1, 20;\nsetp.lt.u32 %p2, %r1, 10;\n"
                + "@%p1 cp.async.ca.shared.global [%r4], [%rd2], 16;\n@!%p2 cp.async.wait_all;" + STORE;
        int[] expected = IntStream.range(0, 4 * 32)
                .map(i -> i / 4 >= 10 && i / 4 < 20 ? input(i) : 0)
                .toArray();
        assertArrayEquals(expected, run(engine, 32, body));
    }

    /** The first warp begins copies and ends; the other reads what they left. */
    @ParameterizedTest
    @EnumSource
    void copiesOfAThreadThatEndsAreDone(LaunchOptions.Engine engine) {
        String body = "setp.lt.u32 %p1, %r1, 32;\n@%p1 cp.async.ca.shared.global [%r4+512], [%rd2], 16;\n@%p1 exit;\n"
                + "bar.sync 0;" + STORE;
        int[] expected = IntStream.range(0, 4 * 64)
                .map(i -> i < 128 ? 0 : input(i - 128))
                .toArray();
        assertArrayEquals(expected, run(engine, 64, body));
    }

    @ParameterizedTest
    @CsvSource({
        "'cp.async.ca.shared.global [%r4], [%rd2], 16;', OUT_OF_BOUNDS",
        "'cp.async.ca.shared.global [%r4], [%rd2+4], 8;', MISALIGNED",
        "'cp.async.ca.shared.global [%r4+4], [%rd0], 8;', MISALIGNED",
        "'cp.async.ca.shared.global [%r4+4096], [%rd0], 4;', OUT_OF_BOUNDS",
        "'cp.async.ca.shared.global [%r4], [%rd0], 8, 9;', UNDEFINED",
        "'cp.async.ca.shared.global [%r4], [%rd0+4], 8, 4;', MISALIGNED",
        "'cp.async.ca.shared.global [%r4], [%rd0+152], 8, 7;', OUT_OF_BOUNDS"
    })
    void aFaultIsThatOfTheInstructionThatBegan(String copy, KernelFault.Kind kind) {
        String text = Texts.kernel(2, PLACES + copy + "\nst.shared.u32 [%r4+4], %r1;\ncp.async.wait_all;" + STORE);
        int line = (int) text.substring(0, text.indexOf(copy)).lines().count() + 1;
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("k.ptx", text)) {
                long in = run.buffer(156);
                LaunchOptions options = LaunchOptions.plain().engine(engine);
                KernelFault fault = assertThrows(
                        KernelFault.class, () -> run.launch("k", Extent.of(1), Extent.of(16), options, in, in));
                assertEquals(kind, fault.kind(), fault.getMessage());
                KernelFault.Place place = fault.place();
                assertNotNull(place);
                assertEquals(line, place.line(), fault.getMessage());
            }
        }
    }

    /** A source of no bytes may be anywhere, and one of fewer may end with its allocation. */
    @ParameterizedTest
    @EnumSource
    void bytesThatAreNotReadNeedNotBeThere(LaunchOptions.Engine engine) {
        String body = PLACES + "mov.u64 %rd4, 0;\ncp.async.ca.shared.global [%r4], [%rd4], 16, 0;\n"
                + "cp.async.ca.shared.global [%r4], [%rd0+8], 8, 5;\ncp.async.wait_all;" + STORE;
        try (Run run = new Run("k.ptx", Texts.kernel(2, body))) {
            long in = run.buffer(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
            long out = run.buffer(16);
            run.launch("k", Extent.of(1), Extent.of(1), LaunchOptions.plain().engine(engine), in, out);
            assertArrayEquals(new int[] {0x0b0a0908, 0x0c, 0, 0}, run.ints(out, 4));
        }
    }

    @ParameterizedTest
    @CsvSource({
        // 16 bytes a lane in order: four phases of 8 lanes, and 512 bytes are 16 sectors.
        "'cp.async.cg.shared.global [%r4], [%rd2], 16;', 32, 4, 4, 1, 16",
        // Lanes 8 to 31 read nothing but write zeros.
        "'cp.async.cg.shared.global [%r4], [%rd2], 16, %r5;', 32, 4, 4, 1, 4",
        "'@%p1 cp.async.cg.shared.global [%r4], [%rd2], 16, %r5;', 8, 1, 1, 1, 4",
        "'@%p1 cp.async.cg.shared.global [%r4], [%rd2], 16;', 8, 1, 1, 1, 4",
        "'@!%p1 cp.async.cg.shared.global [%r4], [%rd2], 16, %r5;', 24, 3, 3, 0, 0",
        "'cp.async.cg.shared.global [%r4], [%rd2], 16, 0;', 32, 4, 4, 0, 0",
        // Words 16 bytes apart share 8 banks: 4 lanes each.
        "'cp.async.ca.shared.global [%r4], [%rd2], 4;', 32, 4, 1, 1, 16",
        // One place for all lanes: a word of it once.
        "'cp.async.ca.shared.global [%r3], [%rd0], 4;', 32, 1, 1, 1, 1",
    })
    void areCountedWhereTheyBegin(String copy, int lanes, int wavefronts, int ideal, int globalRequests, int sectors) {
        String body = PLACES + "setp.lt.u32 %p1, %r1, 8;\nselp.u32 %r5, 16, 0, %p1;\n";
        LaunchOptions options = LaunchOptions.plain().counting(true);
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            Counts.Line before = counts(body, options.engine(engine)).total();
            Counts all = counts(body + copy, options.engine(engine));
            Counts.Line counts = all.total();
            String what = engine + " " + copy;
            assertEquals(1, counts.instructions() - before.instructions(), what);
            assertEquals(lanes, counts.threadInstructions() - before.threadInstructions(), what);
            assertEquals(1, counts.sharedRequests(), what);
            assertEquals(wavefronts, counts.sharedWavefronts(), what);
            assertEquals(ideal, counts.sharedIdeal(), what);
            assertEquals(globalRequests, counts.globalRequests(), what);
            assertEquals(sectors, counts.globalSectors(), what);
            assertEquals(32L * sectors, all.bytesRead(), what);
            assertEquals(0, all.bytesWritten(), what);
            assertEquals(1L, all.instructions().get("copy_async"), what);
        }
    }

    private static Counts counts(String body, LaunchOptions options) {
        try (Run run = new Run("k.ptx", Texts.kernel(2, body))) {
            long in = run.buffer(4L * WORDS);
            return run.launch("k", Extent.of(1), Extent.of(32), options, in, in);
        }
    }

    /** Two stages and zeros beyond the last row, as nvcc compiles them from copies.cu. */
    @ParameterizedTest
    @CsvSource({"5, 80", "5, 70", "1, 3"})
    void pipelinesOverlap(int tiles, int rows) {
        float[] in = new float[4 * 80];
        for (int i = 0; i < in.length; i++) {
            in[i] = i * 0.5f;
        }
        float[] expected = new float[64];
        for (int tile = 0; tile < tiles; tile++) {
            for (int t = 0; t < 64; t++) {
                int at = 64 * tile + 63 - t;
                expected[t] += at < 4 * rows ? in[at] : 0;
            }
        }
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("copies.ptx", Texts.resource("copies.ptx"))) {
                long from = run.buffer(in);
                long to = run.buffer(4L * 64);
                byte[] parameters = Parameters.of(run.module.kernel("staged"))
                        .add(from)
                        .add(to)
                        .add(tiles)
                        .add(rows)
                        .bytes();
                run.linked.launch(
                        "staged",
                        Extent.of(1),
                        Extent.of(64),
                        0,
                        parameters,
                        LaunchOptions.plain().engine(engine));
                assertArrayEquals(expected, run.floats(to, 64), engine.toString());
            }
        }
    }

    /** memcpy_async of cooperative groups. */
    @ParameterizedTest
    @EnumSource
    void groupsCopyTogether(LaunchOptions.Engine engine) {
        try (Run run = new Run("copies.ptx", Texts.resource("copies.ptx"))) {
            int[] values = IntStream.range(0, 768).map(i -> i * i).toArray();
            long in = run.buffer(values);
            long out = run.buffer(4L * 768);
            Counts counts = run.launch(
                    "turned",
                    Extent.of(3),
                    Extent.of(96),
                    LaunchOptions.plain().engine(engine).counting(true),
                    in,
                    out);
            int[] expected = IntStream.range(0, 768)
                    .map(i -> values[i / 256 * 256 + 255 - i % 256])
                    .toArray();
            assertArrayEquals(expected, run.ints(out, 768));
            assertEquals(Arrays.stream(values).count() * 4, counts.bytesRead());
            assertTrue(
                    counts.instructions().getOrDefault("copy_async", 0L) > 0,
                    counts.instructions().toString());
        }
    }
}
