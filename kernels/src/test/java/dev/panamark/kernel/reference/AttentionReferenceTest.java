package dev.panamark.kernel.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Fill;
import dev.panamark.kernel.HandMade;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.OutputCheck;
import dev.panamark.kernel.Shape;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.fill.Filler;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttentionReferenceTest {
    private static final Reference ATTENTION = References.named("attention").orElseThrow();
    private static final double LN2 = Math.log(2);
    private static final double LN3 = Math.log(3);
    private static final OutputCheck CLOSE = HandMade.check(OutputCheck.Rule.CLOSE, 1e-3, 1e-3);

    private static HandMade prefill(
            DataType type, long batch, long seq, long kvSeq, long heads, long kvHeads, long dim) {
        return new HandMade("attention")
                .input("q", type, batch, seq, heads, dim)
                .input("k", type, batch, kvSeq, kvHeads, dim)
                .input("v", type, batch, kvSeq, kvHeads, dim)
                .output("out", type, CLOSE, batch, seq, heads, dim)
                .output("lse", type, CLOSE, batch, heads, seq);
    }

    private static Map<String, double[]> run(Instance instance, Inputs inputs) {
        assertEquals(List.of(), ATTENTION.faults(instance));
        Map<String, double[]> results = new HashMap<>();
        for (Expectation e : ATTENTION.expect(instance, inputs, 5)) {
            results.put(e.output(), HandMade.sampled(instance.buffer(e.output()), e));
        }
        return results;
    }

    private static double[] of(Map<String, double[]> results, String name) {
        return java.util.Objects.requireNonNull(results.get(name));
    }

    /**
     * Two queries, two keys: q0 = (1, 0), q1 = (0, 1), k0 = (ln 3, 0), k1 = (0, ln 2), v0 = (4, 0), v1 = (0, 8).
     *
     * <p>Scores of q0: ln 3, 0, so weights 3/4, 1/4, out (3, 2), lse ln(3 + 1). Scores of q1: 0, ln 2, so weights 1/3,
     * 2/3, out (4/3, 16/3), lse ln(1 + 2).
     */
    private static Inputs twoByTwo(double factor) {
        return new Inputs(
                Map.of(
                        "q", HandMade.tensor(DataType.F64, new double[] {1, 0, 0, 1}, 1, 2, 1, 2),
                        "k", HandMade.tensor(DataType.F64, new double[] {factor * LN3, 0, 0, factor * LN2}, 1, 2, 1, 2),
                        "v", HandMade.tensor(DataType.F64, new double[] {4, 0, 0, 8}, 1, 2, 1, 2)),
                0);
    }

    @Test
    void twoByTwoByHand() {
        Instance instance =
                prefill(DataType.F64, 1, 2, 2, 1, 1, 2).number("scale", 1).build();
        Map<String, double[]> got = run(instance, twoByTwo(1));
        assertArrayEquals(new double[] {3, 2, 4.0 / 3, 16.0 / 3}, of(got, "out"), 1e-12);
        assertArrayEquals(new double[] {Math.log(4), LN3}, of(got, "lse"), 1e-12);
    }

    /** Keys longer by sqrt(head_dim) = sqrt 2 make up for the default scale. */
    @Test
    void theDefaultScaleIsOneOverTheRootOfHeadDim() {
        Instance instance = prefill(DataType.F64, 1, 2, 2, 1, 1, 2).build();
        assertArrayEquals(
                new double[] {3, 2, 4.0 / 3, 16.0 / 3}, of(run(instance, twoByTwo(Math.sqrt(2))), "out"), 1e-12);
    }

    /** Query 0 sees key 0 alone: out v0, lse ln 3. Query 1 sees both. */
    @Test
    void causalByHand() {
        Instance instance = prefill(DataType.F64, 1, 2, 2, 1, 1, 2)
                .number("scale", 1)
                .word("causal", "bottom-right")
                .build();
        Map<String, double[]> got = run(instance, twoByTwo(1));
        assertArrayEquals(new double[] {4, 0, 4.0 / 3, 16.0 / 3}, of(got, "out"), 1e-12);
        assertArrayEquals(new double[] {LN3, LN3}, of(got, "lse"), 1e-12);
    }

    /** lse in bits: log2(4) = 2. */
    @Test
    void lseMayHaveBaseTwo() {
        Instance instance = new HandMade("attention")
                .input("q", DataType.F64, 1, 2, 1, 2)
                .input("k", DataType.F64, 1, 2, 1, 2)
                .input("v", DataType.F64, 1, 2, 1, 2)
                .output("out", DataType.F64, CLOSE, 1, 2, 1, 2)
                .output(
                        "lse",
                        DataType.F64,
                        new OutputCheck(OutputCheck.Rule.CLOSE, 0, 0, "2", OptionalDouble.empty()),
                        1,
                        1,
                        2)
                .number("scale", 1)
                .build();
        assertArrayEquals(new double[] {2, LN3 / LN2}, of(run(instance, twoByTwo(1)), "lse"), 1e-12);
    }

    /** Three queries, one key, bottom-right: queries 0 and 1 see nothing. */
    @ParameterizedTest
    @CsvSource({"-Infinity, false", "7, true"})
    void rowsWithoutKeysAreZero(double empty, boolean given) {
        Instance instance = new HandMade("attention")
                .input("q", DataType.F32, 1, 3, 1, 2)
                .input("k", DataType.F32, 1, 1, 1, 2)
                .input("v", DataType.F32, 1, 1, 1, 2)
                .output("out", DataType.F32, CLOSE, 1, 3, 1, 2)
                .output(
                        "lse",
                        DataType.F32,
                        new OutputCheck(
                                OutputCheck.Rule.CLOSE,
                                0,
                                0,
                                "e",
                                given ? OptionalDouble.of(empty) : OptionalDouble.empty()),
                        1,
                        1,
                        3)
                .word("causal", "bottom-right")
                .build();
        Inputs inputs = Filler.fill(instance, 1, Arena.ofAuto());
        Map<String, double[]> got = run(instance, inputs);
        double[] v = Formats.read(inputs.get("v"));
        assertArrayEquals(new double[] {0, 0, 0, 0, v[0], v[1]}, of(got, "out"));
        assertEquals(empty, of(got, "lse")[0]);
        assertEquals(empty, of(got, "lse")[1]);
        assertTrue(Double.isFinite(of(got, "lse")[2]) && of(got, "lse")[2] != empty);
    }

    /** Queries of zero weigh all keys that they see alike, so rows are means of 1, 2, 4, 8 and lse is ln of a count. */
    @Test
    void windowsByHand() {
        HandMade made = prefill(DataType.F64, 1, 4, 4, 1, 1, 1).number("window_left", 1);
        Inputs inputs = new Inputs(
                Map.of(
                        "q", HandMade.zeros(DataType.F64, 1, 4, 1, 1),
                        "k", HandMade.tensor(DataType.F64, new double[] {5, 6, 7, 8}, 1, 4, 1, 1),
                        "v", HandMade.tensor(DataType.F64, new double[] {1, 2, 4, 8}, 1, 4, 1, 1)),
                0);
        Map<String, double[]> toTheEnd = run(made.build(), inputs);
        assertArrayEquals(new double[] {15.0 / 4, 15.0 / 4, 14.0 / 3, 6}, of(toTheEnd, "out"), 1e-12);
        Map<String, double[]> both = run(made.number("window_right", 1).build(), inputs);
        assertArrayEquals(new double[] {1.5, 7.0 / 3, 14.0 / 3, 6}, of(both, "out"), 1e-12);
        assertArrayEquals(new double[] {LN2, LN3, LN3, LN2}, of(both, "lse"), 1e-12);
        Map<String, double[]> causal = run(made.word("causal", "bottom-right").build(), inputs);
        assertArrayEquals(new double[] {1, 1.5, 3, 6}, of(causal, "out"), 1e-12);
    }

    /**
     * Two queries of zero and three keys with values 1, 0, 0: row i has its diagonal at key i + 1. With the slope ln 2, a
     * distance of one halves a weight: row 0 has weights 1/2, 1, 1/2 (flash) or 1/2, 1, 2 (signed), row 1 has 1/4, 1/2, 1
     * in both. The cap of 1e-9 shows that the bias comes after it.
     */
    @ParameterizedTest
    @CsvSource({"flash, 2", "signed, 3.5"})
    void alibiByHand(String convention, double sumOfRow0) {
        Instance instance = prefill(DataType.F64, 1, 2, 3, 1, 1, 1)
                .input("slopes", DataType.F64, 1)
                .word("alibi", convention)
                .number("softcap", 1e-9)
                .build();
        Inputs inputs = new Inputs(
                Map.of(
                        "q", HandMade.tensor(DataType.F64, new double[] {3, -2}, 1, 2, 1, 1),
                        "k", HandMade.tensor(DataType.F64, new double[] {5, 6, 7}, 1, 3, 1, 1),
                        "v", HandMade.tensor(DataType.F64, new double[] {1, 0, 0}, 1, 3, 1, 1),
                        "slopes", HandMade.tensor(DataType.F64, new double[] {LN2}, 1)),
                0);
        Map<String, double[]> got = run(instance, inputs);
        assertArrayEquals(new double[] {0.5 / sumOfRow0, 0.25 / 1.75}, of(got, "out"), 1e-8);
        assertArrayEquals(new double[] {Math.log(sumOfRow0), Math.log(1.75)}, of(got, "lse"), 1e-8);
    }

    @Test
    void alibiNeedsSlopes() {
        assertEquals(
                List.of(
                        "check: reference 'attention' needs a buffer 'slopes' [heads], the slopes of alibi; there are q, k,"
                                + " v, out, lse (check.buffers maps slopes to another name)"),
                ATTENTION.faults(prefill(DataType.F16, 1, 4, 4, 2, 2, 8)
                        .word("alibi", "flash")
                        .build()));
    }

    private static Buffer scaledPool(DataType type, int packed, long width) {
        return new Buffer(
                "kv",
                type,
                Shape.of(2, 2, 2, 1, width),
                Buffer.Role.INPUT,
                Optional.of(new Fill.Normal(0, 1)),
                Optional.of("ks"),
                Optional.empty(),
                OptionalDouble.empty(),
                Optional.empty(),
                packed,
                true);
    }

    /**
     * Two tokens on page 1. Stored keys (2, 0) and (0, 4) with scales ln(3)/2 and ln(2)/4 are (ln 3, 0) and (0, ln 2);
     * stored values (1, -8) and (-3, 7) with scales 2 and 10 are (2, -16) and (-30, 70). The query (1, 0) weighs them 3/4
     * and 1/4: out (-6, 5.5), lse ln 4. As four-bit codes plus 8, low bits first: 0x8a, 0xc8; 0x09, 0xf5.
     */
    @ParameterizedTest
    @CsvSource({"I8, 1", "U8, 2"})
    void wholeNumbersAreReadWithTheScalesOfTheirTokens(DataType type, int packed) {
        Instance instance = new HandMade("attention")
                .input("q", DataType.F64, 1, 1, 2)
                .add(scaledPool(type, packed, 2 / packed))
                .input("table", DataType.I32, new Fill.Constant(0), 1, 1)
                .input("lens", DataType.I32, new Fill.Constant(0), 1)
                .input("ks", DataType.F64, new Fill.AmaxOf("kv", 7, List.of(0, 1, 2, 3)), 2, 2, 2, 1)
                .output("out", DataType.F64, CLOSE, 1, 1, 2)
                .output("lse", DataType.F64, CLOSE, 1, 1)
                .number("scale", 1)
                .build();
        double[] stored = packed == 1
                ? new double[] {99, 99, 99, 99, 99, 99, 99, 99, 2, 0, 0, 4, 1, -8, -3, 7}
                : new double[] {255, 255, 255, 255, 0x8a, 0xc8, 0x09, 0xf5};
        Inputs inputs = new Inputs(
                Map.of(
                        "q", HandMade.tensor(DataType.F64, new double[] {1, 0}, 1, 1, 2),
                        "kv", HandMade.tensor(type, stored, 2, 2, 2, 1, 2 / packed),
                        "table", HandMade.tensor(DataType.I32, new double[] {1}, 1, 1),
                        "lens", HandMade.tensor(DataType.I32, new double[] {2}, 1),
                        "ks",
                                HandMade.tensor(
                                        DataType.F64, new double[] {9, 9, 9, 9, LN3 / 2, LN2 / 4, 2, 10}, 2, 2, 2, 1)),
                0);
        Map<String, double[]> got = run(instance, inputs);
        assertArrayEquals(new double[] {-6, 5.5}, of(got, "out"), 1e-12);
        assertArrayEquals(new double[] {Math.log(4)}, of(got, "lse"), 1e-12);
    }

    @Test
    void wholeNumbersWithoutScalesAreNamed() {
        Instance instance = new HandMade("attention")
                .input("q", DataType.F16, 1, 4, 8)
                .input("kv", DataType.I8, new Fill.Bits(), 1, 2, 6, 2, 8)
                .output("out", DataType.F16, CLOSE, 1, 4, 8)
                .build();
        assertEquals(
                List.of("buffers.kv.type: i8, expected a floating-point type, or i8 or packed u8 with scales 'ks'"),
                ATTENTION.faults(instance));
    }

    /** Straight from the definition, one number at a time. */
    private static double[] naive(Inputs in, double scale, boolean causal, long left, long right, double cap) {
        Tensor q = in.get("q");
        Tensor k = in.get("k");
        Tensor v = in.get("v");
        long batch = q.shape().dim(0);
        long seq = q.shape().dim(1);
        long heads = q.shape().dim(2);
        long dim = q.shape().dim(3);
        long kvSeq = k.shape().dim(1);
        long group = heads / k.shape().dim(2);
        double[] out = new double[(int) q.shape().elements()];
        for (long b = 0; b < batch; b++) {
            for (long h = 0; h < heads; h++) {
                for (long i = 0; i < seq; i++) {
                    double[] sums = new double[(int) dim];
                    double weights = 0;
                    for (long j = 0; j < kvSeq; j++) {
                        long diagonal = i + kvSeq - seq;
                        boolean hidden = (causal && j > diagonal)
                                || (left >= 0 && j < diagonal - left)
                                || (right >= 0 && j > diagonal + right);
                        double s = 0;
                        for (long d = 0; d < dim; d++) {
                            s += Formats.get(q, q.shape().offset(b, i, h, d))
                                    * Formats.get(k, k.shape().offset(b, j, h / group, d));
                        }
                        s *= scale;
                        double w = hidden ? 0 : Math.exp(cap == 0 ? s : cap * Math.tanh(s / cap));
                        weights += w;
                        for (int d = 0; d < dim; d++) {
                            sums[d] += w * Formats.get(v, v.shape().offset(b, j, h / group, d));
                        }
                    }
                    for (int d = 0; d < dim; d++) {
                        out[(int) q.shape().offset(b, i, h, d)] = weights == 0 ? 0 : sums[d] / weights;
                    }
                }
            }
        }
        return out;
    }

    @ParameterizedTest
    @CsvSource({
        "3, 5, 4, 2, 0.3, false, -1, -1, 0",
        "40, 40, 4, 1, 0.5, true, -1, -1, 0",
        "7, 150, 2, 2, 0.2, true, -1, -1, 0",
        "9, 4, 2, 1, 0.2, true, -1, -1, 0",
        "33, 50, 6, 3, 0.35, false, 7, 2, 0",
        "33, 50, 2, 1, 0.35, true, 0, -1, 0",
        "20, 20, 2, 2, 1.5, true, 4, 9, 2",
    })
    void agreesWithTheDefinition(
            long seq,
            long kvSeq,
            long heads,
            long kvHeads,
            double scale,
            boolean causal,
            long left,
            long right,
            double cap) {
        Instance instance = prefill(DataType.F32, 2, seq, kvSeq, heads, kvHeads, 8)
                .number("scale", scale)
                .word("causal", causal ? "bottom-right" : "none")
                .number("window_left", (double) left)
                .number("window_right", (double) right)
                .number("softcap", cap)
                .build();
        Inputs inputs = Filler.fill(instance, 9, Arena.ofAuto());
        assertArrayEquals(naive(inputs, scale, causal, left, right, cap), of(run(instance, inputs), "out"), 1e-12);
    }

    @Test
    void valuesOfOneGiveOnes() {
        Instance instance = new HandMade("attention")
                .input("q", DataType.F16, 1, 30, 2, 16)
                .input("k", DataType.F16, 1, 70, 1, 16)
                .input("v", DataType.F16, new Fill.Constant(1), 1, 70, 1, 16)
                .output("out", DataType.F16, CLOSE, 1, 30, 2, 16)
                .build();
        double[] ones = new double[30 * 2 * 16];
        Arrays.fill(ones, 1);
        assertArrayEquals(ones, of(run(instance, Filler.fill(instance, 1, Arena.ofAuto())), "out"), 1e-12);
    }

    @Test
    void sharedHeadsEqualRepeatedOnes() {
        Instance shared = prefill(DataType.F16, 1, 20, 25, 4, 2, 8).build();
        Inputs inputs = Filler.fill(shared, 2, Arena.ofAuto());
        Instance repeated = prefill(DataType.F16, 1, 20, 25, 4, 4, 8).build();
        Inputs wide =
                new Inputs(Map.of("q", inputs.get("q"), "k", repeat(inputs.get("k")), "v", repeat(inputs.get("v"))), 2);
        assertArrayEquals(of(run(repeated, wide), "out"), of(run(shared, inputs), "out"));
    }

    private static Tensor repeat(Tensor t) {
        Tensor wide = HandMade.zeros(t.type(), 1, 25, 4, 8);
        for (long i = 0; i < wide.shape().elements(); i++) {
            List<Long> at = wide.shape().index(i);
            Formats.setBits(wide, i, Formats.bits(t, t.shape().offset(0, at.get(1), at.get(2) / 2, at.get(3))));
        }
        return wide;
    }

    @Test
    void pagesEqualOnePiece() {
        // Two sequences of 5 and 3 tokens in pages of 2; the pool's other pages and slots hold NaN.
        Tensor pool = HandMade.zeros(DataType.E4M3, 7, 2, 2, 2, 4);
        for (long i = 0; i < pool.shape().elements(); i++) {
            Formats.set(pool, i, Double.NaN);
        }
        double[] table = {6, 1, 3, 0, 4, 2147480000};
        Tensor k = HandMade.zeros(DataType.F32, 2, 5, 2, 4);
        Tensor v = HandMade.zeros(DataType.F32, 2, 5, 2, 4);
        double[] lens = {5, 3};
        double[] ks = {0.5, 3};
        java.util.SplittableRandom random = new java.util.SplittableRandom(4);
        for (long i = 0; i < k.shape().elements(); i++) {
            List<Long> at = k.shape().index(i);
            long token = at.get(1);
            int b = at.get(0).intValue();
            if (token < lens[b]) {
                long page = (long) table[b * 3 + (int) (token / 2)];
                double scale = ks[at.get(2).intValue()];
                double key = Formats.round(DataType.E4M3, random.nextDouble(-4, 4));
                double value = Formats.round(DataType.E4M3, random.nextDouble(-4, 4));
                Formats.set(pool, pool.shape().offset(page, 0, token % 2, at.get(2), at.get(3)), key);
                Formats.set(pool, pool.shape().offset(page, 1, token % 2, at.get(2), at.get(3)), value);
                Formats.set(k, i, key * scale);
                Formats.set(v, i, value * scale);
            }
        }
        Instance paged = new HandMade("attention")
                .input("q", DataType.F16, 2, 4, 4)
                .input("kv", DataType.E4M3, 7, 2, 2, 2, 4)
                .input("table", DataType.I32, new Fill.Constant(0), 2, 3)
                .input("lens", DataType.I32, new Fill.Constant(0), 2)
                .input("ks", DataType.F32, 2)
                .output("out", DataType.F16, CLOSE, 2, 4, 4)
                .output("lse", DataType.F32, CLOSE, 2, 4)
                .build();
        Instance apart = new HandMade("attention")
                .input("q", DataType.F16, 2, 1, 4, 4)
                .input("k", DataType.F32, 2, 5, 2, 4)
                .input("v", DataType.F32, 2, 5, 2, 4)
                .input("lens", DataType.I32, new Fill.Constant(0), 2)
                .output("out", DataType.F16, CLOSE, 2, 1, 4, 4)
                .output("lse", DataType.F32, CLOSE, 2, 4, 1)
                .build();
        Tensor q = Filler.fill(
                        new HandMade("copy").input("q", DataType.F16, 2, 4, 4).build(), 1, Arena.ofAuto())
                .get("q");
        Tensor length = HandMade.tensor(DataType.I32, lens, 2);
        Map<String, double[]> fromPages = run(
                paged,
                new Inputs(
                        Map.of(
                                "q", q,
                                "kv", pool,
                                "table", HandMade.tensor(DataType.I32, table, 2, 3),
                                "lens", length,
                                "ks", HandMade.tensor(DataType.F32, ks, 2)),
                        1));
        Tensor wideQ = new Tensor(DataType.F16, Shape.of(2, 1, 4, 4), q.data());
        Map<String, double[]> fromOne = run(apart, new Inputs(Map.of("q", wideQ, "k", k, "v", v, "lens", length), 1));
        assertTrue(Arrays.stream(of(fromOne, "out")).allMatch(x -> x != 0 && Double.isFinite(x)));
        assertArrayEquals(of(fromOne, "out"), of(fromPages, "out"), 1e-12);
        assertArrayEquals(of(fromOne, "lse"), of(fromPages, "lse"), 1e-12);
    }

    /** The plain result is off by some roundings of the output's type, and the better type is off by less. */
    @Test
    void thePlainFormulaErrsLikeItsType() {
        double f16 = plainError(DataType.F16);
        double bf16 = plainError(DataType.BF16);
        double f32 = plainError(DataType.F32);
        // Outputs are below 2, where half a step is 2^-11 in f16 and 2^-8 in bf16.
        assertTrue(f16 > 0x1p-13 && f16 < 0x1p-9, "f16 " + f16);
        assertTrue(bf16 > 0x1p-10 && bf16 < 0x1p-6, "bf16 " + bf16);
        assertTrue(f32 > 0 && f32 < 1e-5, "f32 " + f32);
    }

    private static double plainError(DataType type) {
        Instance instance = prefill(type, 1, 64, 64, 2, 1, 32).build();
        Expectation out = ATTENTION
                .expect(instance, Filler.fill(instance, 3, Arena.ofAuto()), 5)
                .getFirst();
        double largest = 0;
        for (int i = 0; i < out.want().length; i++) {
            largest = Math.max(largest, Math.abs(out.want()[i] - out.plain()[i]));
        }
        return largest;
    }

    @Test
    void everyHeadIsSampledAtEdgesAndOnSixtyFourRows() {
        // 320 million multiply-adds: just too many for every row.
        Instance instance = prefill(DataType.F32, 2, 1000, 20_000, 2, 1, 2).build();
        Expectation out = ATTENTION
                .expect(instance, Filler.fill(instance, 3, Arena.ofAuto()), 5)
                .getFirst();
        boolean[][] rows = new boolean[4][1000];
        for (long p : out.positions()) {
            List<Long> at = instance.buffer("out").shape().index(p);
            rows[(int) (at.get(0) * 2 + at.get(2))][at.get(1).intValue()] = true;
        }
        for (boolean[] head : rows) {
            int count = 0;
            for (boolean row : head) {
                count += row ? 1 : 0;
            }
            assertTrue(count >= 64 && count < 110, count + " rows");
            for (int edge : new int[] {0, 15, 16, 17, 63, 64, 65, 127, 128, 129, 895, 896, 897, 991, 992, 999}) {
                assertTrue(head[edge], "row " + edge);
            }
        }
        assertTrue(!Arrays.equals(rows[0], rows[1]), "heads have different random rows");
    }

    @Test
    void whatIsCheapIsComputedWhole() {
        Instance instance = prefill(DataType.F32, 1, 300, 16, 2, 1, 2).build();
        Expectation out = ATTENTION
                .expect(instance, Filler.fill(instance, 3, Arena.ofAuto()), 5)
                .getFirst();
        assertEquals(300 * 2 * 2, Arrays.stream(out.positions()).distinct().count());
    }

    @Test
    void whatIsMissingIsNamed() {
        Instance instance = new HandMade("attention")
                .input("queries", DataType.F16, 1, 8, 4, 16)
                .input("k", DataType.F16, 1, 8, 3, 16)
                .input("v", DataType.F16, 1, 9, 3, 16)
                .output("out", DataType.F16, CLOSE, 1, 8, 4, 8)
                .output("extra", DataType.F16, CLOSE, 1)
                .word("scale", "fast")
                .word("causal", "top-left")
                .number("windowleft", 3)
                .build();
        List<String> faults = ATTENTION.faults(instance);
        assertEquals(
                List.of(
                        "check.conventions.windowleft: reference 'attention' has no such convention; it has scale,"
                                + " causal, window_left, window_right, softcap, alibi",
                        "check.conventions.scale: 'fast', expected a number",
                        "check.conventions.causal: 'top-left', expected none or bottom-right or true or false",
                        "check: reference 'attention' needs a buffer 'q' [batch, seq, heads, head_dim] or [batch,"
                                + " heads, head_dim]; there are queries, k, v, out, extra (check.buffers maps q to"
                                + " another name)",
                        "buffers.v.shape: [1x9x3x16], expected [1x8x3x16] as k",
                        "buffers.extra: reference 'attention' says nothing about this output; it checks out (role:"
                                + " scratch leaves a buffer unchecked)"),
                faults);
    }

    @Test
    void shapesThatDoNotFitAreNamed() {
        Instance instance = new HandMade("attention")
                .input("queries", DataType.F16, 1, 8, 4, 16)
                .input("k", DataType.F16, 1, 8, 3, 8)
                .input("v", DataType.F16, 1, 8, 3, 16)
                .output("out", DataType.F16, CLOSE, 1, 8, 4, 8)
                .rename("q", "queries")
                .build();
        assertEquals(
                List.of(
                        "buffers.queries.shape: 4 heads are no multiple of the 3 heads of keys and values",
                        "buffers.queries.shape: head_dim is 16, but that of k is 8",
                        "buffers.out.shape: [1x8x4x8], expected [1x8x4x16] [batch, seq, heads, head_dim] or [batch,"
                                + " heads, head_dim]"),
                ATTENTION.faults(instance).stream()
                        .filter(f -> !f.startsWith("buffers.v.shape"))
                        .toList());
    }

    @Test
    void scalesThatTheReferenceDoesNotKnowAreNamed() {
        HandMade made = new HandMade("attention")
                .input("q", DataType.F16, 1, 4, 8)
                .add(new Buffer(
                        "kv",
                        DataType.E4M3,
                        Shape.of(1, 2, 6, 2, 8),
                        Buffer.Role.INPUT,
                        Optional.of(new Fill.Normal(0, 1)),
                        Optional.of("kv_scale"),
                        Optional.empty(),
                        OptionalDouble.empty(),
                        Optional.empty()))
                .input("kv_scale", DataType.F32, new Fill.AmaxOf("kv", 448, List.of(3)), 2)
                .output("out", DataType.F16, CLOSE, 1, 4, 8);
        assertEquals(
                List.of("buffers.kv.scale: 'kv_scale' is not what the reference multiplies by, 'ks'; add"
                        + " check.buffers: {ks: kv_scale}"),
                ATTENTION.faults(made.build()));
        Instance named = made.rename("ks", "kv_scale").build();
        double[] out = of(run(named, Filler.fill(named, 1, Arena.ofAuto())), "out");
        // Averages of six standard normals, not of numbers up to 448.
        assertTrue(Arrays.stream(out).allMatch(x -> Math.abs(x) < 4));
        assertTrue(Arrays.stream(out).anyMatch(x -> Math.abs(x) > 0.2));
    }
}
