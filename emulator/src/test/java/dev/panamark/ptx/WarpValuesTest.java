package dev.panamark.ptx;

import static dev.panamark.ptx.HandValues.gives;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What lanes do together and atomics, worked out by hand from the descriptions of the PTX ISA 9.0. */
class WarpValuesTest {
    private static Arguments lanes(String body, IntUnaryOperator expected) {
        return gives(
                "mov.u32 %r1, %laneid;\n" + body,
                IntStream.range(0, 32).map(expected).toArray());
    }

    private static String inRange(String shuffle) {
        return shuffle + "\nselp.u32 %r0, 1, 0, %p1;";
    }

    /** c holds the last lane in bits 0 to 4, and in 8 to 12 the bits of the lane that stay. */
    static Stream<Arguments> shuffles() {
        return Stream.of(
                lanes("shfl.sync.up.b32 %r0, %r1, 3, 0, -1;", lane -> lane < 3 ? lane : lane - 3),
                lanes("shfl.sync.up.b32 %r0, %r1, 1, 0x1800, -1;", lane -> lane % 8 == 0 ? lane : lane - 1),
                lanes("shfl.sync.up.b32 %r0, %r1, 2, 5, -1;", lane -> lane < 7 ? lane : lane - 2),
                lanes("shfl.sync.down.b32 %r0, %r1, 2, 31, -1;", lane -> lane < 30 ? lane + 2 : lane),
                lanes("shfl.sync.down.b32 %r0, %r1, 3, 0x181f, -1;", lane -> lane % 8 < 5 ? lane + 3 : lane),
                lanes("shfl.sync.down.b32 %r0, %r1, 1, 9, -1;", lane -> lane <= 8 ? lane + 1 : lane),
                lanes("shfl.sync.bfly.b32 %r0, %r1, 5, 31, -1;", lane -> lane ^ 5),
                lanes("shfl.sync.bfly.b32 %r0, %r1, 16, 15, -1;", lane -> lane < 16 ? lane : lane - 16),
                lanes("shfl.sync.idx.b32 %r0, %r1, 5, 31, -1;", lane -> 5),
                lanes("shfl.sync.idx.b32 %r0, %r1, 40, 31, -1;", lane -> 8),
                lanes("shfl.sync.idx.b32 %r0, %r1, 5, 0x1c1f, -1;", lane -> lane / 4 * 4 + 1),
                lanes("shfl.sync.idx.b32 %r0, %r1, 20, 10, -1;", lane -> lane),
                lanes(inRange("shfl.sync.up.b32 %r2|%p1, %r1, 3, 0, -1;"), lane -> lane < 3 ? 0 : 1),
                lanes(inRange("shfl.sync.down.b32 %r2|%p1, %r1, 3, 0x181f, -1;"), lane -> lane % 8 < 5 ? 1 : 0),
                lanes(inRange("shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 15, -1;"), lane -> lane < 16 ? 0 : 1),
                lanes(inRange("shfl.sync.idx.b32 %r2|%p1, %r1, 20, 10, -1;"), lane -> 0));
    }

    private static String vote(String mode, int below) {
        return "setp.lt.u32 %p2, %r1, " + below + ";\nvote.sync." + mode + ".pred %p1, %p2, -1;\n"
                + "selp.u32 %r0, 1, 0, %p1;";
    }

    static Stream<Arguments> votes() {
        return Stream.of(
                lanes(vote("all", 5), lane -> 0),
                lanes(vote("all", 32), lane -> 1),
                lanes(vote("any", 5), lane -> 1),
                lanes(vote("any", 0), lane -> 0),
                lanes(vote("uni", 5), lane -> 0),
                lanes(vote("uni", 0), lane -> 1),
                lanes(vote("uni", 32), lane -> 1),
                lanes("setp.lt.u32 %p2, %r1, 5;\nvote.sync.ballot.b32 %r0, %p2, -1;", lane -> 0x1f),
                lanes("setp.lt.u32 %p2, %r1, 5;\nvote.sync.ballot.b32 %r0, !%p2, -1;", lane -> 0xffffffe0));
    }

