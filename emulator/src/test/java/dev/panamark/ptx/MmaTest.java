package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code mma.sync} in both engines; layouts are those of {@link Mma}, products exact ones. */
class MmaTest {
    private static final int RANDOM = 12;

    static Stream<Mma> all() {
        return Mma.all().stream();
    }

    /** Layouts do not know what becomes of sums. */
    static Stream<Mma> layouts() {
        return all().filter(mma -> !mma.saturates());
    }

    static Stream<Mma> reals() {
        return all().filter(mma -> !mma.whole());
    }

    private static Mma.Codes random(Random random, String type, int rows, int columns) {
        long[][] codes = new long[rows][columns];
        for (long[] row : codes) {
            for (int i = 0; i < columns; i++) {
                row[i] = Mma.random(type, random);
            }
        }
        return (row, column) -> codes[row][column];
    }

    private static Mma.Batch batch() {
        return new Mma.Batch(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    private static Mma.Batch random(Mma mma, int count) {
        Random random = new Random(mma.text().hashCode());
        Mma.Batch batch = batch();
        for (int i = 0; i < count; i++) {
            batch.a().add(random(random, mma.a(), mma.m(), mma.k()));
            batch.b().add(random(random, mma.b(), mma.k(), mma.n()));
            batch.c().add(random(random, mma.c(), mma.m(), mma.n()));
        }
        return batch;
    }

    /** A has a single 1 at (i, l) and B at (l, j), for all i and l: D has it at (i, j). */
    @ParameterizedTest
    @MethodSource("layouts")
    void elementsAreWhereTheIsaSays(Mma mma) {
        long one = Mma.code(mma.a(), 1);
        long oneOfB = Mma.code(mma.b(), 1);
        Mma.Batch batch = batch();
        for (int i = 0; i < mma.m(); i++) {
            for (int l = 0; l < mma.k(); l++) {
                int row = i;
                int at = l;
                int column = column(mma, i, l);
                batch.a().add((r, c) -> r == row && c == at ? one : 0);
                batch.b().add((r, c) -> r == at && c == column ? oneOfB : 0);
                batch.c().add((r, c) -> 0);
            }
        }
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            List<long[][]> got = mma.run(engine, batch);
            for (int block = 0; block < got.size(); block++) {
                int i = block / mma.k();
                int l = block % mma.k();
                long[][] expected = new long[mma.m()][mma.n()];
                expected[i][column(mma, i, l)] = Mma.code(mma.d(), 1);
                for (int row = 0; row < mma.m(); row++) {
                    assertArrayEquals(expected[row], got.get(block)[row], engine + ", i " + i + ", l " + l);
                }
            }
        }
    }

    private static int column(Mma mma, int i, int l) {
        return (3 * i + l + i / 8) % mma.n();
    }

    /**
     * Of k + 1 additions of numbers whose magnitudes sum to s, each rounded to nearest, the error is at most (k + 1) u s with
     * u = 2^-24, of f64 2^-53, and for a result of f16 2^-11 of it more; whole numbers are exact.
     */
    @ParameterizedTest
    @MethodSource("all")
    void productsAreWithinTheirBound(Mma mma) {
        Mma.Batch batch = random(mma, RANDOM);
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            List<long[][]> got = mma.run(engine, batch);
            for (int block = 0; block < RANDOM; block++) {
                for (int i = 0; i < mma.m(); i++) {
                    for (int j = 0; j < mma.n(); j++) {
                        check(mma, batch, block, i, j, got.get(block)[i][j]);
                    }
                }
            }
        }
    }

