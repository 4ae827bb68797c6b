package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Parts of a warp that name their own lanes; expected values by hand. */
class TilesTest {
    private static final int THREADS = 64;

    private static int[] input() {
        return IntStream.range(0, THREADS).map(i -> i == 37 ? 77 : i * 7 % 20).toArray();
    }

    /** What {@code tile} of tiles.cu computes. */
    private static int tile(int[] values, int i, int size) {
        int[] tile = Arrays.copyOfRange(values, i / size * size, i / size * size + size);
        int sum = Arrays.stream(tile).sum();
        int odd = (int) Arrays.stream(tile).filter(v -> v % 2 == 1).count();
        int any = Arrays.stream(tile).anyMatch(v -> v == 77) ? 1 : 0;
        int below = i % size == 0 ? 0 : values[i - 1];
        return sum * 1000 + odd * 10 + any + below * 1000000 + tile[2] * 100;
    }

    private static int[] run(String kernel, LaunchOptions.Engine engine) {
        try (Run run = new Run("tiles.ptx", Texts.resource("tiles.ptx"))) {
            long buffer = run.buffer(input());
            run.launch(
                    kernel,
                    Extent.of(1),
                    Extent.of(THREADS),
                    LaunchOptions.plain().engine(engine),
                    buffer);
            return run.ints(buffer, THREADS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void ofSixteen(LaunchOptions.Engine engine) {
        int[] values = input();
        assertArrayEquals(
                IntStream.range(0, THREADS).map(i -> tile(values, i, 16)).toArray(), run("tiles16", engine));
    }

    @ParameterizedTest
    @EnumSource
    void ofEight(LaunchOptions.Engine engine) {
        int[] values = input();
        assertArrayEquals(
                IntStream.range(0, THREADS).map(i -> tile(values, i, 8)).toArray(), run("tiles8", engine));
    }

    @ParameterizedTest
    @EnumSource
    void ofEightInOneArmOfABranch(LaunchOptions.Engine engine) {
        int[] values = input();
        int[] expected = IntStream.range(0, THREADS)
                .map(i -> i / 8 % 3 == 1 ? values[i] + 1 : tile(values, i, 8))
                .toArray();
        assertArrayEquals(expected, run("apart8", engine));
    }

    private static final String MASKS = "mov.u32 %r1, %laneid;\nand.b32 %r2, %r1, 16;\nshl.b32 %r3, 0xffff, %r2;\n";

    /** Lanes 0 to 15 and 16 to 31 of one converged warp name only themselves. */
    @ParameterizedTest
    @EnumSource
    void executeTogetherWithTheirOwnMask(LaunchOptions.Engine engine) {
        String body = MASKS + "setp.gt.u32 %p1, %r1, 19;\nshfl.sync.bfly.b32 %r4, %r1, 8, 0x101f, %r3;\n"
                + "vote.sync.ballot.b32 %r5, %p1, %r3;\nvote.sync.all.pred %p2, %p1, %r3;\nredux.sync.add.u32 %r6, %r1, %r3;\n"
                + "match.any.sync.b32 %r7, 5, %r3;\nelect.sync %r8|%p3, %r3;\n";
        check(engine, body + "mov.u32 %r0, %r4;", lane -> lane ^ 8);
        check(engine, body + "mov.u32 %r0, %r5;", lane -> lane < 16 ? 0 : 0xfff00000);
        check(engine, body + "mov.u32 %r0, %r6;", lane -> lane < 16 ? 120 : 376);
        check(engine, body + "mov.u32 %r0, %r7;", lane -> lane < 16 ? 0xffff : 0xffff0000);
        check(engine, body + "selp.u32 %r0, 1, 0, %p3;", lane -> lane % 16 == 0 ? 1 : 0);
        check(engine, body + "mov.u32 %r0, %r8;", lane -> lane / 16 * 16);
    }

    /**
     * Lanes 24 to 31 come to the shuffle after lanes 0 and 1 have left it, so the half that is complete may not wait
     * for the other. The exit that nobody takes keeps the arms apart.
     */
    @ParameterizedTest
    @EnumSource
    void goOnWithoutThoseOfOtherMasks(LaunchOptions.Engine engine) {
        String body = MASKS + "setp.lt.u32 %p1, %r1, 24;\n@%p1 bra S;\nbar.warp.sync 0xff000003;\n"
                + "setp.eq.u32 %p3, %r1, 99;\n@%p3 exit;\nS:\nshfl.sync.bfly.b32 %r0, %r1, 8, 0x101f, %r3;\n"
                + "setp.gt.u32 %p2, %r1, 1;\n@%p2 bra E;\nbar.warp.sync 0xff000003;\nE:\n";
        check(engine, body, lane -> lane ^ 8);
    }

    private static void check(LaunchOptions.Engine engine, String body, IntUnaryOperator expected) {
        String store = "\nmul.wide.u32 %rd58, %r1, 4;\nadd.s64 %rd59, %rd0, %rd58;\nst.global.u32 [%rd59], %r0;";
        try (Run run = new Run("k.ptx", Texts.kernel(1, body + store))) {
            long out = run.buffer(128);
            run.launch("k", Extent.of(1), Extent.of(32), LaunchOptions.plain().engine(engine), out);
            int[] got = run.ints(out, 32);
            for (int lane = 0; lane < 32; lane++) {
                assertEquals(expected.applyAsInt(lane), got[lane], "lane " + lane + " of " + body);
            }
        }
    }
}
