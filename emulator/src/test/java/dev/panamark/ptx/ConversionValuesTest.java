package dev.panamark.ptx;

import static dev.panamark.ptx.HandValues.gives;
import static dev.panamark.ptx.HandValues.of16;
import static dev.panamark.ptx.HandValues.of32;
import static dev.panamark.ptx.HandValues.of64;
import static dev.panamark.ptx.HandValues.predicate;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code cvt} and {@code testp} against the tables and notes of the PTX ISA 9.0; roundings by hand. */
class ConversionValuesTest {
    private static final String NAN32 = "7fc00000";
    private static final String NAN64 = "7ff8000000000000";

    /** Notes of cvt: 0 if the source is not f64 and the target not of 64 bits, else 1 &lt;&lt; (bits - 1). */
    static Stream<Arguments> nan() {
        return Stream.of(
                gives(of32(NAN32, "cvt.rzi.s32.f32 %r0, %f1;"), 0),
                gives(of32(NAN32, "cvt.rni.s32.f32 %r0, %f1;"), 0),
                gives(of32(NAN32, "cvt.rzi.u32.f32 %r0, %f1;"), 0),
                gives(of32(NAN32, "cvt.rzi.s16.f32 %r0, %f1;"), 0),
                gives(of16("7e00", "cvt.rzi.s32.f16 %r0, %h1;"), 0),
                gives(of16("7fc0", "cvt.rzi.u32.bf16 %r0, %h1;"), 0),
                gives(of32(NAN32, "cvt.rzi.s64.f32 %rd1, %f1;\nmov.b64 {%r1, %r0}, %rd1;"), 0x80000000),
                gives(of32(NAN32, "cvt.rzi.u64.f32 %rd1, %f1;\nmov.b64 {%r1, %r0}, %rd1;"), 0x80000000),
                gives(of32(NAN32, "cvt.rzi.u64.f32 %rd1, %f1;\nmov.b64 {%r0, %r1}, %rd1;"), 0),
                gives(of16("7e00", "cvt.rzi.s64.f16 %rd1, %h1;\nmov.b64 {%r1, %r0}, %rd1;"), 0x80000000),
                gives(of64(NAN64, "cvt.rzi.s32.f64 %r0, %d1;"), 0x80000000),
                gives(of64(NAN64, "cvt.rzi.u32.f64 %r0, %d1;"), 0x80000000),
                gives(of64(NAN64, "cvt.rzi.s16.f64 %h2, %d1;\ncvt.u32.u16 %r0, %h2;"), 0x8000),
                gives(of64(NAN64, "cvt.rzi.u16.f64 %h2, %d1;\ncvt.u32.u16 %r0, %h2;"), 0x8000),
                gives(of64(NAN64, "cvt.rzi.u8.f64 %r0, %d1;"), 0x80),
                gives(of64(NAN64, "cvt.rzi.s8.f64 %r0, %d1;"), -128),
                gives(of64(NAN64, "cvt.rzi.s64.f64 %rd1, %d1;\nmov.b64 {%r1, %r0}, %rd1;"), 0x80000000),
                gives(of64(NAN64, "cvt.rzi.u64.f64 %rd1, %d1;\nmov.b64 {%r1, %r0}, %rd1;"), 0x80000000));
    }

    /** 2.5, -2.5 and 3.5 are ties, 3e9 and -3e9 beyond s32, 1e10 beyond u32. */
    static Stream<Arguments> toInteger() {
        return Stream.of(
                gives(of32("40200000", "cvt.rni.s32.f32 %r0, %f1;"), 2),
                gives(of32("40600000", "cvt.rni.s32.f32 %r0, %f1;"), 4),
                gives(of32("40200000", "cvt.rpi.s32.f32 %r0, %f1;"), 3),
                gives(of32("c0200000", "cvt.rzi.s32.f32 %r0, %f1;"), -2),
                gives(of32("c0200000", "cvt.rmi.s32.f32 %r0, %f1;"), -3),
                gives(of32("c0200000", "cvt.rpi.s32.f32 %r0, %f1;"), -2),
                gives(of32("c0200000", "cvt.rzi.u32.f32 %r0, %f1;"), 0),
                gives(of32("4f32d05e", "cvt.rzi.s32.f32 %r0, %f1;"), Integer.MAX_VALUE),
                gives(of32("cf32d05e", "cvt.rzi.s32.f32 %r0, %f1;"), Integer.MIN_VALUE),
                gives(of32("501502f9", "cvt.rzi.u32.f32 %r0, %f1;"), -1),
                gives(of32("7f800000", "cvt.rzi.u8.f32 %r0, %f1;"), 255),
                gives(of32("00000001", "cvt.rpi.s32.f32 %r0, %f1;"), 1),
                gives(of32("00000001", "cvt.rpi.ftz.s32.f32 %r0, %f1;"), 0),
                gives(of64("4002000000000000", "cvt.rni.s32.f64 %r0, %d1;"), 2));
    }

