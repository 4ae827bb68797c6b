package dev.panamark.ptx;

import static dev.panamark.ptx.HandValues.gives;
import static dev.panamark.ptx.HandValues.predicate;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** NaN, subnormals and saturation, worked out by hand from the descriptions of the PTX ISA 9.0. */
class RealValuesTest {
    private static final String NAN = "0f7FC00000";
    private static final String ONE = "0f3F800000";
    private static final String TWO = "0f40000000";

    /** Of 1 and 2, of 1 and 1, and of NaN and 1; those with u are true of NaN. */
    static Stream<Arguments> comparisons() {
        String[] names = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
        String[] expected = {
            "010", "100", "100", "110", "000", "010", "011", "101", "101", "111", "001", "011", "110", "001"
        };
        List<Arguments> all = new ArrayList<>();
        String[] pairs = {ONE + ", " + TWO, ONE + ", " + ONE, NAN + ", " + ONE};
        for (int i = 0; i < names.length; i++) {
            for (int k = 0; k < pairs.length; k++) {
                int is = expected[i].charAt(k) - '0';
                all.add(gives(predicate("setp." + names[i] + ".f32 %p1, " + pairs[k] + ";"), is));
                all.add(gives("set." + names[i] + ".u32.f32 %r0, " + pairs[k] + ";", -is));
                all.add(gives(
                        "set." + names[i] + ".f32.f32 %f1, " + pairs[k] + ";\nmov.b32 %r0, %f1;", is * 0x3f800000));
                String wide = "mov.f32 %f1, " + pairs[k].replace(", ", ";\nmov.f32 %f2, ")
                        + ";\ncvt.f64.f32 %d1, %f1;\ncvt.f64.f32 %d2, %f2;\n";
                all.add(gives(wide + predicate("setp." + names[i] + ".f64 %p1, %d1, %d2;"), is));
            }
        }
        all.add(gives(predicate("setp.eq.f32 %p1, 0f80000000, 0f00000000;"), 1));
        all.add(gives(predicate("setp.lt.ftz.f32 %p1, 0f00000000, 0f00000001;"), 0));
        all.add(gives(predicate("setp.lt.f32 %p1, 0f00000000, 0f00000001;"), 1));
        return all.stream();
    }

    private static Arguments real(String instruction, String operands, int expected) {
        return gives(instruction + " %f1, " + operands + ";\nmov.b32 %r0, %f1;", expected);
    }

    private static Arguments isNan(String instruction, String operands) {
        return gives(predicate(instruction + " %f1, " + operands + ";\ntestp.notanumber.f32 %p1, %f1;"), 1);
    }

    /** A number wins against NaN unless .NaN is said; -0 is less than +0. */
    static Stream<Arguments> extremes() {
        return Stream.of(
                real("min.f32", NAN + ", " + ONE, 0x3f800000),
                real("min.f32", ONE + ", " + NAN, 0x3f800000),
                real("max.f32", NAN + ", " + ONE, 0x3f800000),
                isNan("min.f32", NAN + ", " + NAN),
                isNan("min.NaN.f32", NAN + ", " + ONE),
                isNan("max.NaN.f32", ONE + ", " + NAN),
                real("min.NaN.f32", ONE + ", " + TWO, 0x3f800000),
                real("min.f32", "0f00000000, 0f80000000", 0x80000000),
                real("max.f32", "0f80000000, 0f00000000", 0),
                real("max.xorsign.abs.f32", "0fC0400000, 0f40000000", 0xc0400000),
                real("max.xorsign.abs.f32", "0fC0400000, 0fC0000000", 0x40400000),
                real("min.ftz.f32", "0f80000001, 0f3F800000", 0x80000000));
    }

    /** 2^-149 is the least subnormal, 2^-126 half of it a subnormal too. */
    static Stream<Arguments> flushed() {
        return Stream.of(
                real("add.f32", "0f00000001, 0f00000001", 2),
                real("add.ftz.f32", "0f00000001, 0f00000001", 0),
                real("add.ftz.f32", "0f80000001, 0f80000001", 0x80000000),
                real("mul.f32", "0f80800000, 0f3F000000", 0x80400000),
                real("mul.ftz.f32", "0f80800000, 0f3F000000", 0x80000000),
                real("fma.rn.ftz.f32", "0f00800000, 0f3F000000, 0f00000000", 0),
                real("abs.ftz.f32", "0f80000001", 0),
                real("neg.ftz.f32", "0f00000001", 0x80000000),
                gives("mov.b16 %h1, 0x0001;\nadd.ftz.f16 %h2, %h1, %h1;\ncvt.u32.u16 %r0, %h2;", 0),
                gives("mov.b16 %h1, 0x0001;\nadd.f16 %h2, %h1, %h1;\ncvt.u32.u16 %r0, %h2;", 2));
    }

    static Stream<Arguments> saturated() {
        return Stream.of(
                real("add.sat.f32", ONE + ", " + ONE, 0x3f800000),
                real("add.sat.f32", "0fBF800000, " + "0fBF800000", 0),
                real("add.sat.f32", NAN + ", " + ONE, 0),
                real("add.sat.f32", "0f3E800000, 0f3E800000", 0x3f000000),
                real("mul.sat.f32", TWO + ", " + TWO, 0x3f800000),
                real("fma.rn.sat.f32", TWO + ", " + TWO + ", 0fC0A00000", 0),
                gives("mov.b16 %h1, 0x4000;\nadd.sat.f16 %h2, %h1, %h1;\ncvt.u32.u16 %r0, %h2;", 0x3c00),
                gives("mov.b16 %h1, 0x7e00;\nadd.sat.f16 %h2, %h1, %h1;\ncvt.u32.u16 %r0, %h2;", 0),
                gives("max.s32.relu %r0, -5, -3;", 0),
                gives("min.s16x2.relu %r0, 0x0005fff0, 0x00070007;", 0x00050000));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"comparisons", "extremes", "flushed", "saturated"})
    void is(String body, int[] expected) {
        HandValues.check(body, expected);
    }
}