    /** 0x49249249 has every third bit from 0 on. */
    static Stream<Arguments> matches() {
        return Stream.of(
                lanes(
                        "rem.u32 %r2, %r1, 3;\nmatch.any.sync.b32 %r0, %r2, -1;",
                        lane -> switch (lane % 3) {
                            case 0 -> 0x49249249;
                            case 1 -> 0x92492492;
                            default -> 0x24924924;
                        }),
                lanes(
                        "shr.u32 %r2, %r1, 4;\nmov.b64 %rd1, {7, %r2};\nmatch.any.sync.b64 %r0, %rd1, -1;",
                        lane -> lane < 16 ? 0xffff : 0xffff0000),
                lanes("match.all.sync.b32 %r0|%p1, 7, -1;", lane -> -1),
                lanes("match.all.sync.b32 %r2|%p1, 7, -1;\nselp.u32 %r0, 1, 0, %p1;", lane -> 1),
                lanes("shr.u32 %r2, %r1, 4;\nmatch.all.sync.b32 %r0|%p1, %r2, -1;", lane -> 0),
                lanes(
                        "shr.u32 %r2, %r1, 4;\nmatch.all.sync.b32 %r3|%p1, %r2, -1;\nselp.u32 %r0, 1, 0, %p1;",
                        lane -> 0));
    }

    /** Of 0 to 31, of -5 to 26, and of single bits. */
    static Stream<Arguments> reductions() {
        return Stream.of(
                lanes("redux.sync.add.u32 %r0, %r1, -1;", lane -> 496),
                lanes("sub.s32 %r2, %r1, 5;\nredux.sync.add.s32 %r0, %r2, -1;", lane -> 336),
                lanes("sub.s32 %r2, %r1, 5;\nredux.sync.min.s32 %r0, %r2, -1;", lane -> -5),
                lanes("sub.s32 %r2, %r1, 5;\nredux.sync.max.s32 %r0, %r2, -1;", lane -> 26),
                lanes("sub.s32 %r2, %r1, 5;\nredux.sync.min.u32 %r0, %r2, -1;", lane -> 0),
                lanes("sub.s32 %r2, %r1, 5;\nredux.sync.max.u32 %r0, %r2, -1;", lane -> -1),
                lanes("or.b32 %r2, %r1, 64;\nredux.sync.and.b32 %r0, %r2, -1;", lane -> 64),
                lanes("redux.sync.or.b32 %r0, %r1, -1;", lane -> 31),
                lanes("shl.b32 %r2, 1, %r1;\nredux.sync.xor.b32 %r0, %r2, -1;", lane -> -1),
                lanes("redux.sync.xor.b32 %r0, %r1, -1;", lane -> 0));
    }

    /** Lane 0 makes {@code now} of {@code before}; all see what was there and what is. */
    private static Stream<Arguments> atomic(String operation, String before, String operands, int was, int now) {
        String global = "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.b32 [%rd0+128], " + before + ";\n@%p1 atom.global."
                + operation + " %r2, [%rd0+128], " + operands + ";\nbar.warp.sync -1;\n";
        String shared =
                ".shared .b32 s[1];\n" + global.replace(".global", ".shared").replace("%rd0+128", "s");
        String old = "shfl.sync.idx.b32 %r0, %r2, 0, 31, -1;";
        return Stream.of(
                lanes(global + old, lane -> was),
                lanes(global + "ld.global.b32 %r0, [%rd0+128];", lane -> now),
                lanes(shared + old, lane -> was),
                lanes(shared + "ld.shared.b32 %r0, [s];", lane -> now));
    }

    static Stream<Arguments> atomics() {
        return Stream.of(
                        atomic("exch.b32", "5", "9", 5, 9),
                        atomic("cas.b32", "5", "5, 9", 5, 9),
                        atomic("cas.b32", "5", "6, 9", 5, 5),
                        atomic("add.u32", "-1", "2", -1, 1),
                        atomic("min.s32", "-1", "3", -1, -1),
                        atomic("min.u32", "-1", "3", -1, 3),
                        atomic("max.s32", "-1", "3", -1, 3),
                        atomic("max.u32", "-1", "3", -1, -1),
                        atomic("and.b32", "12", "10", 12, 8),
                        atomic("or.b32", "12", "10", 12, 14),
                        atomic("xor.b32", "12", "10", 12, 6),
                        atomic("inc.u32", "5", "7", 5, 6),
                        atomic("inc.u32", "7", "7", 7, 0),
                        atomic("inc.u32", "9", "7", 9, 0),
                        atomic("dec.u32", "5", "7", 5, 4),
                        atomic("dec.u32", "0", "7", 0, 7),
                        atomic("dec.u32", "9", "7", 9, 7))
                .flatMap(cases -> cases);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"shuffles", "votes", "matches", "reductions", "atomics"})
    void is(String body, int[] expected) {
        HandValues.check(body, expected);
    }
}
