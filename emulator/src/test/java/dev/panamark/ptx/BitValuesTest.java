package dev.panamark.ptx;

import static dev.panamark.ptx.HandValues.gives;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Fields, permutations and dot products, worked out by hand from the descriptions of the PTX ISA 9.0. */
class BitValuesTest {
    private static Arguments prmt(String mode, String selector, int expected) {
        return gives("prmt.b32" + mode + " %r0, 0x33221100, 0x77665544, " + selector + ";", expected);
    }

    /** Byte n of the eight is 0x11 * n. */
    static Stream<Arguments> permutations() {
        return Stream.of(
                prmt("", "0x7531", 0x77553311),
                prmt("", "0x3210", 0x33221100),
                prmt("", "0x0246", 0x00224466),
                prmt("", "0xfedc", 0),
                gives("prmt.b32 %r0, 0xf0, 0, 0x0008;", 0xf0f0f0ff),
                gives("prmt.b32 %r0, 0, 0x80000000, 0xf7f7;", 0xff80ff80),
                prmt(".f4e", "1", 0x44332211),
                prmt(".f4e", "3", 0x66554433),
                prmt(".b4e", "0", 0x55667700),
                prmt(".b4e", "1", 0x66770011),
                prmt(".rc8", "2", 0x22222222),
                prmt(".ecl", "2", 0x33222222),
                prmt(".ecl", "0", 0x33221100),
                prmt(".ecr", "2", 0x22221100),
                prmt(".ecr", "0", 0x00000000),
                prmt(".rc16", "1", 0x33223322),
                prmt(".rc16", "2", 0x11001100));
    }

    /** A field's sign is its top bit, and bit 31 where it reaches beyond. */
    static Stream<Arguments> fields() {
        return Stream.of(
                gives("bfe.s32 %r0, 0xf0, 4, 4;", -1),
                gives("bfe.s32 %r0, 0xf0, 4, 5;", 15),
                gives("bfe.s32 %r0, 0x80000000, 28, 8;", 0xfffffff8),
                gives("bfe.s32 %r0, 0x80000000, 32, 4;", -1),
                gives("bfe.s32 %r0, 0x7fffffff, 32, 4;", 0),
                gives("bfe.s32 %r0, 0xffffffff, 3, 0;", 0),
                gives("bfe.s32 %r0, 0x80000001, 0, 32;", 0x80000001),
                gives("szext.clamp.s32 %r0, 0x80, 8;", 0xffffff80),
                gives("szext.clamp.u32 %r0, 0x1ff, 8;", 0xff),
                gives("szext.clamp.s32 %r0, 0x80000001, 40;", 0x80000001),
                gives("szext.wrap.s32 %r0, 0x80000001, 40;", 1),
                gives("szext.wrap.u32 %r0, 0xffffffff, 32;", 0),
                gives("bmsk.clamp.b32 %r0, 4, 8;", 0xff0),
                gives("bmsk.clamp.b32 %r0, 28, 8;", 0xf0000000),
                gives("bmsk.clamp.b32 %r0, 4, 32;", 0xfffffff0),
                gives("bmsk.wrap.b32 %r0, 4, 32;", 0),
                gives("bmsk.clamp.b32 %r0, 32, 4;", 0),
                gives("bmsk.wrap.b32 %r0, 33, 2;", 6),
                gives("shf.l.clamp.b32 %r0, 0x80000000, 1, 0;", 1),
                gives("shf.l.clamp.b32 %r0, 0x80000000, 1, 1;", 3),
                gives("shf.l.clamp.b32 %r0, 0x80000000, 1, 32;", 0x80000000),
                gives("shf.l.clamp.b32 %r0, 0x80000000, 1, 40;", 0x80000000));
    }

    /** Bytes 3, 2, -1 or 255, and 1 times 1, 2, 3 and 4; halves -1 or 65535 and 2. */
    static Stream<Arguments> products() {
        return Stream.of(
                gives("dp4a.s32.s32 %r0, 0x01ff0203, 0x04030201, 100;", 108),
                gives("dp4a.u32.u32 %r0, 0x01ff0203, 0x04030201, 100;", 876),
                gives("dp4a.u32.s32 %r0, 0xff, 0xff, 100;", 100 - 255),
                gives("dp4a.s32.u32 %r0, 0xff, 0xff, 100;", 100 - 255),
                gives("dp2a.lo.s32.s32 %r0, 0x0002ffff, 0x04030201, 10;", 13),
                gives("dp2a.hi.s32.s32 %r0, 0x0002ffff, 0x04030201, 10;", 15),
                gives("dp2a.lo.u32.u32 %r0, 0x0002ffff, 0x04030201, 10;", 65549),
                gives("dp2a.hi.u32.s32 %r0, 0x0002ffff, 0xff000000, 10;", 8));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"permutations", "fields", "products"})
    void is(String body, int[] expected) {
        HandValues.check(body, expected);
    }
}