    private static void check(Mma mma, Mma.Batch batch, int block, int i, int j, long got) {
        BigDecimal exact =
                new BigDecimal(Mma.value(mma.c(), batch.c().get(block).at(i, j)));
        double magnitude = exact.abs().doubleValue();
        for (int l = 0; l < mma.k(); l++) {
            BigDecimal product = new BigDecimal(
                            Mma.value(mma.a(), batch.a().get(block).at(i, l)))
                    .multiply(new BigDecimal(
                            Mma.value(mma.b(), batch.b().get(block).at(l, j))));
            exact = exact.add(product);
            magnitude += product.abs().doubleValue();
        }
        String where = mma + " at " + i + ", " + j;
        if (mma.whole()) {
            long whole = exact.longValueExact();
            assertEquals(
                    mma.saturates() ? Math.clamp(whole, Integer.MIN_VALUE, Integer.MAX_VALUE) : (int) whole,
                    (int) got,
                    where);
            return;
        }
        double unit = mma.d().equals("f64") ? 0x1p-53 : 0x1p-24;
        double bound = (mma.k() + 1) * unit * magnitude
                + (mma.d().equals("f16") ? 0x1p-11 * Math.abs(exact.doubleValue()) * 1.001 + 0x1p-25 : 0);
        double value = Mma.value(mma.d(), got);
        assertTrue(
                exact.subtract(new BigDecimal(value)).abs().doubleValue() <= bound,
                () -> where + ": " + value + " is off by more than " + bound);
    }