    /** bf16 keeps 7 bits: 1 + 2^-8 is a tie to 1, 1 + 3 * 2^-8 one to 1 + 2^-6, 1 + 2^-8 + 2^-23 above the tie. */
    static Stream<Arguments> toHalf() {
        String store = "\ncvt.u32.u16 %r0, %h2;";
        return Stream.of(
                gives(of32("3f808000", "cvt.rn.bf16.f32 %h2, %f1;" + store), 0x3f80),
                gives(of32("3f818000", "cvt.rn.bf16.f32 %h2, %f1;" + store), 0x3f82),
                gives(of32("3f808001", "cvt.rn.bf16.f32 %h2, %f1;" + store), 0x3f81),
                gives(of32("3f80ffff", "cvt.rz.bf16.f32 %h2, %f1;" + store), 0x3f80),
                gives(of32("bf808000", "cvt.rn.relu.bf16.f32 %h2, %f1;" + store), 0),
                gives(of32(NAN32, "cvt.rn.relu.bf16.f32 %h2, %f1;" + store), 0x7fff),
                gives(of32("7f7fffff", "cvt.rn.bf16.f32 %h2, %f1;" + store), 0x7f80),
                gives(of32("7f7fffff", "cvt.rn.satfinite.bf16.f32 %h2, %f1;" + store), 0x7f7f),
                gives(of32("477ff000", "cvt.rn.f16.f32 %h2, %f1;" + store), 0x7c00),
                gives(of32("477ff000", "cvt.rz.f16.f32 %h2, %f1;" + store), 0x7bff),
                gives(of32("477ff000", "cvt.rn.satfinite.f16.f32 %h2, %f1;" + store), 0x7bff),
                gives(of32("40000000", "cvt.rn.sat.f16.f32 %h2, %f1;" + store), 0x3c00));
    }

    /** tf32 keeps 10 bits: 1 + 2^-11 is a tie; rna goes away from zero, rn to even. */
    static Stream<Arguments> toTf32() {
        return Stream.of(
                gives(of32("3f801000", "cvt.rna.tf32.f32 %r0, %f1;"), 0x3f802000),
                gives(of32("3f801000", "cvt.rn.tf32.f32 %r0, %f1;"), 0x3f800000),
                gives(of32("3f803000", "cvt.rn.tf32.f32 %r0, %f1;"), 0x3f804000),
                gives(of32("3f803000", "cvt.rz.tf32.f32 %r0, %f1;"), 0x3f802000),
                gives(of32("7f7fffff", "cvt.rna.tf32.f32 %r0, %f1;"), 0x7f800000),
                gives(of32("7f7fffff", "cvt.rna.satfinite.tf32.f32 %r0, %f1;"), 0x7f7fe000),
                gives(of32("ff800000", "cvt.rn.satfinite.tf32.f32 %r0, %f1;"), 0xff7fe000),
                gives(of32("bf800000", "cvt.rn.relu.tf32.f32 %r0, %f1;"), 0),
                gives(
                        predicate(of32(
                                NAN32,
                                "cvt.rn.relu.tf32.f32 %r1, %f1;\nmov.b32 %f2, %r1;\ntestp.notanumber.f32 %p1, %f2;")),
                        1));
    }

    /** testp: zeros of both signs are normal. */
    static Stream<Arguments> properties() {
        return Stream.of(
                gives(predicate(of32("00000000", "testp.normal.f32 %p1, %f1;")), 1),
                gives(predicate(of32("80000000", "testp.normal.f32 %p1, %f1;")), 1),
                gives(predicate(of32("00000001", "testp.normal.f32 %p1, %f1;")), 0),
                gives(predicate(of32("00800000", "testp.normal.f32 %p1, %f1;")), 1),
                gives(predicate(of32("7f800000", "testp.normal.f32 %p1, %f1;")), 0),
                gives(predicate(of32(NAN32, "testp.normal.f32 %p1, %f1;")), 0),
                gives(predicate(of64("8000000000000000", "testp.normal.f64 %p1, %d1;")), 1),
                gives(predicate(of64("0000000000000001", "testp.normal.f64 %p1, %d1;")), 0),
                gives(predicate(of32("00000000", "testp.subnormal.f32 %p1, %f1;")), 0),
                gives(predicate(of32("007fffff", "testp.subnormal.f32 %p1, %f1;")), 1),
                gives(predicate(of32("ff800000", "testp.infinite.f32 %p1, %f1;")), 1),
                gives(predicate(of32("7f7fffff", "testp.infinite.f32 %p1, %f1;")), 0),
                gives(predicate(of32("7f800000", "testp.finite.f32 %p1, %f1;")), 0),
                gives(predicate(of32("7f7fffff", "testp.finite.f32 %p1, %f1;")), 1),
                gives(predicate(of32("7f800000", "testp.number.f32 %p1, %f1;")), 1),
                gives(predicate(of32(NAN32, "testp.number.f32 %p1, %f1;")), 0),
                gives(predicate(of64(NAN64, "testp.notanumber.f64 %p1, %d1;")), 1),
                gives(predicate(of64("3ff0000000000000", "testp.notanumber.f64 %p1, %d1;")), 0));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"nan", "toInteger", "toHalf", "toTf32", "properties"})
    void is(String body, int[] expected) {
        HandValues.check(body, expected);
    }
}
