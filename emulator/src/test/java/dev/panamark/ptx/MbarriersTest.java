package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Barriers in shared memory; expected values by hand from the PTX ISA. */
class MbarriersTest {
    private static final String BEGIN =
            ".shared .align 16 .b8 s[1024];\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, s;\nmov.u32 %r0, 0;\n";

    private static final String STORE =
            "\nmul.wide.u32 %rd50, %r1, 4;\nadd.s64 %rd51, %rd0, %rd50;\nst.global.u32 [%rd51], %r0;";

    private static int[] run(LaunchOptions.Engine engine, int threads, String body) {
        try (Run run = new Run("k.ptx", Texts.kernel(1, BEGIN + body + STORE))) {
            long out = run.buffer(4L * threads);
            run.launch(
                    "k", Extent.of(1), Extent.of(threads), LaunchOptions.plain().engine(engine), out);
            return run.ints(out, threads);
        }
    }

    /** One thread arrives for all: a decimal digit, of the latest the last, says what each step saw. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // Pending were 3, then 1; the phase ends with the third; its parity is 0, that of the next 1.
                "3 | A 2, P, A 1, P, T, E 0, E 1 | 31110",
                // Not before the third.
                "3 | A 2, T, E 0, A 1, E 0, E 1 | 10",
                // A phase of 1 that awaits 5 and 3 bytes.
                "1 | X 5, X 3, A 1, T, Y 5, T, Y 3, T | 1",
                // Bytes may come before they are expected.
                "1 | Y 8, X 8, A 1, T | 1",
                // Who drops out is not waited for in the next phase.
                "2 | D 1, A 1, T, A 1, T, P | 111",
                // An arrival that leaves one pending.
                "2 | N 1, P, T, A 1, T | 201",
                // Three phases.
                "1 | A 1, E 0, A 1, E 1, E 0, A 1, E 0, E 1 | 11010",
            })
    void phasesEndWithTheLastArrival(int arrivals, String steps, int expected) {
        StringBuilder body = new StringBuilder("mbarrier.init.shared.b64 [%r3+8], " + arrivals + ";\n");
        for (String step : steps.split(",", -1)) {
            String[] parts = step.trim().split(" ", -1);
            String number = parts.length > 1 ? parts[1] : "";
            String seen = "selp.u32 %r5, 1, 0, %p1;\n";
            body.append(
                    switch (parts[0]) {
                        case "A" -> "mbarrier.arrive.shared::cta.b64 %rd1, [%r3+8], " + number + ";\n";
                        case "N" ->
                            "mbarrier.arrive.noComplete.release.cta.shared.b64 %rd1, [%r3+8], " + number + ";\n";
                        case "D" -> "mbarrier.arrive_drop.shared.b64 %rd1, [%r3+8], " + number + ";\n";
                        case "X" -> "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r3+8], " + number + ";\n";
                        case "Y" -> "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r3+8], " + number + ";\n";
                        case "P" -> "mbarrier.pending_count.b64 %r5, %rd1;\n";
                        case "T" -> "mbarrier.test_wait.shared.b64 %p1, [%r3+8], %rd1;\n" + seen;
                        default ->
                            "mbarrier.try_wait.parity.acquire.cta.shared.b64 %p1, [%r3+8], " + number + ", 100;\n"
                                    + seen;
                    });
            if ("PTE".contains(parts[0])) {
                body.append("mad.lo.u32 %r0, %r0, 10, %r5;\n");
            }
        }
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            assertEquals(expected, run(engine, 1, body.toString())[0], engine + " " + steps);
        }
    }

    /** The second warp fills a place for the first, which says when it is empty: through generic addresses. */
    @ParameterizedTest
    @EnumSource
    void warpsPassValuesOn(LaunchOptions.Engine engine) {
        String body = """
                cvt.u64.u32 %rd1, %r3;
                cvta.shared.u64 %rd2, %rd1;
                setp.ne.u32 %p1, %r1, 0;
                @!%p1 mbarrier.init.b64 [%rd2], 32;
                @!%p1 mbarrier.init.b64 [%rd2+8], 32;
                bar.sync 0;
                and.b32 %r4, %r1, 31;
                shl.b32 %r5, %r4, 2;
                add.u32 %r5, %r5, %r3;
                mov.u32 %r6, 0;
                setp.ge.u32 %p2, %r1, 32;
                @%p2 bra FILL;
                TAKE:
                and.b32 %r7, %r6, 1;
                FULL:
                mbarrier.try_wait.parity.b64 %p3, [%rd2], %r7;
                @!%p3 bra FULL;
                ld.shared.u32 %r8, [%r5+128];
                mad.lo.u32 %r0, %r0, 3, %r8;
                mbarrier.arrive.b64 _, [%rd2+8];
                add.u32 %r6, %r6, 1;
                setp.lt.u32 %p4, %r6, 5;
                @%p4 bra TAKE;
                bra END;
                FILL:
                add.u32 %r7, %r6, 1;
                and.b32 %r7, %r7, 1;
                EMPTY:
                mbarrier.try_wait.parity.b64 %p3, [%rd2+8], %r7;
                @!%p3 bra EMPTY;
                mad.lo.u32 %r8, %r6, 100, %r4;
                st.shared.u32 [%r5+128], %r8;
                mbarrier.arrive.b64 %rd3, [%rd2];
                add.u32 %r6, %r6, 1;
                setp.lt.u32 %p4, %r6, 5;
                @%p4 bra FILL;
                END:
                """;
        int[] expected = IntStream.range(0, 64)
                .map(t -> {
                    int sum = 0;
                    for (int i = 0; i < 5 && t < 32; i++) {
                        sum = 3 * sum + 100 * i + t;
                    }
                    return sum;
                })
                .toArray();
        assertArrayEquals(expected, run(engine, 64, body));
    }

