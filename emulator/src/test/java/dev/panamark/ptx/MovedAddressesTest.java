package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Counts of loads in a loop that moves their addresses: by the same in all lanes, in those of a row, or not; beside the same
 * addresses gone through one by one.
 */
class MovedAddressesTest {
    private static final int TURNS = 9;
    private static final int BLOCKS = 3;
    private static final int WARP = 32;
    private static final long SECTOR = 32;

    /** Bytes of a row of threads, and of a block, in memory. */
    private static final int ROW = 1024;

    private static final int BLOCK = 16384;

    /** Of what the loads are of one thread, in the order of their instructions. */
    private static final int[] OFFSETS = {0, 4, 36, 128};

    /** What is added to the address of thread x, y in a turn. */
    interface Step {
        int of(int x, int y, int turn);
    }

    private static Arguments steps(String name, String lines, Step step) {
        return Arguments.of(name, lines, step);
    }

    static Stream<Arguments> moves() {
        return Stream.of(
                steps("by a constant", "add.s64 %rd2, %rd2, 64;", (x, y, turn) -> 64),
                steps("within a sector", "add.s64 %rd2, %rd2, 4;", (x, y, turn) -> 4),
                steps("by the block", "add.s64 %rd2, %rd2, %rd6;", (x, y, turn) -> 96),
                steps("by row", "add.s64 %rd2, %rd2, %rd7;", (x, y, turn) -> 8 * y),
                steps("by lane", "add.s64 %rd2, %rd2, %rd8;", (x, y, turn) -> 12 * x),
                steps("some lanes", "@%p1 add.s64 %rd2, %rd2, 32;", (x, y, turn) -> x < 3 ? 32 : 0),
                steps(
                        "some lanes in a branch",
                        "@!%p1 bra STAY;\nadd.s64 %rd2, %rd2, 32;\nSTAY:",
                        (x, y, turn) -> x < 3 ? 32 : 0),
                steps(
                        "all, and later not",
                        "add.s64 %rd2, %rd2, 64;\nsetp.lt.u32 %p3, %r6, 4;\n@%p3 bra STAY;\nadd.s64 %rd2, %rd2, %rd7;\nSTAY:",
                        (x, y, turn) -> 64 + (turn < 4 ? 0 : 8 * y)));
    }

    private static String text(String lines) {
        StringBuilder loads = new StringBuilder();
        for (int i = 0; i < OFFSETS.length; i++) {
            loads.append("ld.global.u32 %r")
                    .append(10 + i)
                    .append(", [%rd2+")
                    .append(OFFSETS[i])
                    .append("];\n");
        }
        return Texts.kernel(
                1, """
                mov.u32 %r1, %tid.x;
                mov.u32 %r2, %tid.y;
                mov.u32 %r3, %ctaid.x;
                shl.b32 %r4, %r1, 2;
                mad.lo.u32 %r4, %r2, 1024, %r4;
                mad.lo.u32 %r4, %r3, 16384, %r4;
                cvt.u64.u32 %rd1, %r4;
                add.s64 %rd2, %rd0, %rd1;
                mov.u32 %r5, %nctaid.x;
                mul.wide.u32 %rd6, %r5, 32;
                mul.wide.u32 %rd7, %r2, 8;
                mul.wide.u32 %rd8, %r1, 12;
                setp.lt.u32 %p1, %r1, 3;
                mov.u32 %r6, 0;
                LOOP:
                LOADS
                bar.sync 0;
                MOVE
                add.u32 %r6, %r6, 1;
                setp.lt.u32 %p2, %r6, TURNS;
                @%p2 bra LOOP;
                """.replace("LOADS", loads).replace("MOVE", lines).replace("TURNS", String.valueOf(TURNS)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("moves")
    void sectorsAreThoseOfTheAddresses(String name, String lines, Step step) {
        for (Extent block : new Extent[] {Extent.of(64), Extent.of(16, 4), Extent.of(8, 8), Extent.of(24, 2)}) {
            for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
                try (Run run = new Run("k.ptx", text(lines))) {
                    long out = run.buffer(BLOCKS * BLOCK + 2 * ROW);
                    LaunchOptions options = LaunchOptions.plain().engine(engine).counting(true);
                    Counts counts = run.launch("k", Extent.of(BLOCKS), block, options, out);
                    check(engine + ", block " + block, counts, out, block, step);
                }
            }
        }
    }

    private static void check(String where, Counts counts, long out, Extent block, Step step) {
        int threads = (int) block.count();
        long requests = 0;
        long sectors = 0;
        Set<Long> all = new HashSet<>();
        for (int number = 0; number < BLOCKS; number++) {
            long[] addresses = new long[threads];
            for (int i = 0; i < threads; i++) {
                addresses[i] = out + (long) number * BLOCK + (long) (i / block.x()) * ROW + 4L * (i % block.x());
            }
            for (int turn = 0; turn < TURNS; turn++) {
                for (int first = 0; first < threads; first += WARP) {
                    for (int offset : OFFSETS) {
                        Set<Long> touched = new HashSet<>();
                        for (int i = first; i < Math.min(threads, first + WARP); i++) {
                            touched.add((addresses[i] + offset) / SECTOR);
                        }
                        requests++;
                        sectors += touched.size();
                        all.addAll(touched);
                    }
                }
                for (int i = 0; i < threads; i++) {
                    addresses[i] += step.of(i % block.x(), i / block.x(), turn);
                }
            }
        }
        assertEquals(requests, counts.total().globalRequests(), where);
        assertEquals(sectors, counts.total().globalSectors(), where);
        assertEquals(SECTOR * all.size(), counts.bytesRead(), where);
    }
}
