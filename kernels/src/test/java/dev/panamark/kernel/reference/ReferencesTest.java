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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReferencesTest {

    @Test
    void referencesAreFoundByName() {
        assertEquals(
                List.of(
                        "attention",
                        "kv.gather",
                        "quant.fp8",
                        "quant.int4",
                        "ceiling.fma",
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
                        "buffers.out.type: f32, expected f16",
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
                List.of("check.conventions.granularity: 'channel', expected tensor or token or block128"),
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
