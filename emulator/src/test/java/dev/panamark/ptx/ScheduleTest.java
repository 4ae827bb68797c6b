package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Threads that wait for each other; expected values by hand. */
class ScheduleTest {
    private static int[] run(LaunchOptions.Engine engine, int blocks, int threads, String body) {
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            int count = blocks * threads;
            long out = run.buffer(4L * count + 4096);
            run.launch(
                    "k",
                    Extent.of(blocks),
                    Extent.of(threads),
                    LaunchOptions.plain().engine(engine),
                    out);
            return run.ints(out, count);
        }
    }

    private static final String STORE =
            "mov.u32 %r50, %ctaid.x;\nmov.u32 %r51, %ntid.x;\nmov.u32 %r52, %tid.x;\nmad.lo.s32 %r53, %r50, %r51, %r52;\n"
                    + "mul.wide.u32 %rd50, %r53, 4;\nadd.s64 %rd51, %rd0, %rd50;\nst.global.u32 [%rd51], %r0;";

    @ParameterizedTest
    @EnumSource
    void lanesPartAndMeetAgain(LaunchOptions.Engine engine) {
        String body = "mov.u32 %r1, %tid.x;\nmov.u32 %r0, 0;\nmov.u32 %r2, 0;\n"
                + "L:\nsetp.ge.u32 %p1, %r2, %r1;\n@%p1 bra E;\nadd.s32 %r0, %r0, %r2;\nadd.s32 %r2, %r2, 1;\nbra L;\n"
                + "E:\nactivemask.b32 %r3;\npopc.b32 %r3, %r3;\nmad.lo.s32 %r0, %r3, 1000, %r0;\n" + STORE;
        int[] expected = IntStream.range(0, 40)
                .map(t -> t * (t - 1) / 2 + 1000 * (t < 32 ? 32 : 8))
                .toArray();
        assertArrayEquals(expected, run(engine, 1, 40, body));
    }

    @ParameterizedTest
    @EnumSource
    void aBarrierInBothArmsOfABranchIsMetByAll(LaunchOptions.Engine engine) {
        String body = "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\nmov.u32 %r0, 1;\n"
                + "@%p1 bra A;\nbar.sync 0;\nmov.u32 %r0, 2;\nbra E;\nA:\nbar.sync 0;\nmov.u32 %r0, 3;\nE:\n" + STORE;
        assertArrayEquals(IntStream.range(0, 64).map(t -> t % 2 == 0 ? 3 : 2).toArray(), run(engine, 1, 64, body));
    }

    @ParameterizedTest
    @EnumSource
    void exitedThreadsAreNotWaitedFor(LaunchOptions.Engine engine) {
        String body =
                "mov.u32 %r1, %tid.x;\nmov.u32 %r0, 5;\nsetp.gt.u32 %p1, %r1, 40;\n@%p1 exit;\nbar.sync 0;\n" + STORE;
        assertArrayEquals(IntStream.range(0, 64).map(t -> t > 40 ? 0 : 5).toArray(), run(engine, 1, 64, body));
    }

    /** Lane t goes t mod 4 times through a barrier and ends: those that are done first must not hold up the others. */
    @ParameterizedTest
    @EnumSource
    void lanesThatHaveLeftALoopDoNotHoldUpABarrierInIt(LaunchOptions.Engine engine) {
        String body = "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 3;\nmov.u32 %r0, 0;\n"
                + "L:\nsetp.ge.u32 %p1, %r0, %r2;\n@%p1 bra E;\nbar.sync 0;\nadd.s32 %r0, %r0, 1;\nbra L;\nE:\n"
                + STORE;
        assertArrayEquals(IntStream.range(0, 64).map(t -> t % 4).toArray(), run(engine, 1, 64, body));
    }

    /** The same with a branch inside of the loop, so that lanes that are done wait at more than one place. */
    @ParameterizedTest
    @EnumSource
    void lanesThatHaveLeftBranchesAndLoopsDoNotHoldUpABarrier(LaunchOptions.Engine engine) {
        String body = "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 7;\nmov.u32 %r0, 0;\n"
                + "setp.eq.u32 %p2, %r2, 5;\n@%p2 bra F;\n"
                + "L:\nsetp.ge.u32 %p1, %r0, %r2;\n@%p1 bra E;\nand.b32 %r3, %r1, 1;\nsetp.eq.u32 %p3, %r3, 0;\n"
                + "@%p3 bra M;\nbar.sync 0;\nadd.s32 %r0, %r0, 1;\nbra N;\nM:\nbar.sync 0;\nadd.s32 %r0, %r0, 1;\n"
                + "N:\nbra L;\nE:\nadd.s32 %r0, %r0, 100;\nF:\n" + STORE;
        int[] expected =
                IntStream.range(0, 64).map(t -> t % 8 == 5 ? 0 : 100 + t % 8).toArray();
        assertArrayEquals(expected, run(engine, 1, 64, body));
    }

    /** Lane 0 leaves the loop first; what it then writes is what the other lanes of its warp spin for. */
    @ParameterizedTest
    @EnumSource
    void lanesSpinForALaneThatHasLeftTheLoop(LaunchOptions.Engine engine) {
        String body = "mov.u32 %r1, %tid.x;\nL:\nld.volatile.global.u32 %r0, [%rd0+2048];\nsetp.eq.u32 %p1, %r0, 0;\n"
                + "setp.ne.u32 %p2, %r1, 0;\nand.pred %p1, %p1, %p2;\n@%p1 bra L;\nsetp.eq.u32 %p3, %r1, 0;\n"
                + "@%p3 mov.u32 %r0, 7;\n@%p3 st.volatile.global.u32 [%rd0+2048], %r0;\n" + STORE;
        assertArrayEquals(IntStream.range(0, 32).map(t -> 7).toArray(), run(engine, 1, 32, body));
    }

    /** The arm of a branch that is taken up first spins, asleep now and then, for what the other arm writes. */
    @ParameterizedTest
    @EnumSource
    void armsOfABranchSpinForEachOther(LaunchOptions.Engine engine) {
        String spin = "ld.volatile.global.u32 %r0, [%rd0+2048];\nsetp.eq.u32 %p2, %r0, 0;\n";
        String body = "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 16;\n@%p1 bra A;\n"
                + "S:\n" + spin
                + "@!%p2 bra T;\nnanosleep.u32 100;\nbra S;\nT:\nst.volatile.global.u32 [%rd0+2052], 5;\nbra E;\n"
                + "A:\nst.volatile.global.u32 [%rd0+2048], 7;\nU:\nld.volatile.global.u32 %r0, [%rd0+2052];\n"
                + "setp.eq.u32 %p2, %r0, 0;\n@%p2 bra U;\nE:\n" + STORE;
        assertArrayEquals(IntStream.range(0, 32).map(t -> t < 16 ? 5 : 7).toArray(), run(engine, 1, 32, body));
    }

    @ParameterizedTest
    @EnumSource
    void barriersReduce(LaunchOptions.Engine engine) {
        String body = "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 37;\nbar.red.popc.u32 %r0, 0, %p1;\n"
                + "bar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, !%p1;\n"
                + "selp.u32 %r2, 1000, 0, %p2;\nselp.u32 %r3, 2000, 0, %p3;\nadd.s32 %r0, %r0, %r2;\nadd.s32 %r0, %r0, %r3;\n"
                + STORE;
        int[] expected = new int[96];
        Arrays.fill(expected, 2037);
        assertArrayEquals(expected, run(engine, 1, 96, body));
    }

    /** Producers arrive without waiting, consumers wait: named barriers with counts, as warp-specialised kernels use. */
    @ParameterizedTest
    @EnumSource
    void producersArriveAndConsumersWait(LaunchOptions.Engine engine) {
        String body = ".shared .align 4 .b8 s[256];\nmov.u32 %r1, %tid.x;\nmov.u32 %r9, s;\nshl.b32 %r8, %r1, 2;\n"
                + "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra P;\nbar.sync 1, 64;\nadd.s32 %r8, %r9, %r8;\n"
                + "ld.shared.u32 %r0, [%r8];\nbra E;\n"
                + "P:\nsub.s32 %r7, %r8, 128;\nadd.s32 %r7, %r9, %r7;\nmul.lo.s32 %r6, %r1, 3;\nst.shared.u32 [%r7], %r6;\n"
                + "bar.arrive 1, 64;\nmov.u32 %r0, 9;\nE:\n" + STORE;
        int[] expected =
                IntStream.range(0, 64).map(t -> t < 32 ? 3 * (t + 32) : 9).toArray();
        assertArrayEquals(expected, run(engine, 1, 64, body));
    }

    /** Every block waits for the next one: only blocks that can be left let it end. */
    @ParameterizedTest
    @EnumSource
    void blocksWaitForLaterBlocks(LaunchOptions.Engine engine) {
        String body = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.x;\nsub.s32 %r3, %r2, 1;\nmov.u32 %r0, 1;\n"
                + "add.s32 %r4, %r1, 600;\nmul.wide.u32 %rd1, %r4, 4;\nadd.s64 %rd2, %rd0, %rd1;\n"
                + "setp.eq.u32 %p1, %r1, %r3;\n@%p1 bra D;\nL:\nld.acquire.gpu.global.u32 %r0, [%rd2+4];\n"
                + "setp.eq.u32 %p2, %r0, 0;\n@%p2 bra L;\nadd.s32 %r0, %r0, 1;\nD:\nst.release.gpu.global.u32 [%rd2], %r0;\n"
                + STORE;
        assertArrayEquals(IntStream.range(0, 6).map(b -> 6 - b).toArray(), run(engine, 6, 1, body));
    }

    /** Lane 0 publishes, the other warp spins on it. */
    @ParameterizedTest
    @EnumSource
    void warpsOfABlockTakeTurns(LaunchOptions.Engine engine) {
        String body = "mov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 32;\nmov.u32 %r0, 4;\n@%p1 bra P;\n"
                + "L:\nld.volatile.global.u32 %r0, [%rd0+2048];\nsetp.eq.u32 %p2, %r0, 0;\n@%p2 bra L;\nbra E;\n"
                + "P:\nst.volatile.global.u32 [%rd0+2048], 7;\nE:\n" + STORE;
        assertArrayEquals(IntStream.range(0, 64).map(t -> t < 32 ? 7 : 4).toArray(), run(engine, 1, 64, body));
    }

    @ParameterizedTest
    @EnumSource
    void blocksOnSeveralThreadsShareAtomics(LaunchOptions.Engine engine) {
        String body = "mov.u32 %r1, 1;\natom.global.add.u32 %r2, [%rd0], %r1;\nred.global.max.u32 [%rd0+4], %r2;";
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            long out = run.buffer(64);
            run.launch(
                    "k",
                    Extent.of(50),
                    Extent.of(64),
                    LaunchOptions.plain().engine(engine).threads(4),
                    out);
            assertArrayEquals(new int[] {3200, 3199}, run.ints(out, 2));
        }
    }

    /**
     * Blocks on several threads of the host write pairs of equal numbers to one place and read it; a pair of different ones
     * is counted. Scans with look-back rely on it, for pairs of 4 and of 8 bytes.
     */
    private static void pairsAreHandedOnWhole(LaunchOptions.Engine engine, String type, String register) {
        String body = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, 0;\nmov.u32 %r3, 0;\ncvt.u64.u32 %rd5, %r1;\n"
                + "L:\nadd.s32 %r1, %r1, 8;\nadd.s64 %rd5, %rd5, 8;\n"
                + "st.relaxed.gpu.v2." + type + " [%rd0+256], {" + register.replace("#", "1") + ", "
                + register.replace("#", "1") + "};\n"
                + "ld.relaxed.gpu.v2." + type + " {" + register.replace("#", "2") + ", " + register.replace("#", "3")
                + "}, [%rd0+256];\nsetp.ne." + type + " %p1, " + register.replace("#", "2") + ", "
                + register.replace("#", "3") + ";\n@%p1 add.s32 %r3, %r3, 1;\n"
                + "add.s32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, 20000;\n@%p2 bra L;\nmov.u32 %r0, %r3;\n" + STORE;
        body = body.replace("%q1", "%rd5").replace("%q2", "%rd6").replace("%q3", "%rd7");
        body = body.replace("%w1", "%r1").replace("%w2", "%r6").replace("%w3", "%r7");
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            long out = run.buffer(1024);
            run.launch(
                    "k",
                    Extent.of(8),
                    Extent.of(1),
                    LaunchOptions.plain().engine(engine).threads(4),
                    out);
            assertArrayEquals(new int[8], run.ints(out, 8));
        }
    }

    @ParameterizedTest
    @EnumSource
    void pairsOfWordsAreHandedOnWhole(LaunchOptions.Engine engine) {
        pairsAreHandedOnWhole(engine, "u32", "%w#");
    }

    @ParameterizedTest
    @EnumSource
    void pairsOfLongsAreHandedOnWhole(LaunchOptions.Engine engine) {
        pairsAreHandedOnWhole(engine, "u64", "%q#");
    }

    /** What an ordered pair holds, for registers of other types and a part that is dropped. */
    @ParameterizedTest
    @EnumSource
    void orderedPairsHoldWhatOthersDo(LaunchOptions.Engine engine) {
        String body = """
                mov.f32 %f1, 0f40490FDB;
                st.volatile.global.v2.f32 [%rd0+64], {%f1, 0fBF800000};
                ld.acquire.gpu.global.v2.s32 {%rd5, %rd6}, [%rd0+64];
                ld.volatile.global.v2.f32 {_, %f2}, [%rd0+64];
                st.global.u64 [%rd0], %rd5;
                st.global.u64 [%rd0+8], %rd6;
                st.global.f32 [%rd0+16], %f2;
                """;
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            long out = run.buffer(128);
            run.launch("k", Extent.of(1), Extent.of(1), LaunchOptions.plain().engine(engine), out);
            assertArrayEquals(new int[] {0x40490fdb, 0, 0xbf800000, -1, 0xbf800000}, run.ints(out, 5));
        }
    }

    @ParameterizedTest
    @EnumSource
    void onlyTheBlocksAskedForRun(LaunchOptions.Engine engine) {
        try (Run run = new Run("k.ptx", Texts.kernel(1, "mov.u32 %r0, 1;\n" + STORE))) {
            long out = run.buffer(64);
            run.launch(
                    "k",
                    Extent.of(4, 2),
                    Extent.of(1),
                    LaunchOptions.plain().engine(engine).blocks(List.of(1L, 3L)),
                    out);
            assertArrayEquals(new int[] {0, 1, 0, 1}, run.ints(out, 4));
            assertEquals(8, new Extent(4, 2, 1).count());
        }
    }

    /** grid.sync() of cooperative groups, as nvcc compiles it: all blocks write, meet, and read what another wrote. */
    @ParameterizedTest
    @EnumSource
    void cooperativeGridsMeet(LaunchOptions.Engine engine) {
        try (Run run = new Run("grid.ptx", Texts.resource("grid.ptx"))) {
            long out = run.buffer(4L * 320);
            run.launch(
                    "k",
                    Extent.of(5),
                    Extent.of(64),
                    LaunchOptions.plain().engine(engine).threads(2),
                    out);
            int[] expected = IntStream.range(0, 320).map(i -> 319 - i).toArray();
            assertArrayEquals(expected, run.ints(out, 320));
        }
    }
}
