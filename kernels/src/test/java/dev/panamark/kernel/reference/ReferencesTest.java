package dev.panamark.kernel.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Fill;
import dev.panamark.kernel.HandMade;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Shape;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.fill.Filler;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReferencesTest {

    @Test
    void referencesAreFoundByName() {
        assertEquals(
                List.of(
                        "attention",
                        "kv.gather",
                        "kv.append",
                        "quant.fp8",
                        "quant.fp8.dequantize",
                        "quant.int4",
                        "quant.int4.dequantize",
                        "quant.w4a16_gemv",
                        "quant.w4a16_gemm",
                        "gemm",
                        "ceiling.fma",
                        "ceiling.mma",
                        "ceiling.stream",
                        "copy",
                        "linear"),
                References.names());
        for (String name : References.names()) {
            assertEquals(name, References.named(name).orElseThrow().name());
        }
        assertTrue(References.named("attentoin").isEmpty());
    }

    private static Map<String, double[]> run(Instance instance, Map<String, Tensor> inputs) {
        Reference reference =
                References.named(instance.check().reference().orElseThrow()).orElseThrow();
        assertEquals(List.of(), reference.faults(instance));
        Map<String, double[]> results = new HashMap<>();
        for (Expectation e : reference.expect(instance, new Inputs(inputs, 0), 1)) {
            Buffer b = instance.buffer(e.output());
            results.put(
                    e.output(), e.whole().isPresent() ? Formats.read(HandMade.whole(b, e)) : HandMade.sampled(b, e));
        }
        return results;
    }

    private static double[] of(Map<String, double[]> results, String name) {
        return Objects.requireNonNull(results.get(name));
    }

    private static List<String> faults(Instance instance) {
        return References.named(instance.check().reference().orElseThrow())
                .orElseThrow()
                .faults(instance);
    }

    // ---- kv.gather ----

    @Test
    void aCacheInOnePieceIsCopied() {
        Instance instance = new HandMade("kv.gather")
                .input("kv", DataType.BF16, 2, 2, 5, 2, 3)
                .output("out", DataType.BF16, HandMade.exact(), 2, 2, 5, 2, 3)
                .build();
        Inputs inputs = Filler.fill(instance, 1, Arena.ofAuto());
        assertArrayEquals(Formats.read(inputs.get("kv")), of(run(instance, inputs.tensors()), "out"));
    }

    /**
     * Pages of two tokens with one head of one element. Pool element (page, k or v, slot) is 100 page + 10 part + slot.
     * Sequence 0 has 3 tokens in pages 2, 0; sequence 1 has 4 in pages 3, 1.
     */
    @Test
    void pagesByHand() {
        Tensor pool = HandMade.zeros(DataType.I16, 4, 2, 2, 1, 1);
        for (long i = 0; i < 16; i++) {
            List<Long> at = pool.shape().index(i);
            Formats.set(pool, i, 100.0 * at.get(0) + 10 * at.get(1) + at.get(2));
        }
        Instance instance = new HandMade("kv.gather")
                .input("kv", DataType.I16, 4, 2, 2, 1, 1)
                .input("table", DataType.I32, 2, 2)
                .input("lens", DataType.I32, 2)
                .output("out", DataType.I16, HandMade.exact(), 2, 2, 4, 1, 1)
                .build();
        Map<String, double[]> got = run(
                instance,
                Map.of(
                        "kv", pool,
                        "table", HandMade.tensor(DataType.I32, new double[] {2, 0, 3, 1}, 2, 2),
                        "lens", HandMade.tensor(DataType.I32, new double[] {3, 4}, 2)));
        assertArrayEquals(
                new double[] {
                    200, 201, 0, 0, // keys of sequence 0: page 2, slot 0 of page 0, past the end
                    210, 211, 10, 0,
                    300, 301, 100, 101,
                    310, 311, 110, 111,
                },
                of(got, "out"));
    }

    /** The same numbers in pages of [2 parts, 2 heads, 2 slots] (HND): element 1000 page + 100 part + 10 head + slot. */
    @Test
    void headsBeforeSlotsByHand() {
        Tensor pool = HandMade.zeros(DataType.I16, 2, 2, 2, 2, 1);
        for (long i = 0; i < 16; i++) {
            List<Long> at = pool.shape().index(i);
            Formats.set(pool, i, 1000.0 * at.get(0) + 100 * at.get(1) + 10 * at.get(2) + at.get(3));
        }
        Instance instance = new HandMade("kv.gather")
                .input("kv", DataType.I16, 2, 2, 2, 2, 1)
                .input("table", DataType.I32, 1, 2)
                .input("lens", DataType.I32, 1)
                .output("out", DataType.I16, HandMade.exact(), 1, 2, 3, 2, 1)
                .word("layout", "hnd")
                .build();
        Map<String, double[]> got = run(
                instance,
                Map.of(
                        "kv", pool,
                        "table", HandMade.tensor(DataType.I32, new double[] {1, 0}, 1, 2),
                        "lens", HandMade.tensor(DataType.I32, new double[] {3}, 1)));
        assertArrayEquals(
                new double[] {1000, 1010, 1001, 1011, 0, 10, 1100, 1110, 1101, 1111, 100, 110}, of(got, "out"));
    }

    /**
     * vLLM's layout for one head of 16 elements of 16 bits, pages of 2: keys [1, 1, 2, 2, 8], values [1, 1, 16, 2]. The key
     * of token t, element d is at (d / 8) 16 + 8 t + d % 8, its value at 2 d + t.
     */
    @Test
    void vllmPagesByHand() {
        Tensor k = HandMade.zeros(DataType.I16, 1, 1, 2, 2, 8);
        Tensor v = HandMade.zeros(DataType.I16, 1, 1, 16, 2);
        for (int i = 0; i < 32; i++) {
            Formats.set(k, i, i);
            Formats.set(v, i, 100 + i);
        }
        Instance instance = new HandMade("kv.gather")
                .input("k", DataType.I16, 1, 1, 2, 2, 8)
                .input("v", DataType.I16, 1, 1, 16, 2)
                .input("table", DataType.I32, 1, 1)
                .input("lens", DataType.I32, 1)
                .output("out", DataType.I16, HandMade.exact(), 1, 2, 2, 1, 16)
                .word("layout", "vllm")
                .build();
        double[] out = of(
                run(
                        instance,
                        Map.of(
                                "k",
                                k,
                                "v",
                                v,
                                "table",
                                HandMade.zeros(DataType.I32, 1, 1),
                                "lens",
                                HandMade.tensor(DataType.I32, new double[] {2}, 1))),
                "out");
        for (int t = 0; t < 2; t++) {
            for (int d = 0; d < 16; d++) {
                assertEquals(d / 8 * 16 + 8 * t + d % 8, out[16 * t + d]);
                assertEquals(100 + 2 * d + t, out[32 + 16 * t + d]);
            }
        }
    }

    /**
     * Pages of two tokens, one head of one element. Sequence 0 has 3 tokens in pages 1, 0: the third goes to slot 0 of page
     * 0. Sequence 1 has none. Everything else stays.
     */
    @ParameterizedTest
    @ValueSource(strings = {"nhd", "hnd"})
    void appendingByHand(String layout) {
        Instance instance = new HandMade("kv.append")
                .add(new Buffer(
                        "kv",
                        DataType.I16,
                        Shape.of(2, 2, layout.equals("nhd") ? 2 : 1, layout.equals("nhd") ? 1 : 2, 1),
                        Buffer.Role.INOUT,
                        Optional.of(new Fill.Bits()),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalDouble.empty(),
                        Optional.of(HandMade.exact())))
                .input("table", DataType.I32, 2, 2)
                .input("lens", DataType.I32, 2)
                .input("new", DataType.I16, 2, 2, 1, 1)
                .word("layout", layout)
                .build();
        Tensor pool = HandMade.tensor(
                DataType.I16,
                new double[] {1, 2, 3, 4, 5, 6, 7, 8},
                2,
                2,
                layout.equals("nhd") ? 2 : 1,
                layout.equals("nhd") ? 1 : 2,
                1);
        Map<String, double[]> got = run(
                instance,
                Map.of(
                        "kv", pool,
                        "table", HandMade.tensor(DataType.I32, new double[] {1, 0, 2147480000, 2147480000}, 2, 2),
                        "lens", HandMade.tensor(DataType.I32, new double[] {3, 0}, 2),
                        "new", HandMade.tensor(DataType.I16, new double[] {50, 60, 70, 80}, 2, 2, 1, 1)));
        assertArrayEquals(new double[] {50, 2, 60, 4, 5, 6, 7, 8}, of(got, "kv"));
        assertArrayEquals(new double[] {1, 2, 3, 4, 5, 6, 7, 8}, Formats.read(pool), "the input is left alone");
    }

    /** A sequence is longer than a block of elements, so that rows are cut in the middle. */
    @Test
    void longCachesAreCutAnywhere() {
        Instance instance = new HandMade("kv.gather")
                .input("kv", DataType.U8, new Fill.Bits(), 1, 2, 1000, 3, 37)
                .output("out", DataType.U8, HandMade.exact(), 1, 2, 1000, 3, 37)
                .build();
        Inputs inputs = Filler.fill(instance, 1, Arena.ofAuto());
        assertArrayEquals(Formats.read(inputs.get("kv")), of(run(instance, inputs.tensors()), "out"));
    }

    @Test
    void aGatherWithoutLengthsIsRefused() {
        Instance instance = new HandMade("kv.gather")
                .input("kv", DataType.F16, 4, 2, 2, 1, 1)
                .input("table", DataType.F32, 2, 2)
                .output("out", DataType.F32, HandMade.exact(), 2, 2, 4, 1, 1)
                .build();
        assertEquals(
                List.of(
                        "buffers.kv.type: f16, expected f32",
                        "check: reference 'kv.gather' needs a buffer 'lens' [batch], the tokens of each sequence;"
                                + " there are kv, table, out (check.buffers maps lens to another name)",
                        "buffers.table.type: f32, expected i32 or i64"),
                faults(instance));
    }

    // ---- quant ----

    private static Instance fp8(DataType type, String granularity, long rows, long cols, long... scales) {
        return new HandMade("quant.fp8")
                .input("x", DataType.F32, rows, cols)
                .output("q", type, HandMade.exact(), rows, cols)
                .output("s", DataType.F32, HandMade.exact(), scales)
                .word("granularity", granularity)
                .word("arithmetic", "f32-divide")
                .build();
    }

    /** Row (896, -448, 0, 63) has scale 2 and becomes (448, -224, 0, 31.5 -> 32, a tie); row of zeros scale 1. */
    @Test
    void fp8PerTokenByHand() {
        Map<String, double[]> got = run(
                fp8(DataType.E4M3, "token", 2, 4, 2),
                Map.of("x", HandMade.tensor(DataType.F32, new double[] {896, -448, 0, 63, 0, 0, 0, 0}, 2, 4)));
        assertArrayEquals(new double[] {2, 1}, of(got, "s"));
        assertArrayEquals(new double[] {448, -224, 0, 32, 0, 0, 0, 0}, of(got, "q"));
    }

    /** One scale for all: 896 / 448 = 2; 57344 in e5m2: 114688 / 57344 = 2; 224 in e4m3fnuz: 896 / 224 = 4. */
    @ParameterizedTest
    @CsvSource({"E4M3, 896, 2, 448, 3.5", "E5M2, 114688, 2, 57344, 3.5", "E4M3FNUZ, 896, 4, 224, 1.75"})
    void fp8PerTensorByHand(DataType type, double largest, double scale, double top, double seven) {
        Map<String, double[]> got = run(
                fp8(type, "tensor", 2, 2, 1),
                Map.of("x", HandMade.tensor(DataType.F32, new double[] {7, -largest, 0, 7}, 2, 2)));
        assertArrayEquals(new double[] {scale}, of(got, "s"));
        assertArrayEquals(new double[] {seven, -top, 0, seven}, of(got, "q"));
    }

    /** 130 columns: a block of 128 with amax 448 and one of 2 with amax 44.8 (f32: 44.8f / 448). */
    @Test
    void fp8PerBlockByHand() {
        double[] x = new double[130];
        x[0] = 448;
        x[127] = 1;
        x[128] = -44.8;
        x[129] = 4.48;
        Map<String, double[]> got = run(
                fp8(DataType.E4M3, "block128", 1, 130, 1, 2), Map.of("x", HandMade.tensor(DataType.F32, x, 1, 130)));
        assertArrayEquals(new double[] {1, 44.8f / 448f}, of(got, "s"));
        assertEquals(448, of(got, "q")[0]);
        assertEquals(1, of(got, "q")[127]);
        assertEquals(-448, of(got, "q")[128]);
        assertEquals(44, of(got, "q")[129]); // 44.8 lies between 44 and 48
    }

    @Test
    void fp8ShapesAreChecked() {
        assertEquals(
                List.of("buffers.s.shape: [3], expected 2 scales for granularity token"),
                faults(fp8(DataType.E4M3, "token", 2, 4, 3)));
        assertEquals(
                List.of("check.conventions.granularity: 'channel', expected tensor or token or head or token-head or"
                        + " block128"),
                faults(fp8(DataType.E4M3, "channel", 2, 4, 2, 1)));
    }

    /**
     * Groups of two. (7, -3.5): scale 1, rint(-3.5) = -4 (even), codes 15 and 4, byte 0x4F. (0, 0): scale 1, codes 8,
     * byte 0x88. (-14, 5): scale 2, codes -7 + 8 = 1 and rint(2.5) = 2 -> 10, byte 0xA1. (0.7, 0.7): scale 0.1f, codes
     * 15, byte 0xFF.
     */
    @Test
    void int4ByHand() {
        Instance instance = new HandMade("quant.int4")
                .input("x", DataType.F32, 2, 4)
                .output("q", DataType.U8, HandMade.exact(), 2, 2)
                .output("s", DataType.F32, HandMade.exact(), 2, 2)
                .number("group", 2)
                .build();
        Map<String, double[]> got = run(
                instance,
                Map.of("x", HandMade.tensor(DataType.F32, new double[] {7, -3.5, 0, 0, -14, 5, 0.7f, 0.7f}, 2, 4)));
        assertArrayEquals(new double[] {1, 1, 2, 0.7f / 7f}, of(got, "s"));
        assertArrayEquals(new double[] {0x4F, 0x88, 0xA1, 0xFF}, of(got, "q"));
    }

    /** One scale for the row: 14 / 7 = 2; codes 7 + 8, -2 + 8 (rint(-1.5) = -2), 1 + 8 (2 / 2), 8. */
    @Test
    void int4OfAWholeRowByHand() {
        HandMade made = new HandMade("quant.int4")
                .input("x", DataType.F16, 1, 4)
                .output("q", DataType.U8, HandMade.exact(), 1, 2)
                .output("s", DataType.F32, HandMade.exact(), 1, 1);
        Map<String, Tensor> x = Map.of("x", HandMade.tensor(DataType.F16, new double[] {14, -3, 2, 0}, 1, 4));
        assertArrayEquals(new double[] {0x6F, 0x89}, of(run(made.build(), x), "q"));
        made.number("group", -1);
        assertArrayEquals(new double[] {0x6F, 0x89}, of(run(made.build(), x), "q"));
        made.number("group", 3);
        assertEquals(
                List.of("check.conventions.group: 3 does not divide the 4 columns of x (-1 means a whole row)"),
                faults(made.build()));
    }

    /** Columns (448, 1 | 224, 2) and (0, 448 | 0, 0): heads of two columns; scales of all rows and of each. */
    @ParameterizedTest
    @CsvSource({"head, '1 0.5', '448 1 448 4 0 448 0 0'", "token-head, '1 0.5 1 1', '448 1 448 4 0 448 0 0'"})
    void fp8PerHeadByHand(String granularity, String scales, String codes) {
        boolean all = granularity.equals("head");
        Instance instance = new HandMade("quant.fp8")
                .input("x", DataType.F32, 2, 4)
                .output("q", DataType.E4M3, HandMade.exact(), 2, 4)
                .output("s", DataType.F32, HandMade.exact(), all ? 1 : 2, 2)
                .word("granularity", granularity)
                .number("heads", 2)
                .build();
        Map<String, double[]> got = run(
                instance,
                Map.of("x", HandMade.tensor(DataType.F32, new double[] {448, 1, 224, 2, 0, 448, 0, 0}, 2, 4)));
        assertArrayEquals(numbers(scales), of(got, "s"));
        assertArrayEquals(numbers(codes), of(got, "q"));
    }

    private static double[] numbers(String text) {
        return Stream.of(text.split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
    }

    @Test
    void headsMustDivideTheColumns() {
        HandMade made = new HandMade("quant.fp8")
                .input("x", DataType.F32, 2, 4)
                .output("q", DataType.E4M3, HandMade.exact(), 2, 4)
                .output("s", DataType.F32, HandMade.exact(), 1, 3)
                .word("granularity", "head");
        assertEquals(
                List.of(
                        "check.conventions: reference 'quant.fp8' needs 'heads', how many heads the columns are",
                        "buffers.s.shape: [1x3], expected 1 scales for granularity head"),
                faults(made.build()));
        made.number("heads", 3);
        assertEquals(List.of("check.conventions.heads: 3.0 does not divide the 4 columns of x"), faults(made.build()));
    }

    /** A magnitude so small that amax / 448 is 0 in f32 gets the scale 1, so that nothing is divided by 0. */
    @Test
    void aScaleIsNeverZero() {
        Map<String, double[]> got = run(
                fp8(DataType.E4M3, "token", 1, 2, 1),
                Map.of("x", HandMade.tensor(DataType.F32, new double[] {Float.MIN_VALUE, 0}, 1, 2)));
        assertArrayEquals(new double[] {1}, of(got, "s"));
        assertArrayEquals(new double[] {0, 0}, of(got, "q"));
    }

    /**
     * The codes 0x38, 0xC4, 0x01, 0x80 with the scale 2. e4m3 (bias 7): 1, -3, 2^-9, -0. e4m3fnuz (bias 8): half of each,
     * and 0x80 is NaN. e5m2 (bias 15): 0.5, -4, 2^-16, -0. e5m2fnuz (bias 16): half.
     */
    @ParameterizedTest
    @CsvSource({
        "E4M3, '2 -6 0.00390625 -0.0'",
        "E4M3FNUZ, '1 -3 0.001953125 NaN'",
        "E5M2, '1 -8 0.000030517578125 -0.0'",
        "E5M2FNUZ, '0.5 -4 0.0000152587890625 NaN'"
    })
    void fp8CodesBecomeRealsByHand(DataType type, String expected) {
        Instance instance = new HandMade("quant.fp8.dequantize")
                .input("q", type, 1, 4)
                .input("s", DataType.F32, 1)
                .output("out", DataType.F32, HandMade.exact(), 1, 4)
                .word("granularity", "tensor")
                .build();
        Tensor q = HandMade.zeros(type, 1, 4);
        long[] codes = {0x38, 0xC4, 0x01, 0x80};
        for (int i = 0; i < codes.length; i++) {
            Formats.setBits(q, i, codes[i]);
        }
        assertArrayEquals(
                numbers(expected),
                of(run(instance, Map.of("q", q, "s", HandMade.tensor(DataType.F32, new double[] {2}, 1))), "out"));
    }

    /** 448 · 200 = 89600 is beyond f16, so infinite; 1.125 · 0.1f rounded once to f32, then to f16. */
    @Test
    void fp8IsRoundedToTheOutput() {
        Instance instance = new HandMade("quant.fp8.dequantize")
                .input("q", DataType.E4M3, 2, 1)
                .input("s", DataType.F32, 2)
                .output("out", DataType.F16, HandMade.exact(), 2, 1)
                .word("granularity", "token")
                .word("arithmetic", "f32-multiply")
                .build();
        double[] got = of(
                run(
                        instance,
                        Map.of(
                                "q", HandMade.tensor(DataType.E4M3, new double[] {448, 1.125}, 2, 1),
                                "s", HandMade.tensor(DataType.F32, new double[] {200, 0.1f}, 2))),
                "out");
        assertArrayEquals(
                new double[] {Double.POSITIVE_INFINITY, Float.float16ToFloat(Float.floatToFloat16(1.125f * 0.1f))},
                got);
    }

    private static HandMade int4(String packing, boolean symmetric, int group, long rows, long cols) {
        boolean plain = packing.equals("plain");
        DataType word = plain ? DataType.U8 : DataType.U32;
        long groups = (plain ? cols : rows) / group;
        return new HandMade("quant.int4")
                .input("x", DataType.F32, rows, cols)
                .output(
                        "q",
                        word,
                        HandMade.exact(),
                        packing.startsWith("gptq") ? rows / 8 : rows,
                        plain ? cols / 2 : packing.equals("awq") ? cols / 8 : cols)
                .output("s", DataType.F32, HandMade.exact(), plain ? rows : groups, plain ? groups : cols)
                .output("z", word, HandMade.exact(), plain ? rows : groups, plain ? groups : cols / 8)
                .number("group", group)
                .word("symmetric", String.valueOf(symmetric))
                .word("packing", packing);
    }

    /**
     * Groups of two. (-1, 14): scale 1, zero 1, codes 0 and 15. (3, 30): 0 belongs to the range, so scale 2, zero 0, codes
     * rint(1.5) = 2 and 15. (0, 0): scale 1, zero 0. (-7.5, 7.5): scale 1, zero rint(7.5) = 8, codes -8 + 8 and, held,
     * 8 + 8 -> 15.
     */
    @Test
    void asymmetricInt4ByHand() {
        Map<String, double[]> got = run(
                int4("plain", false, 2, 2, 4).build(),
                Map.of("x", HandMade.tensor(DataType.F32, new double[] {-1, 14, 3, 30, 0, 0, -7.5, 7.5}, 2, 4)));
        assertArrayEquals(new double[] {1, 2, 1, 1}, of(got, "s"));
        assertArrayEquals(new double[] {1, 0, 0, 8}, of(got, "z"));
        assertArrayEquals(new double[] {0xF0, 0xF2, 0x00, 0xF0}, of(got, "q"));
    }

    /**
     * x[i][j] = (j - 8 if i = 0, else 0) in one group of 8 rows and 8 columns; column j has amax 8 - j, so only the signs
     * matter: the code of row 0 is -7 + 8 = 1 and of the others 8. AWQ: row 0 is 0x11111111, others 0x88888888. GPTQ: a
     * column is its row 0 lowest, 0x88888881. Zero points are 8, which v1 stores as 7.
     */
    @ParameterizedTest
    @CsvSource({"awq, 0x88888888", "gptq_v1, 0x77777777", "gptq_v2, 0x88888888"})
    void packedWordsByHand(String packing, long zeros) {
        double[] x = new double[64];
        double[] scales = new double[8];
        for (int j = 0; j < 8; j++) {
            x[j] = j - 8;
            scales[j] = (float) (8 - j) / 7f;
        }
        Map<String, double[]> got =
                run(int4(packing, true, 8, 8, 8).build(), Map.of("x", HandMade.tensor(DataType.F32, x, 8, 8)));
        assertArrayEquals(scales, of(got, "s"));
        assertArrayEquals(new double[] {zeros}, of(got, "z"));
        double[] q = of(got, "q");
        for (int w = 0; w < 8; w++) {
            double awq = w == 0 ? 0x11111111L : 0x88888888L;
            assertEquals(packing.equals("awq") ? awq : 0x88888881L, q[w], "word " + w);
        }
    }

    /** One row of AWQ, codes 0 to 7 above the zero point by column: the word's nibbles are columns 0,2,4,6,1,3,5,7. */
    @Test
    void awqInterleavesItsColumns() {
        Map<String, double[]> got = run(
                int4("awq", true, 1, 1, 8).build(),
                Map.of("x", HandMade.tensor(DataType.F32, new double[] {7, -7, 7, -7, 0, 7, 0, -7}, 1, 8)));
        // Groups of one element: +7 is code 15, -7 code 1, 0 code 8. Columns 0,2,4,6: F F 8 8; columns 1,3,5,7: 1 1 F
        // 1.
        assertEquals(0x1F1188FFL, of(got, "q")[0]);
    }

    /**
     * Words 0x76543210 read as AWQ, GPTQ v1 and v2 with zero points 0x00000000 and scale 1. AWQ gives a row 0 4 1 5 2 6 3 7
     * (the inverse of the order), GPTQ a column 0 to 7; v1 means zero points of 1.
     */
    @ParameterizedTest
    @CsvSource({"awq, '0 4 1 5 2 6 3 7'", "gptq_v1, '-1 0 1 2 3 4 5 6'", "gptq_v2, '0 1 2 3 4 5 6 7'"})
    void packedCodesBecomeRealsByHand(String packing, String expected) {
        boolean awq = packing.equals("awq");
        double[] ones = new double[8];
        java.util.Arrays.fill(ones, 1);
        double[] words = new double[8];
        java.util.Arrays.fill(words, 0x76543210L);
        HandMade made = new HandMade("quant.int4.dequantize")
                .input("q", DataType.U32, awq ? 8 : 1, awq ? 1 : 8)
                .input("s", DataType.F32, 1, 8)
                .input("z", DataType.U32, 1, 1)
                .output("out", DataType.F32, HandMade.exact(), 8, 8)
                .number("group", -1)
                .word("packing", packing);
        double[] out = of(
                run(
                        made.build(),
                        Map.of(
                                "q", HandMade.tensor(DataType.U32, words, awq ? 8 : 1, awq ? 1 : 8),
                                "s", HandMade.tensor(DataType.F32, ones, 1, 8),
                                "z", HandMade.zeros(DataType.U32, 1, 1))),
                "out");
        double[] want = numbers(expected);
        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 8; j++) {
                assertEquals(want[awq ? j : i], out[8 * i + j], "row " + i + " column " + j);
            }
        }
    }

    /** Weights [8, 8] of one group of 8 inputs: column j of row i is i - 1 (GPTQ v1, word 0x76543210), scale 0.5. */
    private static HandMade w4a16(String reference) {
        return new HandMade(reference)
                .input("q", DataType.U32, 1, 8)
                .input("s", DataType.F32, 1, 8)
                .input("z", DataType.U32, 1, 1)
                .number("group", 8)
                .word("packing", "gptq_v1");
    }

    private static double[] w4a16(HandMade made, Tensor x) {
        double[] words = new double[8];
        double[] halves = new double[8];
        java.util.Arrays.fill(words, 0x76543210L);
        java.util.Arrays.fill(halves, 0.5);
        return of(
                run(
                        made.build(),
                        Map.of(
                                "q", HandMade.tensor(DataType.U32, words, 1, 8),
                                "s", HandMade.tensor(DataType.F32, halves, 1, 8),
                                "z", HandMade.zeros(DataType.U32, 1, 1),
                                "x", x)),
                "y");
    }

    /** x = 1 2 3 ...: -1 + 0 + 3 + 8 + 15 + 24 + 35 + 48 = 132, halved. */
    @Test
    void w4a16ByHand() {
        double[] y = w4a16(
                w4a16("quant.w4a16_gemv").input("x", DataType.F16, 8).output("y", DataType.F16, HandMade.exact(), 8),
                HandMade.tensor(DataType.F16, new double[] {1, 2, 3, 4, 5, 6, 7, 8}, 8));
        assertEquals(8, y.length);
        for (double sum : y) {
            assertEquals(66, sum);
        }
    }

    /** The same row, and a second one that picks inputs 0 and 7: -1 + 6 = 5, halved. */
    @Test
    void w4a16OfSeveralRowsByHand() {
        double[] x = {1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 0, 0, 0, 0, 0, 1};
        double[] y = w4a16(
                w4a16("quant.w4a16_gemm")
                        .input("x", DataType.F16, 2, 8)
                        .output("y", DataType.F16, HandMade.exact(), 2, 8),
                HandMade.tensor(DataType.F16, x, 2, 8));
        for (int col = 0; col < 8; col++) {
            assertEquals(66, y[col]);
            assertEquals(2.5, y[8 + col]);
        }
    }

    @Test
    void w4a16OfAnotherNumberOfRowsIsRefused() {
        assertEquals(
                List.of("buffers.y.shape: [3x8], expected [2x8] [rows, out], as many rows as x"),
                faults(w4a16("quant.w4a16_gemm")
                        .input("x", DataType.F16, 2, 8)
                        .output("y", DataType.F16, HandMade.exact(), 3, 8)
                        .build()));
    }

    // ---- matrix products ----

    /** (1 2 3; 4 5 6) times the transpose of (1 0 -1; 2 2 2). */
    @Test
    void gemmByHand() {
        Instance instance = new HandMade("gemm")
                .input("a", DataType.F32, 2, 3)
                .input("b", DataType.F32, 2, 3)
                .output("c", DataType.F32, HandMade.exact(), 2, 2)
                .build();
        double[] c = of(
                run(
                        instance,
                        Map.of(
                                "a", HandMade.tensor(DataType.F32, new double[] {1, 2, 3, 4, 5, 6}, 2, 3),
                                "b", HandMade.tensor(DataType.F32, new double[] {1, 0, -1, 2, 2, 2}, 2, 3))),
                "c");
        assertArrayEquals(new double[] {-2, 12, -2, 30}, c);
    }

    @Test
    void gemmOfMatricesThatDoNotFitIsRefused() {
        assertEquals(
                List.of(
                        "buffers.b.shape: [4x5], expected [4x3] [n, k], k as in a",
                        "buffers.c.shape: [4x2], expected [2x4] [m, n], the rows of a and of b"),
                faults(new HandMade("gemm")
                        .input("a", DataType.F32, 2, 3)
                        .input("b", DataType.F32, 4, 5)
                        .output("c", DataType.F32, HandMade.exact(), 4, 2)
                        .build()));
    }

    @Test
    void packingsThatDoNotFitAreRefused() {
        assertEquals(
                List.of(
                        "check.conventions.packing: gptq_v2 packs eights, but the matrix is [12x8]",
                        "check.conventions.group: 8 does not divide the 12 rows of x (-1 means a whole column)"),
                faults(int4("gptq_v2", true, 8, 12, 8).build()));
        assertEquals(
                List.of(
                        "buffers.q.shape: [8x8], expected [8x1] [rows, cols/8]",
                        "buffers.z.type: u8, expected i32 or u32",
                        "buffers.z.shape: [8x4], expected [1x1] [rows/group, cols/8]"),
                faults(new HandMade("quant.int4")
                        .input("x", DataType.F32, 8, 8)
                        .output("q", DataType.U32, HandMade.exact(), 8, 8)
                        .output("s", DataType.F32, HandMade.exact(), 1, 8)
                        .output("z", DataType.U8, HandMade.exact(), 8, 4)
                        .number("group", 8)
                        .word("packing", "awq")
                        .build()));
        assertEquals(
                List.of("check.conventions.packing: 'gguf', expected plain or awq or gptq_v1 or gptq_v2"),
                faults(int4("plain", true, 2, 2, 4).word("packing", "gguf").build()));
    }

    // ---- ceilings ----

    /** Two steps of x -> 0.5 x + 1 from 1: 1.5, 1.75; from 1.03125: 1.515625, 1.7578125. */
    @Test
    void fmaChainsByHand() {
        Instance instance = new HandMade("ceiling.fma")
                .output("out", DataType.F32, HandMade.exact(), 40)
                .number("steps", 2)
                .number("a", 0.5)
                .number("b", 1)
                .build();
        double[] out = of(run(instance, Map.of()), "out");
        assertEquals(1.75, out[0]);
        assertEquals(1.7578125, out[1]);
        assertEquals(1.75, out[32]);
        assertEquals(0.25 * (1 + 31 * 0.03125) + 1.5, out[31]);
    }

    /**
     * With whole numbers from -2 to 2: a[0] is -2, 11 mod 5 - 2 = -1; a[1] is 7 mod 5 - 2 = 0, 18 mod 5 - 2 = 1; b[0] is -2,
     * 13 mod 5 - 2 = 1; b[1] is 5 mod 5 - 2 = -2, 18 mod 5 - 2 = 1. Three times their products.
     */
    @Test
    void productsOfMatricesByHand() {
        for (DataType type : List.of(DataType.F32, DataType.I32)) {
            Instance instance = new HandMade("ceiling.mma")
                    .output("out", type, HandMade.exact(), 2, 2, 2)
                    .number("steps", 3)
                    .number("depth", 2)
                    .number("most", 2)
                    .build();
            double[] out = of(run(instance, Map.of()), "out");
            assertArrayEquals(new double[] {9, 9, 3, 3, 9, 9, 3, 3}, out);
        }
    }

    /** A product and a sum rounded apart would give 0: (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, lost without fusion. */
    @Test
    void fmaIsFused() {
        Instance instance = new HandMade("ceiling.fma")
                .output("out", DataType.F32, HandMade.exact(), 32)
                .number("steps", 1)
                .number("a", 1 + 0x1p-23)
                .number("b", -1.03125)
                .build();
        // Element 1 starts at 1.03125: 1.03125 (1 + 2^-23) - 1.03125 = 1.03125 2^-23 exactly.
        assertEquals(1.03125 * 0x1p-23, of(run(instance, Map.of()), "out")[1]);
    }

    /** Sums in order: (1e8 + 1) - 1e8 in f32 is 0, not 1; the second copy is doubled. */
    @Test
    void streamsByHand() {
        Instance instance = new HandMade("ceiling.stream")
                .input("src", DataType.F32, 3, 2)
                .output("dst", DataType.F32, HandMade.exact(), 2, 2)
                .build();
        Map<String, double[]> got = run(
                instance, Map.of("src", HandMade.tensor(DataType.F32, new double[] {1e8, 1, 1, 2, -1e8, 3.5}, 3, 2)));
        assertArrayEquals(new double[] {0, 6.5, 0, 13}, of(got, "dst"));
        assertEquals(
                List.of("buffers.dst.shape: [2x3], expected [2x2] [writes, n]"),
                faults(new HandMade("ceiling.stream")
                        .input("src", DataType.F32, 3, 2)
                        .output("dst", DataType.F32, HandMade.exact(), 2, 3)
                        .build()));
    }

    /** Rows of 70,000 elements are cut by blocks of elements. */
    @Test
    void longStreamsAreCutAnywhere() {
        int n = 70_000;
        Instance instance = new HandMade("ceiling.stream")
                .input("src", DataType.F32, new Fill.Iota(1, 1), 1, n)
                .output("dst", DataType.F32, HandMade.exact(), 2, n)
                .build();
        double[] got = of(run(instance, Filler.fill(instance, 1, Arena.ofAuto()).tensors()), "dst");
        assertArrayEquals(
                IntStream.range(0, 2 * n)
                        .mapToDouble(i -> i < n ? i + 1.0 : 2.0 * (i - n + 1))
                        .toArray(),
                got);
    }

    // ---- copy and linear ----

    @Test
    void copiesAreOfTheFirstInput() {
        Instance instance = new HandMade("copy")
                .input("from", DataType.F32, 3)
                .input("other", DataType.F32, 3)
                .output("to", DataType.F32, HandMade.exact(), 3)
                .build();
        Tensor from = HandMade.tensor(DataType.F32, new double[] {1, -0.0, 3}, 3);
        Tensor other = HandMade.tensor(DataType.F32, new double[] {7, 7, 7}, 3);
        assertArrayEquals(new double[] {1, -0.0, 3}, of(run(instance, Map.of("from", from, "other", other)), "to"));
        assertEquals(
                List.of("check: reference 'copy' needs a buffer 'out' to copy to; there are from (check.buffers maps"
                        + " out to another name)"),
                faults(new HandMade("copy").input("from", DataType.F32, 3).build()));
    }

    /** 2.5 (1, 2, -4) + (10, 20, 30) = (12.5, 25, 20). */
    @Test
    void linearByHand() {
        Map<String, Tensor> inputs = Map.of(
                "x", HandMade.tensor(DataType.F32, new double[] {1, 2, -4}, 3),
                "y", HandMade.tensor(DataType.F32, new double[] {10, 20, 30}, 3));
        Instance apart = new HandMade("linear")
                .input("x", DataType.F32, 3)
                .input("y", DataType.F32, 3)
                .output("out", DataType.F32, HandMade.exact(), 3)
                .number("alpha", 2.5)
                .build();
        assertArrayEquals(new double[] {12.5, 25, 20}, of(run(apart, inputs), "out"));
        Instance inPlace = new HandMade("linear")
                .input("x", DataType.F32, 3)
                .add(new Buffer(
                        "y",
                        DataType.F32,
                        Shape.of(3),
                        Buffer.Role.INOUT,
                        Optional.of(new Fill.Normal(0, 1)),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalDouble.empty(),
                        Optional.of(HandMade.exact())))
                .number("alpha", 2.5)
                .build();
        assertArrayEquals(new double[] {12.5, 25, 20}, of(run(inPlace, inputs), "y"));
    }

    @Test
    void samplesHaveNoPositionTwice() {
        long[] sample = Sample.of(5_000_000, 1 << 16, 3);
        assertTrue(sample.length >= 1 << 16 && sample.length < (1 << 16) + 30);
        assertEquals(0, sample[0]);
        assertEquals(4_999_999, sample[sample.length - 1]);
        for (int i = 1; i < sample.length; i++) {
            assertTrue(sample[i] > sample[i - 1]);
        }
    }
}