    /** Lane 0 waits before the others, which come later, arrive. */
    @ParameterizedTest
    @ValueSource(strings = {"test_wait", "try_wait"})
    void lanesOfAWarpWaitForEachOther(String wait) {
        String body = "setp.ne.u32 %p1, %r1, 0;\n@!%p1 mbarrier.init.shared.b64 [%r3], 31;\nbar.sync 0;\n"
                + "@%p1 bra A;\nW:\nmbarrier." + wait + ".parity.shared.b64 %p2, [%r3], 0;\n@!%p2 bra W;\n"
                + "ld.shared.u32 %r0, [%r3+64];\nbra E;\nA:\nst.shared.u32 [%r3+64], 77;\n"
                + "mbarrier.arrive.shared.b64 %rd1, [%r3];\nE:";
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            int[] expected = new int[32];
            expected[0] = 77;
            assertArrayEquals(expected, run(engine, 32, body), engine.toString());
        }
    }

    /** Copies arrive once somebody waits, and are not seen before; of the second kind each is one arrival more. */
    @ParameterizedTest
    @CsvSource({".noinc, 32", "'', 1"})
    void copiesArriveWhenTheyAreDone(String expected, int arrivals) {
        String body = "setp.ne.u32 %p1, %r1, 0;\n@!%p1 mbarrier.init.shared.b64 [%r3], " + arrivals + ";\nbar.sync 0;\n"
                + "shl.b32 %r5, %r1, 2;\nadd.u32 %r5, %r5, %r3;\ncvt.u64.u32 %rd1, %r1;\nshl.b64 %rd1, %rd1, 2;\n"
                + "add.s64 %rd1, %rd1, %rd0;\nadd.u32 %r7, %r1, 5;\nst.global.u32 [%rd1], %r7;\n"
                + "cp.async.ca.shared.global [%r5+128], [%rd1], 4;\n"
                + "cp.async.mbarrier.arrive" + expected + ".shared::cta.b64 [%r3];\n"
                + (arrivals == 1 ? "@!%p1 mbarrier.arrive.shared.b64 %rd2, [%r3];\n" : "")
                + "ld.shared.u32 %r6, [%r5+128];\nW:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;\n@!%p2 bra W;\n"
                + "sub.u32 %r8, 252, %r5;\nadd.u32 %r8, %r8, %r3;\nadd.u32 %r8, %r8, %r3;\n"
                + "ld.shared.u32 %r0, [%r8];\nmad.lo.u32 %r0, %r6, 1000, %r0;";
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            assertArrayEquals(
                    IntStream.range(0, 32).map(t -> 31 - t + 5).toArray(), run(engine, 32, body), engine.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'mbarrier.arrive.shared.b64 %rd1, [%r3+8];', no mbarrier",
        "'mbarrier.init.shared.b64 [%r3], 0;', expected 1 to 1048575",
        "'mbarrier.init.shared.b64 [%r3], 1048576;', expected 1 to 1048575",
        "'mbarrier.arrive.shared.b64 %rd1, [%r3], 3;', where 2 of 2 are pending",
        "'mbarrier.arrive.shared.b64 %rd1, [%r3], 0;', where 2 of 2 are pending",
        "'mbarrier.arrive.noComplete.shared.b64 %rd1, [%r3], 2;', last arrival of a phase",
        "'mbarrier.test_wait.parity.shared.b64 %p1, [%r3], 2;', expected 0 or 1",
        "'mbarrier.expect_tx.shared.b64 [%r3], 1048576;', 1048576 transactions",
        "'mbarrier.inval.shared.b64 [%r3+8];', no mbarrier"
    })
    void whatPtxDoesNotDefineIsAFault(String instruction, String reason) {
        fault(instruction, KernelFault.Kind.UNDEFINED, reason);
    }

    @ParameterizedTest
    @CsvSource({
        "'mbarrier.init.shared.b64 [%r3+4], 1;', MISALIGNED",
        "'mbarrier.init.shared.b64 [%r3+1024], 1;', OUT_OF_BOUNDS",
        "'mbarrier.init.b64 [%rd0], 1;', OUT_OF_BOUNDS"
    })
    void mbarriersAreInSharedMemory(String instruction, KernelFault.Kind kind) {
        fault(instruction, kind, "shared address");
    }

    private static void fault(String instruction, KernelFault.Kind kind, String reason) {
        String text = Texts.kernel(1, BEGIN + "mbarrier.init.shared.b64 [%r3], 2;\n" + instruction);
        int line = (int) text.substring(0, text.indexOf(instruction)).lines().count() + 1;
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("k.ptx", text)) {
                long out = run.buffer(64);
                LaunchOptions options = LaunchOptions.plain().engine(engine);
                KernelFault fault = assertThrows(
                        KernelFault.class, () -> run.launch("k", Extent.of(1), Extent.of(1), options, out));
                assertEquals(kind, fault.kind(), fault.getMessage());
                assertTrue(String.valueOf(fault.getMessage()).contains(reason), fault.getMessage());
                KernelFault.Place place = fault.place();
                assertNotNull(place);
                assertEquals(line, place.line(), fault.getMessage());
            }
        }
    }

    /** Nobody arrives any more: the lines of all who wait are named, sleepers too. */
    @ParameterizedTest
    @ValueSource(strings = {"", "nanosleep.u32 20;\n"})
    void whoWaitsForEverIsNamed(String sleep) {
        String body = "setp.ne.u32 %p1, %r1, 0;\n@!%p1 mbarrier.init.shared.b64 [%r3], 200;\nbar.sync 0;\n"
                + "mbarrier.arrive.shared.b64 %rd1, [%r3];\nsetp.lt.u32 %p2, %r1, 64;\n@%p2 bra A;\n"
                + "W:\nmbarrier.test_wait.shared.b64 %p3, [%r3], %rd1;\n" + sleep + "@!%p3 bra W;\nbra E;\n"
                + "A:\nsetp.lt.u32 %p2, %r1, 32;\n@%p2 bra B;\n"
                + "V:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r3], 0;\n" + sleep + "@!%p3 bra V;\nbra E;\n"
                + "B:\nbar.sync 3;\nE:";
        String text = Texts.kernel(1, BEGIN + body);
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("k.ptx", text)) {
                long out = run.buffer(64);
                LaunchOptions options = LaunchOptions.plain().engine(engine);
                KernelFault fault = assertThrows(
                        KernelFault.class, () -> run.launch("k", Extent.of(2), Extent.of(96), options, out));
                assertEquals(KernelFault.Kind.DEADLOCK, fault.kind());
                for (String waiting : new String[] {"mbarrier.test_wait", "mbarrier.try_wait", "bar.sync 3"}) {
                    int line = (int) text.substring(0, text.indexOf(waiting))
                                    .lines()
                                    .count()
                            + 1;
                    assertTrue(
                            String.valueOf(fault.getMessage()).contains(waiting.replace(" 3", "")), fault.getMessage());
                    assertTrue(String.valueOf(fault.getMessage()).contains("line " + line), fault.getMessage());
                }
            }
        }
    }

    /** cuda::barrier of libcu++, as nvcc compiles it for sm_80 and sm_90 from barriers.cu. */
    @ParameterizedTest
    @ValueSource(strings = {"barriers80.ptx", "barriers90.ptx"})
    void ringsOfTheLibraryTurn(String resource) {
        int rounds = 11;
        float[] in = new float[64 * rounds];
        for (int i = 0; i < in.length; i++) {
            in[i] = i % 91;
        }
        float[] expected = new float[64];
        for (int i = 0; i < rounds; i++) {
            for (int t = 0; t < 64; t++) {
                expected[t] = expected[t] * 0.5f + in[64 * i + 63 - t];
            }
        }
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run(resource, Texts.resource(resource))) {
                long from = run.buffer(in);
                long to = run.buffer(256);
                launch(run, engine, "ring", from, to, rounds);
                assertArrayEquals(expected, run.floats(to, 64), engine.toString());
            }
        }
    }

    /** cuda::pipeline of two stages, whose copies arrive at mbarriers. */
    @ParameterizedTest
    @ValueSource(strings = {"barriers80.ptx", "barriers90.ptx"})
    void pipelinesOfTheLibraryTurn(String resource) {
        int batches = 7;
        int[] in = IntStream.range(0, 128 * batches).map(i -> i * 31 % 1009).toArray();
        int[] expected = new int[128];
        for (int i = 0; i < batches; i++) {
            for (int t = 0; t < 128; t++) {
                expected[t] += in[128 * i + 127 - t];
            }
        }
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run(resource, Texts.resource(resource))) {
                long from = run.buffer(in);
                long to = run.buffer(512);
                launch(run, engine, "piped", from, to, batches);
                assertArrayEquals(expected, run.ints(to, 128), engine.toString());
            }
        }
    }

    private static void launch(Run run, LaunchOptions.Engine engine, String kernel, long from, long to, int count) {
        byte[] parameters = Parameters.of(run.module.kernel(kernel))
                .add(from)
                .add(to)
                .add(count)
                .bytes();
        run.linked.launch(
                kernel,
                Extent.of(1),
                Extent.of(128),
                0,
                parameters,
                LaunchOptions.plain().engine(engine));
    }
}
