package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Instructions against values computed another way, with whole numbers of any size or exact decimals. */
class SemanticsTest {
    private static final int THREADS = 256;
    private static final BigInteger WORD = BigInteger.ONE.shiftLeft(32);
    private static final BigInteger LONG = BigInteger.ONE.shiftLeft(64);

    /** Bits for each thread: edges first, then anything. */
    private static int[] words(long seed) {
        int[] edges = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 2, 31, 32, 33, 0x8000, 0xffff, 0x00ff00ff, 255};
        Random random = new Random(seed);
        int[] words = new int[THREADS];
        for (int i = 0; i < words.length; i++) {
            words[i] = switch (random.nextInt(3)) {
                case 0 -> edges[random.nextInt(edges.length)];
                case 1 -> random.nextInt(-50, 50);
                default -> random.nextInt();
            };
        }
        return words;
    }

    private static int[] floats(long seed) {
        float[] edges = {
            0f,
            -0f,
            1f,
            -1f,
            Float.MIN_VALUE,
            -Float.MIN_VALUE,
            Float.MIN_NORMAL,
            Float.MAX_VALUE,
            -Float.MAX_VALUE,
            Float.POSITIVE_INFINITY,
            Float.NEGATIVE_INFINITY,
            Float.NaN,
            0x1.fffffep-127f,
            3f,
            0.1f,
            2.5f,
            16777215f
        };
        Random random = new Random(seed);
        int[] words = new int[THREADS];
        for (int i = 0; i < words.length; i++) {
            words[i] = switch (random.nextInt(3)) {
                case 0 -> Float.floatToRawIntBits(edges[random.nextInt(edges.length)]);
                case 1 -> Float.floatToRawIntBits((random.nextFloat() - 0.5f) * 8);
                default ->
                    Float.floatToRawIntBits(
                            Math.scalb(1 + random.nextInt(1 << 23) * 0x1p-23f, random.nextInt(-140, 128))
                                    * (random.nextBoolean() ? 1 : -1));
            };
        }
        return words;
    }

    /** What a kernel stores in d, from a, b and c of each thread in registers of {@code bits}. */
    private static long[] run(String instruction, String register, int[][] inputs, LaunchOptions.Engine engine) {
        int bytes = register.equals("rd") || register.equals("d") ? 8 : 4;
        String type = bytes == 8 ? "b64" : "b32";
        StringBuilder body = new StringBuilder("mov.u32 %r70, %tid.x;\nmul.wide.u32 %rd50, %r70, " + bytes + ";\n");
        for (int i = 0; i < 3; i++) {
            body.append("add.s64 %rd51, %rd")
                    .append(i)
                    .append(", %rd50;\nld.global.")
                    .append(type)
                    .append(" %")
                    .append(register)
                    .append(20 + i)
                    .append(", [%rd51];\n");
        }
        String text = instruction
                .replaceAll("\\ba\\b", "%" + register + "20")
                .replaceAll("\\bb\\b", "%" + register + "21")
                .replaceAll("\\bc\\b", "%" + register + "22")
                .replaceAll("\\bd\\b", "%" + register + "23");
        body.append(text)
                .append("\nadd.s64 %rd51, %rd3, %rd50;\nst.global.")
                .append(type)
                .append(" [%rd51], %")
                .append(register)
                .append("23;");
        try (Run run = new Run(instruction, Texts.kernel(4, body.toString()))) {
            long[] pointers = new long[4];
            for (int i = 0; i < 3; i++) {
                pointers[i] = run.buffer(inputs[i]);
            }
            pointers[3] = run.buffer(8L * THREADS);
            run.launch(
                    "k", Extent.of(1), Extent.of(THREADS), LaunchOptions.plain().engine(engine), pointers);
            int[] words = run.ints(pointers[3], 2 * THREADS);
            long[] result = new long[THREADS];
            for (int i = 0; i < THREADS; i++) {
                result[i] = bytes == 4
                        ? words[i] & 0xffffffffL
                        : (words[2 * i] & 0xffffffffL) | (long) words[2 * i + 1] << 32;
            }
            return result;
        }
    }

    interface Whole {
        BigInteger of(BigInteger a, BigInteger b, BigInteger c);
    }

    private static Arguments signed(String instruction, Whole whole) {
        return Arguments.of(instruction, true, whole);
    }

    private static Arguments unsigned(String instruction, Whole whole) {
        return Arguments.of(instruction, false, whole);
    }

    private static BigInteger clamp(BigInteger value) {
        return value.min(WORD.shiftRight(1).subtract(BigInteger.ONE))
                .max(WORD.shiftRight(1).negate());
    }

    private static BigInteger shifted(BigInteger a, BigInteger n, boolean left) {
        int by = n.compareTo(BigInteger.valueOf(64)) > 0 ? 64 : n.intValue();
        return left ? a.shiftLeft(by) : a.shiftRight(by);
    }

    private static BigInteger guarded(BigInteger b, BigInteger result, BigInteger otherwise) {
        return b.signum() == 0 ? otherwise : result;
    }

    private static BigInteger or1(BigInteger b) {
        return b.signum() == 0 ? BigInteger.ONE : b;
    }

    static Stream<Arguments> whole() {
        BigInteger ones = BigInteger.ONE.negate();
        return Stream.of(
                signed("add.s32 d, a, b;", (a, b, c) -> a.add(b)),
                signed("sub.s32 d, a, b;", (a, b, c) -> a.subtract(b)),
                signed("mul.lo.s32 d, a, b;", (a, b, c) -> a.multiply(b)),
                signed("mul.hi.s32 d, a, b;", (a, b, c) -> a.multiply(b).shiftRight(32)),
                unsigned("mul.hi.u32 d, a, b;", (a, b, c) -> a.multiply(b).shiftRight(32)),
                signed("mad.lo.s32 d, a, b, c;", (a, b, c) -> a.multiply(b).add(c)),
                signed(
                        "mad.hi.s32 d, a, b, c;",
                        (a, b, c) -> a.multiply(b).shiftRight(32).add(c)),
                signed(
                        "mad.hi.sat.s32 d, a, b, c;",
                        (a, b, c) -> clamp(a.multiply(b).shiftRight(32).add(c))),
                signed("add.sat.s32 d, a, b;", (a, b, c) -> clamp(a.add(b))),
                signed("sub.sat.s32 d, a, b;", (a, b, c) -> clamp(a.subtract(b))),
                signed("div.s32 d, a, b;", (a, b, c) -> guarded(b, a.divide(or1(b)), ones)),
                unsigned("div.u32 d, a, b;", (a, b, c) -> guarded(b, a.divide(or1(b)), ones)),
                signed("rem.s32 d, a, b;", (a, b, c) -> guarded(b, a.remainder(or1(b)), a)),
                unsigned("rem.u32 d, a, b;", (a, b, c) -> guarded(b, a.remainder(or1(b)), a)),
                signed("min.s32 d, a, b;", (a, b, c) -> a.min(b)),
                unsigned("max.u32 d, a, b;", (a, b, c) -> a.max(b)),
                signed("abs.s32 d, a;", (a, b, c) -> a.abs()),
                signed("neg.s32 d, a;", (a, b, c) -> a.negate()),
                signed("sad.s32 d, a, b, c;", (a, b, c) -> a.subtract(b).abs().add(c)),
                unsigned("sad.u32 d, a, b, c;", (a, b, c) -> a.subtract(b).abs().add(c)),
                unsigned("shl.b32 d, a, b;", (a, b, c) -> shifted(a, b, true)),
                unsigned("shr.u32 d, a, b;", (a, b, c) -> shifted(a, b, false)),
                unsigned("and.b32 d, a, b;", (a, b, c) -> a.and(b)),
                unsigned("or.b32 d, a, b;", (a, b, c) -> a.or(b)),
                unsigned("xor.b32 d, a, b;", (a, b, c) -> a.xor(b)),
                unsigned("not.b32 d, a;", (a, b, c) -> a.not()),
                unsigned("popc.b32 d, a;", (a, b, c) -> BigInteger.valueOf(a.bitCount())),
                unsigned("clz.b32 d, a;", (a, b, c) -> BigInteger.valueOf(32 - a.bitLength())),
                unsigned("bfind.u32 d, a;", (a, b, c) -> BigInteger.valueOf(a.bitLength() - 1)),
                signed("bfind.s32 d, a;", (a, b, c) -> BigInteger.valueOf(a.bitLength() - 1)),
                unsigned(
                        "lop3.b32 d, a, b, c, 0xE8;",
                        (a, b, c) -> a.and(b).or(a.and(c)).or(b.and(c))),
                unsigned("lop3.b32 d, a, b, c, 0x96;", (a, b, c) -> a.xor(b).xor(c)),
                unsigned(
                        "shf.l.wrap.b32 d, a, b, c;",
                        (a, b, c) -> b.shiftLeft(32)
                                .or(a)
                                .shiftLeft(c.intValue() & 31)
                                .shiftRight(32)),
                unsigned(
                        "shf.r.wrap.b32 d, a, b, c;",
                        (a, b, c) -> b.shiftLeft(32).or(a).shiftRight(c.intValue() & 31)),
                unsigned(
                        "shf.r.clamp.b32 d, a, b, c;",
                        (a, b, c) -> b.shiftLeft(32)
                                .or(a)
                                .shiftRight(c.min(BigInteger.valueOf(32)).intValue())),
                unsigned(
                        "bfe.u32 d, a, b, c;",
                        (a, b, c) ->
                                a.shiftRight(b.intValue() & 255).mod(BigInteger.ONE.shiftLeft(c.intValue() & 255))),
                unsigned("bfi.b32 d, a, b, c, 7;", SemanticsTest::insertSeven),
                unsigned(
                        "{.reg .u32 t; add.cc.u32 t, a, b; addc.u32 d, 0, 0;}",
                        (a, b, c) -> a.add(b).shiftRight(32)),
                unsigned(
                        "{.reg .u32 t; sub.cc.u32 t, a, b; subc.u32 d, c, 0;}",
                        (a, b, c) -> c.subtract(BigInteger.valueOf(a.compareTo(b) < 0 ? 1 : 0))),
                unsigned(
                        "{.reg .u32 t; mad.lo.cc.u32 t, a, b, c; madc.hi.u32 d, a, b, 0;}",
                        (a, b, c) -> a.multiply(b).add(c).shiftRight(32)),
                signed(
                        "{.reg .s64 t; mul.wide.s32 t, a, b; shr.s64 t, t, 16; cvt.u32.u64 d, t;}",
                        (a, b, c) -> a.multiply(b).shiftRight(16)),
                signed(
                        "cvt.sat.s16.s32 d, a;",
                        (a, b, c) -> a.min(BigInteger.valueOf(32767)).max(BigInteger.valueOf(-32768))),
                signed(
                        "cvt.sat.u8.s32 d, a;",
                        (a, b, c) -> a.min(BigInteger.valueOf(255)).max(BigInteger.ZERO)),
                unsigned("cvt.s32.s8 d, a;", (a, b, c) -> BigInteger.valueOf(a.byteValue())),
                unsigned("cvt.u32.u16 d, a;", (a, b, c) -> a.mod(BigInteger.valueOf(65536))),
                signed(
                        "{.reg .pred p; setp.lt.s32 p, a, b; selp.b32 d, a, c, p;}",
                        (a, b, c) -> a.compareTo(b) < 0 ? a : c),
                unsigned("set.hi.u32.u32 d, a, b;", (a, b, c) -> a.compareTo(b) > 0 ? ones : BigInteger.ZERO),
                signed("slct.b32.s32 d, a, b, c;", (a, b, c) -> c.signum() >= 0 ? a : b));
    }

    private static BigInteger insertSeven(BigInteger a, BigInteger b, BigInteger c) {
        int position = c.intValue() & 255;
        BigInteger field = BigInteger.valueOf(127).shiftLeft(position).mod(WORD);
        return b.andNot(field).or(a.shiftLeft(position).and(field));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void whole(String instruction, boolean signed, Whole whole) {
        int[][] inputs = {words(1), words(2), words(3)};
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            long[] got = run(instruction, "r", inputs, engine);
            for (int i = 0; i < THREADS; i++) {
                BigInteger expected = whole.of(
                                big(inputs[0][i], signed), big(inputs[1][i], signed), big(inputs[2][i], signed))
                        .mod(WORD);
                assertEquals(
                        expected.longValue(),
                        got[i],
                        engine + " " + instruction + " of " + inputs[0][i] + ", " + inputs[1][i] + ", " + inputs[2][i]);
            }
        }
    }

    private static BigInteger big(int word, boolean signed) {
        return BigInteger.valueOf(signed ? word : word & 0xffffffffL);
    }

    static Stream<Arguments> whole64() {
        return Stream.of(
                signed("add.s64 d, a, b;", (a, b, c) -> a.add(b)),
                signed("mul.lo.s64 d, a, b;", (a, b, c) -> a.multiply(b)),
                signed("mul.hi.s64 d, a, b;", (a, b, c) -> a.multiply(b).shiftRight(64)),
                unsigned("mul.hi.u64 d, a, b;", (a, b, c) -> a.multiply(b).shiftRight(64)),
                signed("div.s64 d, a, b;", (a, b, c) -> guarded(b, a.divide(or1(b)), BigInteger.ONE.negate())),
                unsigned("rem.u64 d, a, b;", (a, b, c) -> guarded(b, a.remainder(or1(b)), a)),
                unsigned("max.u64 d, a, b;", (a, b, c) -> a.max(b)),
                signed("min.s64 d, a, b;", (a, b, c) -> a.min(b)),
                unsigned(
                        "brev.b64 d, a;",
                        (a, b, c) -> new BigInteger(
                                new StringBuilder(String.format("%64s", a.toString(2))
                                                .replace(' ', '0'))
                                        .reverse()
                                        .toString(),
                                2)),
                unsigned(
                        "{.reg .u64 t; add.cc.u64 t, a, b; addc.u64 d, 0, 0;}",
                        (a, b, c) -> a.add(b).shiftRight(64)),
                signed("shr.s64 d, a, 17;", (a, b, c) -> a.shiftRight(17)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void whole64(String instruction, boolean signed, Whole whole) {
        int[][] inputs = {twice(1), twice(3), twice(5)};
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            long[] got = run(instruction, "rd", inputs, engine);
            for (int i = 0; i < THREADS; i++) {
                BigInteger expected = whole.of(
                                big64(inputs[0], i, signed), big64(inputs[1], i, signed), big64(inputs[2], i, signed))
                        .mod(LONG);
                assertEquals(expected.longValue(), got[i], engine + " " + instruction + " of thread " + i);
            }
        }
    }

    private static int[] twice(long seed) {
        int[] all = Arrays.copyOf(words(seed), 2 * THREADS);
        System.arraycopy(words(seed + 1), 0, all, THREADS, THREADS);
        return all;
    }

    private static BigInteger big64(int[] words, int i, boolean signed) {
        long value = (words[2 * i] & 0xffffffffL) | (long) words[2 * i + 1] << 32;
        BigInteger big = BigInteger.valueOf(value);
        return !signed && value < 0 ? big.add(LONG) : big;
    }

    interface Exact {
        /** Null where the result is not a finite number of decimals, or a special value is involved. */
        BigDecimal of(BigDecimal a, BigDecimal b, BigDecimal c);
    }

    private static Arguments of(String instruction, RoundingMode mode, Exact exact) {
        return Arguments.of(instruction, mode, exact);
    }

    static Stream<Arguments> rounded() {
        MathContext many = new MathContext(400);
        Exact sum = (a, b, c) -> a.add(b);
        Exact product = (a, b, c) -> a.multiply(b);
        Exact fused = (a, b, c) -> a.multiply(b).add(c);
        Exact quotient = (a, b, c) -> b.signum() == 0 ? BigDecimal.ZERO : a.divide(b, many);
        Exact root = (a, b, c) -> a.signum() < 0 ? BigDecimal.ZERO : a.sqrt(many);
        List<Arguments> all = new ArrayList<>();
        String[] names = {"rn", "rz", "rm", "rp"};
        RoundingMode[] modes = {RoundingMode.HALF_EVEN, RoundingMode.DOWN, RoundingMode.FLOOR, RoundingMode.CEILING};
        for (int i = 0; i < 4; i++) {
            all.add(of("add." + names[i] + ".f32 d, a, b;", modes[i], sum));
            all.add(of("mul." + names[i] + ".f32 d, a, b;", modes[i], product));
            all.add(of("fma." + names[i] + ".f32 d, a, b, c;", modes[i], fused));
            all.add(of("div." + names[i] + ".f32 d, a, b;", modes[i], quotient));
            all.add(of("sqrt." + names[i] + ".f32 d, a;", modes[i], root));
            all.add(of("rcp." + names[i] + ".f32 d, b;", modes[i], (a, b, c) -> quotient.of(BigDecimal.ONE, b, c)));
        }
        return all.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void rounded(String instruction, RoundingMode mode, Exact exact) {
        int[][] inputs = {floats(1), floats(2), floats(3)};
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            long[] got = run(instruction, "f", inputs, engine);
            int compared = 0;
            for (int i = 0; i < THREADS; i++) {
                float a = Float.intBitsToFloat(inputs[0][i]);
                float b = Float.intBitsToFloat(inputs[1][i]);
                float c = Float.intBitsToFloat(inputs[2][i]);
                if (!Float.isFinite(a) || !Float.isFinite(b) || !Float.isFinite(c)) {
                    continue;
                }
                BigDecimal value = exact.of(new BigDecimal(a), new BigDecimal(b), new BigDecimal(c));
                if (value.signum() == 0) {
                    continue;
                }
                compared++;
                assertEquals(
                        round(value, mode),
                        Float.intBitsToFloat((int) got[i]),
                        engine + " " + instruction + " of " + a + ", " + b + ", " + c);
            }
            assertTrue(compared > THREADS / 3, compared + " of " + THREADS);
        }
    }

    /** To 24 bits, or fewer below the least normal exponent, with whole numbers only. */
    private static float round(BigDecimal value, RoundingMode mode) {
        BigDecimal two = BigDecimal.TWO;
        int exponent = -149;
        BigDecimal unit = new BigDecimal(Float.MIN_VALUE);
        while (value.abs().compareTo(unit.multiply(new BigDecimal(1 << 24))) >= 0) {
            unit = unit.multiply(two);
            exponent++;
        }
        BigInteger units = value.divide(unit, 0, mode).toBigIntegerExact();
        float magnitude = (float) (units.doubleValue() * Math.pow(2, exponent));
        if (Float.isInfinite(magnitude)) {
            boolean towardsZero = mode == RoundingMode.DOWN
                    || (mode == RoundingMode.FLOOR && value.signum() > 0)
                    || (mode == RoundingMode.CEILING && value.signum() < 0);
            return towardsZero ? Math.copySign(Float.MAX_VALUE, magnitude) : magnitude;
        }
        // A whole number has no negative zero.
        return Math.copySign(magnitude, value.signum());
    }

    /** All 65,536 values of f16 through the conversions, against the formula of the format. */
    @Test
    void everyHalfIsConverted() {
        String body = """
                mov.u32 %r1, %ctaid.x;
                mov.u32 %r2, %tid.x;
                mad.lo.s32 %r3, %r1, 256, %r2;
                cvt.u16.u32 %h1, %r3;
                cvt.f32.f16 %f1, %h1;
                cvt.rn.f16.f32 %h2, %f1;
                mul.wide.u32 %rd2, %r3, 4;
                add.s64 %rd3, %rd0, %rd2;
                st.global.f32 [%rd3], %f1;
                add.s64 %rd3, %rd1, %rd2;
                cvt.u32.u16 %r4, %h2;
                st.global.u32 [%rd3], %r4;
                """;
        try (Run run = new Run("halves", Texts.kernel(2, body))) {
            long floats = run.buffer(4L << 16);
            long back = run.buffer(4L << 16);
            run.launch("k", Extent.of(256), Extent.of(256), LaunchOptions.plain(), floats, back);
            float[] got = run.floats(floats, 1 << 16);
            int[] bits = run.ints(back, 1 << 16);
            for (int i = 0; i < 1 << 16; i++) {
                int exponent = i >> 10 & 31;
                int fraction = i & 1023;
                double magnitude = exponent == 31
                        ? fraction == 0 ? Double.POSITIVE_INFINITY : Double.NaN
                        : exponent == 0 ? fraction * Math.pow(2, -24) : (1024 + fraction) * Math.pow(2, exponent - 25);
                assertEquals((float) (i >= 0x8000 ? -magnitude : magnitude), got[i], "0x" + Integer.toHexString(i));
                assertEquals(Double.isNaN(magnitude) ? 0x7fff : i, bits[i]);
            }
        }
    }

    /** Every f16 and a few others: sums, products and fused ones against exact doubles, which have room for them. */
    @Test
    void halvesAreRoundedOnce() {
        UnaryOperator<String> once = op -> "cvt.u16.u32 %h1, %r20;\ncvt.u16.u32 %h2, %r21;\ncvt.u16.u32 %h3, %r22;\n"
                + op + "\ncvt.u32.u16 d, %h4;";
        Random random = new Random(9);
        int[][] inputs = new int[3][THREADS];
        for (int[] input : inputs) {
            for (int i = 0; i < THREADS; i++) {
                input[i] = random.nextInt(0x7c00) | random.nextInt(2) << 15;
            }
        }
        String[] operations = {"add.f16 %h4, %h1, %h2;", "mul.f16 %h4, %h1, %h2;", "fma.rn.f16 %h4, %h1, %h2, %h3;"};
        for (int k = 0; k < 3; k++) {
            long[] got = run(once.apply(operations[k]), "r", inputs, LaunchOptions.Engine.COMPILER);
            for (int i = 0; i < THREADS; i++) {
                BigDecimal a = new BigDecimal(Float.float16ToFloat((short) inputs[0][i]));
                BigDecimal b = new BigDecimal(Float.float16ToFloat((short) inputs[1][i]));
                BigDecimal c = new BigDecimal(Float.float16ToFloat((short) inputs[2][i]));
                BigDecimal exact = k == 0
                        ? a.add(b)
                        : k == 1 ? a.multiply(b) : a.multiply(b).add(c);
                if (exact.signum() != 0) {
                    assertEquals(
                            (double) half(exact),
                            Float.float16ToFloat((short) got[i]),
                            operations[k] + " of thread " + i);
                }
            }
        }
    }

    private static float half(BigDecimal value) {
        BigDecimal unit = new BigDecimal(Math.pow(2, -24));
        while (value.abs().compareTo(unit.multiply(new BigDecimal(2048))) >= 0) {
            unit = unit.add(unit);
        }
        double rounded = value.divide(unit, 0, RoundingMode.HALF_EVEN).doubleValue() * unit.doubleValue();
        return Math.abs(rounded) > 65504 ? Math.copySign(Float.POSITIVE_INFINITY, (float) rounded) : (float) rounded;
    }

    /** All values of e4m3 and e5m2 to f16 and back. */
    @Test
    void everyEightBitFloatIsConverted() {
        for (String type : List.of("e4m3x2", "e5m2x2")) {
            String instruction =
                    "{.reg .b16 p, q; .reg .b32 t; .reg .f32 x, y; .reg .b16 u, v; cvt.u16.u32 p, a; cvt.rn.f16x2."
                            + type + " t, p; mov.b32 {u, v}, t; cvt.f32.f16 x, u; cvt.f32.f16 y, v; cvt.rn.satfinite."
                            + type
                            + ".f32 q, y, x; cvt.u32.u16 d, q;}";
            int[] codes = new int[THREADS];
            for (int i = 0; i < THREADS; i++) {
                codes[i] = i | (255 - i) << 8;
            }
            long[] got = run(instruction, "r", new int[][] {codes, codes, codes}, LaunchOptions.Engine.COMPILER);
            for (int i = 0; i < THREADS; i++) {
                assertEquals(finite(i, type) | finite(255 - i, type) << 8, got[i], type + " " + i);
            }
        }
    }

    /** What is left of a code after it went through f32: NaN is canonical, infinity the greatest finite value. */
    private static int finite(int code, String type) {
        int magnitude = code & 0x7f;
        if (type.equals("e4m3x2")) {
            return magnitude == 0x7f ? 0x7f : code;
        }
        return magnitude > 0x7c ? 0x7f : magnitude == 0x7c ? code - 1 : code;
    }
}