    /** The order that the documentation states: from c on, k ascending, each sum rounded once. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
                "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32"
            })
    void sumsAreRoundedInTheStatedOrder(String text) {
        Mma mma = Mma.of(text);
        Mma.Batch batch = random(mma, 2);
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            List<long[][]> got = mma.run(engine, batch);
            for (int i = 0; i < mma.m(); i++) {
                for (int j = 0; j < mma.n(); j++) {
                    float sum = (float) Mma.value("f32", batch.c().get(1).at(i, j));
                    for (int l = 0; l < mma.k(); l++) {
                        sum = new BigDecimal(Mma.value(mma.a(), batch.a().get(1).at(i, l)))
                                .multiply(new BigDecimal(
                                        Mma.value(mma.b(), batch.b().get(1).at(l, j))))
                                .add(new BigDecimal(sum))
                                .floatValue();
                    }
                    assertEquals(sum, (float) Mma.value("f32", got.get(1)[i][j]), engine + " at " + i + ", " + j);
                }
            }
        }
    }

    /** A row of A with NaN makes a row of NaN, a column of B with infinity times 1 one of infinity. */
    @ParameterizedTest
    @MethodSource("reals")
    void nanAndInfinityGoTheirWay(Mma mma) {
        long one = Mma.code(mma.a(), 1);
        long oneOfB = Mma.code(mma.b(), 1);
        Format formatA = Format.named(mma.a());
        Format formatB = Format.named(mma.b());
        long nan = formatA.isNan(formatA.infinity(false))
                ? formatA.infinity(false)
                : formatA.infinity(false) | 1L << shift(mma.a());
        long infinite = formatB.isNan(formatB.infinity(false)) ? formatB.greatest(false) : formatB.infinity(false);
        Mma.Batch batch = batch();
        batch.a().add((r, c) -> r == 5 && c == 1 ? nan : one);
        batch.b().add((r, c) -> c == 3 && r == 2 ? infinite : oneOfB);
        batch.c().add((r, c) -> 0);
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            long[][] got = mma.run(engine, batch).getFirst();
            for (int i = 0; i < mma.m(); i++) {
                for (int j = 0; j < mma.n(); j++) {
                    double value = Mma.value(mma.d(), got[i][j]);
                    double top = Mma.value(mma.b(), infinite) + (mma.k() - 1);
                    double expected = i == 5 ? Double.NaN : j == 3 ? top : mma.k();
                    assertEquals(expected, value, 0.5, engine + " at " + i + ", " + j);
                }
            }
        }
    }

    /** The last bit of the fraction. */
    private static int shift(String type) {
        return type.equals("tf32") ? 13 : 0;
    }

    @ParameterizedTest
    @CsvSource({
        // 32 products of 127 * 127 are 516128.
        "'', 2147483647, 127, -2146967521",
        "'satfinite.', 2147483647, 127, 2147483647",
        "'satfinite.', 2146967518, 127, 2147483646",
        "'', -2147483648, -127, 2146967520",
        "'satfinite.', -2147483648, -127, -2147483648"
    })
    void wholeSumsWrapOrStop(String modifier, int start, int value, int expected) {
        Mma mma = Mma.of("mma.sync.aligned.m16n8k32.row.col." + modifier + "s32.s8.s8.s32");
        Mma.Batch batch = batch();
        batch.a().add((r, c) -> value & 0xff);
        batch.b().add((r, c) -> 127);
        batch.c().add((r, c) -> start & 0xffffffffL);
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            assertEquals(expected, (int) mma.run(engine, batch).getFirst()[3][2], engine.name());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32, tensor_f16",
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16, tensor_f16_acc16",
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32, tensor_bf16",
        "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32, tensor_tf32",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64, tensor_f64",
        "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32, tensor_i8",
        "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32, tensor_i4",
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32, tensor_f8"
    })
    void operationsAreCountedByType(String text, String key) {
        Mma mma = Mma.of(text);
        for (LaunchOptions.Engine engine : LaunchOptions.Engine.values()) {
            try (Run run = new Run("mma.ptx", mma.kernel())) {
                long all = run.buffer(1 << 16);
                LaunchOptions options = LaunchOptions.plain().engine(engine).counting(true);
                Counts counts = run.launch("k", Extent.of(3), Extent.of(64), options, all, all, all, all);
                // 3 blocks of 2 warps.
                assertEquals(Map.of(key, 6 * 2L * mma.m() * mma.n() * mma.k()), counts.flops());
                assertEquals(6L, counts.instructions().get("tensor"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void allLanesMustTakePart(LaunchOptions.Engine engine) {
        String body = "mov.u32 %r9, %laneid;\nsetp.lt.u32 %p1, %r9, 7;\n@%p1 exit;\n"
                + "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r2},"
                + " {%f0, %f1, %f2, %f3};\n";
        try (Run run = new Run("k.ptx", Texts.kernel(0, body))) {
            LaunchOptions options = LaunchOptions.plain().engine(engine);
            KernelFault fault =
                    assertThrows(KernelFault.class, () -> run.launch("k", Extent.of(1), Extent.of(32), options));
            assertEquals(KernelFault.Kind.UNDEFINED, fault.kind());
            assertTrue(
                    String.valueOf(fault.getMessage()).contains("lanes 0xffffff80 execute it; expected all 32"),
                    fault.getMessage());
        }
    }

    /** Lanes that parted and come to the same instruction one after the other take part together. */
    @ParameterizedTest
    @EnumSource
    void lanesThatPartedMeetInIt(LaunchOptions.Engine engine) {
        String body = "mov.u32 %r9, %laneid;\nmov.b32 %r0, 0x3c003c00;\nmov.f32 %f0, 0f00000000;\n"
                + "setp.lt.u32 %p1, %r9, 7;\n@%p1 bra L;\nmov.b32 %r8, 1;\nsetp.eq.u32 %p2, %r9, 99;\n@%p2 exit;\nL:\n"
                + "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r0, %r0}, {%r0},"
                + " {%f0, %f0, %f0, %f0};\nmul.wide.u32 %rd8, %r9, 4;\nadd.s64 %rd9, %rd0, %rd8;\n"
                + "st.global.f32 [%rd9], %f3;";
        try (Run run = new Run("k.ptx", Texts.kernel(1, body))) {
            long out = run.buffer(128);
            run.launch("k", Extent.of(1), Extent.of(32), LaunchOptions.plain().engine(engine), out);
            for (float value : run.floats(out, 32)) {
                assertEquals(8, value, "a sum of eight products of 1");
            }
        }
    }
}
