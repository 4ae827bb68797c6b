package dev.panamark.kernel.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Fill;
import dev.panamark.kernel.HandMade;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.OutputCheck;
import dev.panamark.kernel.OutputCheck.Rule;
import dev.panamark.kernel.Tensor;
import dev.panamark.kernel.fill.Filler;
import dev.panamark.kernel.format.DataType;
import dev.panamark.kernel.format.Formats;
import dev.panamark.kernel.reference.Expectation;
import dev.panamark.kernel.reference.References;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AcceptanceTest {

    /** Runs a pretended kernel over both poisons and judges what it leaves. */
    private static Verdict judge(
            Instance instance, Inputs inputs, List<Expectation> truth, BiConsumer<Map<String, Tensor>, Poison> kernel) {
        Map<Poison, Map<String, Tensor>> runs = runs(instance, inputs, kernel);
        return Acceptance.judge(instance, inputs, of(runs, Poison.A), of(runs, Poison.B), truth);
    }

    private static Verdict judgeWritten(
            Instance instance, Inputs inputs, List<Expectation> truth, BiConsumer<Map<String, Tensor>, Poison> kernel) {
        Map<Poison, Map<String, Tensor>> runs = runs(instance, inputs, kernel);
        return Acceptance.judgeWritten(instance, inputs, of(runs, Poison.A), of(runs, Poison.B), truth);
    }

    private static Map<Poison, Map<String, Tensor>> runs(
            Instance instance, Inputs inputs, BiConsumer<Map<String, Tensor>, Poison> kernel) {
        Map<Poison, Map<String, Tensor>> runs = new HashMap<>();
        for (Poison poison : Poison.values()) {
            Map<String, Tensor> outputs = new HashMap<>();
            for (Buffer b : instance.buffers()) {
                if (b.role() == Buffer.Role.OUTPUT) {
                    Tensor t = HandMade.zeros(
                            b.type(),
                            b.shape().dims().stream().mapToLong(d -> d).toArray());
                    poison.fill(t.data());
                    outputs.put(b.name(), t);
                } else if (b.role() == Buffer.Role.INOUT) {
                    outputs.put(b.name(), HandMade.copy(inputs.get(b.name())));
                }
            }
            kernel.accept(outputs, poison);
            runs.put(poison, outputs);
        }
        return runs;
    }

    private static <K, V> V of(Map<K, V> map, K key) {
        return java.util.Objects.requireNonNull(map.get(key));
    }

    private static Instance one(DataType type, OutputCheck check, long... dims) {
        return new HandMade("copy").output("out", type, check, dims).build();
    }

    private static final Inputs NONE = new Inputs(Map.of(), 0);

    private static Expectation expect(double... want) {
        long[] positions = java.util.stream.LongStream.range(0, want.length).toArray();
        return new Expectation("out", positions, want, new double[0]);
    }

    private static BiConsumer<Map<String, Tensor>, Poison> writes(double... values) {
        return (out, poison) -> {
            for (int i = 0; i < values.length; i++) {
                Formats.set(of(out, "out"), i, values[i]);
            }
        };
    }

    // ---- each rule, by hand ----

    @Test
    void closeAllowsItsTolerance() {
        Instance instance = one(DataType.F64, HandMade.check(Rule.CLOSE, 0.125, 0.25), 2, 2);
        List<Expectation> truth = List.of(expect(1, -2, 0, 4));
        // Allowed: 0.375, 0.625, 0.125, 1.125.
        Verdict right = judge(instance, NONE, truth, writes(1.375, -2.625, -0.125, 2.875));
        assertTrue(right.right(), right.reason());
        assertEquals("", right.reason());
        assertEquals("close", right.rule());
        assertEquals(4, right.checked());
        assertEquals(4, right.elements());
        assertEquals(1.125, right.errors().get("max_abs"));
        // got.want = 1.375 + 5.25 + 11.5, |got|^2 = 1.890625 + 6.890625 + 0.015625 + 8.265625, |want|^2 = 21.
        assertEquals(18.125 / Math.sqrt(17.0625 * 21), of(right.errors(), "cosine"), 1e-15);

        Verdict wrong = judge(instance, NONE, truth, writes(1, -2.75, -0.25, 4));
        assertFalse(wrong.right());
        assertEquals(
                "out[0, 1] is -2.75, expected -2 ± 0.625 (close), the first of 2 wrong among 4 checked elements; the"
                        + " worst: out[1, 0] is -0.25, expected 0 ± 0.125 (close)",
                wrong.reason());
        assertEquals(Optional.of(new Worst("out", 2, List.of(1L, 0L), -0.25, 0, 0.125)), wrong.worst());
    }

    // ---- what some blocks wrote ----

    @Test
    void onlyWhatWasWrittenIsJudged() {
        Instance instance = one(DataType.F32, HandMade.check(Rule.CLOSE, 0.125, 0), 4);
        List<Expectation> truth = List.of(expect(1, 2, 3, 4));
        Verdict right = judgeWritten(instance, NONE, truth, writes(1, 2));
        assertTrue(right.right(), right.reason());
        assertEquals(2, right.checked());
        assertEquals(2, right.elements());
        assertEquals(List.of(), right.flags(), "poisons that differ are no nondeterminism");
        Verdict wrong = judgeWritten(instance, NONE, truth, writes(1, 5));
        assertEquals(
                "out[1] is 5, expected 2 ± 0.125 (close), the first of 1 wrong among 2 checked elements",
                wrong.reason());
        assertEquals(
                "the blocks that ran wrote nothing",
                judgeWritten(instance, NONE, truth, writes()).reason());
        assertFalse(judge(instance, NONE, truth, writes(1, 2)).right(), "which a whole launch must not leave");
    }

    @Test
    void whatWasWrittenMustBeTheSameTwiceUnderRuleExact() {
        Instance instance = one(DataType.I32, HandMade.exact(), 3);
        Expectation whole = Expectation.ofWhole("out", (from, count, into) -> {
            for (int i = 0; i < count; i++) {
                into.setAtIndex(java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED, i, (int) (from + i));
            }
        });
        assertTrue(judgeWritten(instance, NONE, List.of(whole), writes(0, 1)).right());
        Verdict wrong = judgeWritten(
                instance,
                NONE,
                List.of(whole),
                (out, poison) -> Formats.set(of(out, "out"), 1, poison == Poison.A ? 1 : 2));
        assertFalse(wrong.right());
        assertTrue(wrong.reason().contains("out[1] is 2, expected 1"), wrong.reason());
    }

    @Test
    void numbersInMessagesAreShort() {
        assertEquals("1e-5", Numbers.text(1e-5));
        assertEquals("0.100000001", Numbers.text(0.1f));
        assertEquals("1.5e-7", Numbers.text(1.5e-7));
        assertEquals("-3", Numbers.text(-3));
        assertEquals("-inf", Numbers.text(Double.NEGATIVE_INFINITY));
        assertEquals("1.7e38", Numbers.text(1.7e38));
    }

    @Test
    void exactSeesTheSignOfZero() {
        Instance instance = one(DataType.F32, HandMade.exact(), 3);
        List<Expectation> truth = List.of(expect(1, 0, 2));
        assertTrue(judge(instance, NONE, truth, writes(1, 0, 2)).right());
        Verdict wrong = judge(instance, NONE, truth, writes(1, -0.0, 2));
        assertEquals("out[1] is -0, expected 0 (exact), the first of 1 wrong among 3 checked elements", wrong.reason());
        // A tolerance does not.
        Instance close = one(DataType.F32, HandMade.check(Rule.CLOSE, 0, 0), 3);
        assertTrue(judge(close, NONE, truth, writes(1, -0.0, 2)).right());
    }

    @Test
    void twiceNativeAllowsTwiceThePlainErrorOfTheWorstElement() {
        Instance instance = one(DataType.F64, HandMade.check(Rule.TWICE_NATIVE, 0.5, 0), 3);
        // Plain errors 0, 1, 0.25: allowed 2.5 everywhere.
        List<Expectation> truth = List.of(
                new Expectation("out", new long[] {0, 1, 2}, new double[] {1, 2, 3}, new double[] {1, 3, 3.25}));
        assertTrue(judge(instance, NONE, truth, writes(3.5, 2, 0.5)).right());
        Verdict wrong = judge(instance, NONE, truth, writes(1, 2, 5.75));
        assertEquals(
                "out[2] is 5.75, expected 3 ± 2.5 (twice-native), the first of 1 wrong among 3 checked elements",
                wrong.reason());
    }

    @Test
    void cosineSeesDirectionAndLength() {
        Instance instance = one(DataType.F64, HandMade.check(Rule.COSINE, 0, 0.01), 2);
        List<Expectation> truth = List.of(expect(3, 4));
        assertTrue(judge(instance, NONE, truth, writes(3.1, 4.1)).right());
        // Twice as long: 1 - 2 * 50 / (100 + 25) = 0.2.
        Verdict twice = judge(instance, NONE, truth, writes(6, 8));
        assertFalse(twice.right());
        assertTrue(
                twice.reason()
                        .startsWith("out has a dissimilarity of 0.2, allowed 0.01 (cosine, 2 checked elements);"
                                + " out[0] is 6, expected 3"),
                twice.reason());
        assertEquals(1, of(twice.errors(), "cosine"), 1e-15);
        assertFalse(judge(instance, NONE, truth, writes(4, 3)).right());
        assertFalse(judge(instance, NONE, truth, writes(0, 0)).right());
        assertFalse(judge(instance, NONE, truth, writes(3, Double.NaN)).right());
    }

    @Test
    void infinitiesMustAgree() {
        Instance instance = one(DataType.F32, HandMade.check(Rule.CLOSE, 1, 1), 3);
        List<Expectation> truth = List.of(expect(Double.NEGATIVE_INFINITY, 1, Double.NaN));
        assertTrue(judge(instance, NONE, truth, writes(Double.NEGATIVE_INFINITY, 1, Double.NaN))
                .right());
        assertFalse(judge(instance, NONE, truth, writes(Double.POSITIVE_INFINITY, 1, Double.NaN))
                .right());
        assertFalse(judge(instance, NONE, truth, writes(-1e38, 1, Double.NaN)).right());
        assertFalse(judge(instance, NONE, truth, writes(Double.NEGATIVE_INFINITY, 1, 5))
                .right());
    }

    // ---- what no sample sees ----

    @ParameterizedTest
    @CsvSource({"F32", "F16", "E4M3", "E4M3FNUZ", "U8", "I64"})
    void anUnwrittenTailIsFoundInEveryType(DataType type) {
        Instance instance = one(type, HandMade.check(Rule.CLOSE, 1e30, 0), 4, 50_000);
        // Only the first element is compared, so that nothing but the scan can see the tail.
        List<Expectation> truth = List.of(expect(1));
        Verdict right = judge(instance, NONE, truth, (out, poison) -> ones(of(out, "out"), 200_000));
        assertTrue(right.right(), right.reason());
        Verdict wrong = judge(instance, NONE, truth, (out, poison) -> ones(of(out, "out"), 199_993));
        assertFalse(wrong.right());
        assertTrue(
                wrong.reason()
                        .startsWith(
                                "out[3, 49993] was never written: it holds what was there before the launch, as do 7"
                                        + " of the 200000 elements of out"),
                wrong.reason());
    }

    private static void ones(Tensor t, long count) {
        for (long i = 0; i < count; i++) {
            Formats.set(t, i, 1);
        }
    }

    @Test
    void nanBeyondTheSampleIsFound() {
        Instance instance = one(DataType.F16, HandMade.check(Rule.CLOSE, 1, 0), 100, 1000);
        Verdict wrong = judge(instance, NONE, List.of(expect(1, 1)), (out, poison) -> {
            ones(of(out, "out"), 100_000);
            Formats.set(of(out, "out"), 77_012, Double.NaN);
            Formats.set(of(out, "out"), 99_999, Double.POSITIVE_INFINITY);
        });
        assertEquals(
                "out[77, 12] is NaN, where a finite number is expected; 2 of the 100000 elements of out are such",
                wrong.reason());
    }

    @Test
    void infinityWhereItIsExpectedIsNoFault() {
        Instance instance = one(DataType.F32, HandMade.check(Rule.CLOSE, 0, 0), 4);
        Expectation truth =
                new Expectation("out", new long[] {2, 0}, new double[] {Double.NEGATIVE_INFINITY, 1}, new double[0]);
        assertTrue(judge(instance, NONE, List.of(truth), writes(1, 5, Double.NEGATIVE_INFINITY, 6))
                .right());
        assertFalse(
                judge(instance, NONE, List.of(truth), writes(1, Double.NEGATIVE_INFINITY, Double.NEGATIVE_INFINITY, 6))
                        .right());
    }

    @Test
    void runsThatDifferAreFlaggedAndUnderExactWrong() {
        BiConsumer<Map<String, Tensor>, Poison> kernel = (out, poison) -> {
            ones(of(out, "out"), 4);
            Formats.set(of(out, "out"), 3, poison == Poison.A ? 1 : 1.25);
        };
        Verdict close = judge(
                one(DataType.F32, HandMade.check(Rule.CLOSE, 0.5, 0), 4), NONE, List.of(expect(1, 1, 1, 1)), kernel);
        assertTrue(close.right(), close.reason());
        assertEquals(List.of("nondeterministic"), close.flags());
        // The sample holds neither value, so that only the difference shows.
        Verdict exact = judge(one(DataType.F32, HandMade.exact(), 4), NONE, List.of(expect(1, 1, 1)), kernel);
        assertEquals(
                "out[3] differs between two runs on the same inputs, where rule exact allows one value",
                exact.reason());
        Verdict second = judge(
                one(DataType.F32, HandMade.check(Rule.CLOSE, 0.125, 0), 4), NONE, List.of(expect(1, 1, 1, 1)), kernel);
        assertEquals(
                "in a second run on the same inputs out[3] is 1.25, expected 1 ± 0.125 (close), the first of 1 wrong"
                        + " among 4 checked elements",
                second.reason());
    }

    @Test
    void aKernelThatDoesNothingInPlaceIsToldSo() {
        Instance instance = new HandMade("linear")
                .input("x", DataType.F32, 8)
                .add(new Buffer(
                        "y",
                        DataType.F32,
                        dev.panamark.kernel.Shape.of(8),
                        Buffer.Role.INOUT,
                        Optional.of(new Fill.Normal(0, 1)),
                        Optional.empty(),
                        Optional.empty(),
                        OptionalDouble.empty(),
                        Optional.of(HandMade.check(Rule.CLOSE, 1e-5, 1e-5))))
                .number("alpha", 3)
                .build();
        Inputs inputs = Filler.fill(instance, 1, Arena.ofAuto());
        List<Expectation> truth = truth(instance, inputs);
        assertTrue(judge(instance, inputs, truth, (out, p) -> {
                    for (int i = 0; i < 8; i++) {
                        Formats.set(
                                of(out, "y"), i, 3 * Formats.get(inputs.get("x"), i) + Formats.get(of(out, "y"), i));
                    }
                })
                .right());
        Verdict wrong = judge(instance, inputs, truth, (out, p) -> {});
        assertTrue(wrong.reason().startsWith("y[0] is "), wrong.reason());
        assertTrue(wrong.reason().endsWith("; y is as it was before the launch"), wrong.reason());
    }

    private static List<Expectation> truth(Instance instance, Inputs inputs) {
        return References.named(instance.check().reference().orElseThrow())
                .orElseThrow()
                .expect(instance, inputs, 4);
    }

    // ---- attention with planted faults ----

    private static Instance attention(OutputCheck check, long kvSeq) {
        return new HandMade("attention")
                .input("q", DataType.F16, 1, 8, 4, 32)
                .input("k", DataType.F16, 1, kvSeq, 2, 32)
                .input("v", DataType.F16, 1, kvSeq, 2, 32)
                .output("out", DataType.F16, check, 1, 8, 4, 32)
                .build();
    }

    private static BiConsumer<Map<String, Tensor>, Poison> right(Expectation e) {
        return (out, poison) -> {
            for (int i = 0; i < e.positions().length; i++) {
                Formats.set(of(out, "out"), e.positions()[i], e.want()[i]);
            }
        };
    }

    /** At 16384 keys the outputs are about sqrt(e / 16384) = 0.013, so that atol 0.1 would let zeros pass. */
    @ParameterizedTest
    @CsvSource({"TWICE_NATIVE, 1e-5, 0", "COSINE, 0, 1e-5"})
    void zerosAtLongLengthAreRejected(Rule rule, double atol, double rtol) {
        Instance instance = attention(HandMade.check(rule, atol, rtol), 16_384);
        Inputs inputs = Filler.fill(instance, 1, Arena.ofAuto());
        List<Expectation> truth = truth(instance, inputs);
        Verdict passes = judge(instance, inputs, truth, right(truth.getFirst()));
        assertTrue(passes.right(), passes.reason());
        assertTrue(of(passes.errors(), "cosine") > 0.99999);
        Verdict zeros = judge(
                instance, inputs, truth, (out, poison) -> of(out, "out").data().fill((byte) 0));
        assertFalse(zeros.right());
        assertEquals(0, of(zeros.errors(), "cosine"));
    }

    @ParameterizedTest
    @CsvSource({"TWICE_NATIVE, 1e-5, 0", "COSINE, 0, 1e-5"})
    void swappedHeadsAreRejected(Rule rule, double atol, double rtol) {
        Instance instance = attention(HandMade.check(rule, atol, rtol), 64);
        Inputs inputs = Filler.fill(instance, 1, Arena.ofAuto());
        List<Expectation> truth = truth(instance, inputs);
        Expectation e = truth.getFirst();
        assertTrue(judge(instance, inputs, truth, right(e)).right());
        assertFalse(judge(instance, inputs, truth, (out, poison) -> {
                    for (int i = 0; i < e.positions().length; i++) {
                        // Heads 1 and 2 use different key heads.
                        long head = e.positions()[i] / 32 % 4;
                        long to = head == 1 ? 2 : head == 2 ? 1 : head;
                        Formats.set(of(out, "out"), e.positions()[i] + (to - head) * 32, e.want()[i]);
                    }
                })
                .right());
    }

    @Test
    void oneElementOffIsFound() {
        Instance instance = attention(HandMade.check(Rule.TWICE_NATIVE, 1e-5, 0), 64);
        Inputs inputs = Filler.fill(instance, 1, Arena.ofAuto());
        List<Expectation> truth = truth(instance, inputs);
        Verdict wrong = judge(instance, inputs, truth, (out, poison) -> {
            right(truth.getFirst()).accept(out, poison);
            Tensor t = of(out, "out");
            Formats.set(t, 777, Formats.get(t, 777) + 0.03);
        });
        // 777 = (6 * 4 + 0) * 32 + 9
        assertTrue(wrong.reason().startsWith("out[0, 6, 0, 9] is "), wrong.reason());
        assertEquals(777, wrong.worst().orElseThrow().position());
    }

    @Test
    void aPageTooFarIsFoundAndTheRightOneIsNot() {
        Instance instance = new HandMade("kv.gather")
                .input("kv", DataType.F16, 40, 2, 16, 2, 8)
                .input("table", DataType.I32, new Fill.PageTable("lens", 16, true), 3, 10)
                .input("lens", DataType.I32, new Fill.Lengths(true, 100, 150), 3)
                .output("out", DataType.F16, HandMade.exact(), 3, 2, 150, 2, 8)
                .build();
        Inputs inputs = Filler.fill(instance, 1, Arena.ofAuto());
        List<Expectation> truth = truth(instance, inputs);
        Tensor whole = HandMade.whole(instance.buffer("out"), truth.getFirst());
        assertTrue(
                judge(instance, inputs, truth, (out, p) -> of(out, "out").data().copyFrom(whole.data()))
                        .right());
        Verdict wrong = judge(instance, inputs, truth, (out, p) -> {
            Tensor t = of(out, "out");
            t.data().copyFrom(whole.data());
            // Values of sequence 1, tokens 48 to 63, come from the page before.
            long from = t.shape().offset(1, 1, 32, 0, 0) * 2;
            long to = t.shape().offset(1, 1, 48, 0, 0) * 2;
            t.data().asSlice(to, 16 * 16 * 2).copyFrom(whole.data().asSlice(from, 16 * 16 * 2));
        });
        assertTrue(wrong.reason().startsWith("out[1, 1, 48, 0, 0] is "), wrong.reason());
        assertTrue(
                wrong.reason().contains("(exact), the first of 256 wrong among 14400 checked elements"),
                wrong.reason());
        assertEquals(14_400, wrong.checked());
    }

    @Test
    void everyOutputIsJudged() {
        Instance instance = new HandMade("quant.fp8")
                .input("x", DataType.F32, 4, 64)
                .output("q", DataType.E4M3, HandMade.exact(), 4, 64)
                .output("s", DataType.F32, HandMade.check(Rule.CLOSE, 0, 1e-6), 4)
                .word("granularity", "token")
                .build();
        Inputs inputs = Filler.fill(instance, 1, Arena.ofAuto());
        List<Expectation> truth = truth(instance, inputs);
        Tensor q = HandMade.whole(instance.buffer("q"), truth.get(0));
        Tensor s = HandMade.whole(instance.buffer("s"), truth.get(1));
        Verdict right = judge(instance, inputs, truth, (out, p) -> {
            of(out, "q").data().copyFrom(q.data());
            of(out, "s").data().copyFrom(s.data());
        });
        assertTrue(right.right(), right.reason());
        assertEquals("q exact, s close", right.rule());
        assertEquals(4 * 64 + 4, right.checked());
        Verdict wrong = judge(instance, inputs, truth, (out, p) -> {
            of(out, "q").data().copyFrom(q.data());
            of(out, "q").data().set(ValueLayout.JAVA_BYTE, 70, (byte) 3);
            of(out, "s").data().fill((byte) 0);
        });
        assertTrue(wrong.reason().startsWith("q[1, 6] is "), wrong.reason());
        assertTrue(wrong.reason().endsWith("; also wrong: s"), wrong.reason());
    }

    @Test
    void aChangedInputIsFound() {
        Instance instance = new HandMade("copy")
                .input("a", DataType.F32, 10)
                .input("b", DataType.F16, 4, 5)
                .build();
        Inputs inputs = Filler.fill(instance, 1, Arena.ofAuto());
        Map<String, Tensor> after =
                new HashMap<>(Map.of("a", HandMade.copy(inputs.get("a")), "b", HandMade.copy(inputs.get("b"))));
        assertEquals(Optional.empty(), Acceptance.changedInputs(instance, inputs, after));
        double before = Formats.get(inputs.get("b"), 13);
        Formats.set(of(after, "b"), 13, 512);
        Changed changed = Acceptance.changedInputs(instance, inputs, after).orElseThrow();
        assertEquals("b", changed.buffer());
        assertEquals(List.of(2L, 3L), changed.index());
        assertEquals(before, changed.before());
        assertEquals(512, changed.after());
        assertTrue(changed.offset() == 26 || changed.offset() == 27);
        assertTrue(changed.reason().startsWith("the kernel changed its input: b[2, 3] was "), changed.reason());
    }

    @Test
    void poisonIsConspicuous() {
        for (DataType type : List.of(DataType.F32, DataType.F16, DataType.BF16, DataType.E4M3, DataType.E5M2)) {
            assertTrue(Double.isNaN(Formats.decode(type, Poison.A.bits(type.bytes()))), type.tag());
        }
        assertEquals(61280, Formats.decode(DataType.F16, Poison.B.bits(2)));
        assertEquals(352, Formats.decode(DataType.E4M3, Poison.B.bits(1)));
        assertEquals(0x7B7B_7B7B, (int) Formats.decode(DataType.I32, Poison.B.bits(4)));
        assertEquals(-1, Formats.decode(DataType.I64, Poison.A.bits(8)));
    }

    @Test
    void outputsMustBeThere() {
        Instance instance = one(DataType.F32, HandMade.exact(), 3);
        Map<String, Tensor> outputs = Map.of("out", HandMade.zeros(DataType.F32, 3));
        assertEquals(
                "no expectation for output 'out'",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> Acceptance.judge(instance, NONE, outputs, outputs, List.of()))
                        .getMessage());
        assertEquals(
                "output 'out' is f32[3], its tensor f32[4]",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> Acceptance.judge(
                                        instance,
                                        NONE,
                                        Map.of("out", HandMade.zeros(DataType.F32, 4)),
                                        outputs,
                                        List.of(expect(1))))
                        .getMessage());
    }
}
