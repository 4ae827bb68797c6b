package dev.panamark.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.compare.Comparison.Apart;
import dev.panamark.compare.Comparison.Difference;
import dev.panamark.compare.Comparison.Overall;
import dev.panamark.compare.Comparison.Pair;
import dev.panamark.compare.Comparison.Question;
import dev.panamark.compare.Comparison.Why;
import dev.panamark.result.Interval;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The ratios are put into the results; what must come out is known. */
class ComparerTest {
    private static Comparison compare(RunResult base, RunResult next, Question question) {
        return Comparer.compare(Runs.compared("base.json", base), Runs.compared("new.json", next), question);
    }

    private static Comparison compare(RunResult base, RunResult next) {
        return compare(base, next, Runs.time());
    }

    private static Pair only(Comparison c) {
        assertEquals(1, c.pairs().size(), c::toString);
        return c.pairs().getFirst();
    }

    private static double ratio(Pair pair) {
        Double ratio = pair.ratio();
        assertNotNull(ratio);
        return ratio;
    }

    private static Interval interval(Pair pair) {
        Interval ci95 = pair.ci95();
        assertNotNull(ci95, pair::toString);
        return ci95;
    }

    private static List<Row> five(String kernel, double median) {
        return Runs.invocations("cpu:0", kernel, 64, "sha256:0a", Runs.five(median));
    }

    @Test
    void invocationsAreComparedByTheirMedians() {
        Comparison c = compare(Runs.run(five("a.b", 2e-3)), Runs.run(five("a.b", 2.1e-3)));
        Pair pair = only(c);
        assertEquals(1.05, ratio(pair), 1e-12);
        assertEquals(Verdict.WORSE, pair.verdict());
        assertEquals(5, pair.base().invocations());
        assertEquals(500, pair.base().samples());
        assertEquals("invocations", pair.base().basis());
        assertEquals(2e-3, pair.base().value(), 1e-15);
        // No value of one side lies further from its median than 0.2 %.
        assertTrue(interval(pair).lo() > 1.05 * (1 - 0.0046) && interval(pair).hi() < 1.05 * (1 + 0.0046));
        assertTrue(interval(pair).lo() < 1.05 && 1.05 < interval(pair).hi());
        assertEquals(List.of(), pair.notes());
        assertEquals(List.of(), c.apart());
    }

    @Test
    void oneInvocationIsComparedByItsSamplesAndSaysWhatItLeavesOut() {
        Row base = Runs.sampled("a.b", 64, Runs.noisy(1, 200, 1e-3, 0.01)).build();
        Row next = Runs.sampled("a.b", 64, Runs.noisy(2, 200, 0.9e-3, 0.01)).build();
        Pair pair = only(compare(Runs.run(List.of(base)), Runs.run(List.of(next))));
        // The medians of 200 samples of 1 % scatter by 1.2533 * 1 % / sqrt(200) = 0.089 % each, 0.125 % together.
        assertEquals(0.9, ratio(pair), 0.9 * 4 * 0.00125);
        double half = Math.log(interval(pair).hi() / interval(pair).lo()) / 2;
        assertEquals(1.96 * 0.00125, half, 0.001);
        assertEquals(Verdict.BETTER, pair.verdict());
        assertEquals("samples", pair.next().basis());
        assertEquals(List.of(Reading.ONE_INVOCATION), pair.notes());
    }

    /**
     * 200 samples of 0.1 % know their median to 0.02 %, so 0.7 % between two runs is no chance of the samples; but runs may
     * differ by 0.3 % each, 0.83 % at 95 % together. Against five invocations one run may be off by 0.59 %.
     */
    @Test
    void oneInvocationMayDifferByWhatRunsDifferBy() {
        Row base = Runs.sampled("a.b", 64, Runs.noisy(1, 200, 1e-3, 0.001)).build();
        Row next = Runs.sampled("a.b", 64, Runs.noisy(2, 200, 1.007e-3, 0.001)).build();
        Comparison c = compare(Runs.run(List.of(base)), Runs.run(List.of(next)));
        Pair pair = only(c);
        assertTrue(interval(pair).lo() > 1.006, pair::toString);
        assertEquals(2, pair.singleInvocations());
        assertEquals(Verdict.UNDECIDED, pair.verdict());
        assertEquals(List.of(), FailRule.failures(List.of(FailRule.parse("slower:0.6%")), c));
        double[] close = {0.9999e-3, 1e-3, 1.0001e-3, 1e-3, 1e-3};
        Pair against = only(
                compare(Runs.run(Runs.invocations("cpu:0", "a.b", 64, "sha256:0a", close)), Runs.run(List.of(next))));
        assertEquals(1, against.singleInvocations());
        assertEquals(Verdict.WORSE, against.verdict());
    }

    /** By hand: half-widths of 3 % and 4 % of a normal logarithm make one of 5 %. */
    @Test
    void withoutSamplesTheIntervalsAreCombinedAndThatIsSaid() {
        Row base = interval("a.b", 1e-3, 0.03);
        Row next = interval("a.b", 1e-3, 0.04);
        Pair pair = only(compare(Runs.run(List.of(base)), Runs.run(List.of(next))));
        assertEquals(0.05, Math.log(interval(pair).hi()), 0.005);
        assertEquals(-0.05, Math.log(interval(pair).lo()), 0.005);
        assertEquals("interval", pair.base().basis());
        assertTrue(pair.notes().getFirst().contains("delta method"), pair::toString);
        assertEquals(Verdict.UNDECIDED, pair.verdict());
    }

    private static Row interval(String kernel, double median, double half) {
        return Row.builder("cpu:0", kernel, "", Runs.map("n", 64), "hot")
                .metric(
                        Tags.TIME_MEDIAN,
                        Tags.TIME_MEDIAN
                                .value(median, Source.MEASURED)
                                .withCi95(median * Math.exp(-half), median * Math.exp(half)))
                .build();
    }

    @Test
    void samplesThatAreNotAllThereAreNotTakenForAll() {
        Row.Builder cut = Runs.sampled("a.b", 64, Runs.noisy(1, 50, 1e-3, 0.01));
        Row base = cut.metric(
                        Tags.TIME_MEDIAN,
                        Tags.TIME_MEDIAN
                                .value(1.01e-3, Source.MEASURED)
                                .withN(5000)
                                .withCi95(1.009e-3, 1.011e-3))
                .build();
        Pair pair = only(compare(Runs.run(List.of(base)), Runs.run(List.of(base))));
        assertEquals("interval", pair.base().basis());
    }

    @Test
    void rowsArePairedWhateverTheirImageAndTheOrderOfTheirAxes() {
        Row base = Row.builder("cpu:0", "a.b", "sha256:aa", Runs.map("n", 64, "dtype", "f16"), "hot")
                .metric(Tags.TIME_MEDIAN, Tags.TIME_MEDIAN.value(1, Source.MEASURED))
                .build();
        Row next = Row.builder("cpu:0", "a.b", "sha256:bb", Runs.map("dtype", "f16", "n", 64), "hot")
                .metric(Tags.TIME_MEDIAN, Tags.TIME_MEDIAN.value(2, Source.MEASURED))
                .build();
        Pair pair = only(compare(Runs.run(List.of(base)), Runs.run(List.of(next))));
        assertEquals(2, ratio(pair), 1e-12);
        assertNull(pair.ci95(), "neither samples nor an interval");
        assertEquals(Verdict.UNDECIDED, pair.verdict());
        assertTrue(pair.notes().toString().contains("neither samples nor an interval"), pair::toString);
    }

    @Test
    void noRowIsDropped() {
        RunResult base = Runs.run(
                five("a.b", 1),
                five("a.gone", 1),
                List.of(Runs.bad("a.mended", 64, Status.FAILED)),
                five("a.broken", 1));
        RunResult next = Runs.run(
                five("a.b", 1),
                five("a.fresh", 1),
                five("a.mended", 1),
                List.of(Runs.bad("a.broken", 64, Status.WRONG)));
        Comparison c = compare(base, next);
        assertEquals("a.b", only(c).subject().kernel());
        assertEquals(
                List.of(
                        "NO_PARTNER a.fresh null/ok",
                        "NOT_OK a.mended failed/ok",
                        "NOT_OK a.broken ok/wrong",
                        "NO_PARTNER a.gone ok/null"),
                c.apart().stream()
                        .map(a -> a.why() + " " + a.subject().kernel() + " " + tag(a.base()) + "/" + tag(a.next()))
                        .toList());
        Apart broken = c.apart().get(2);
        assertTrue(broken.broken());
        assertEquals("NEW wrong: because of wrong", broken.reason());
        assertTrue(c.apart().get(3).missing());
    }

    private static String tag(Comparison.@org.jspecify.annotations.Nullable State state) {
        return state == null ? "null" : state.status().tag();
    }

    @Test
    void oneBadInvocationSpoilsARowAndOneThatWasNotTriedDoesNot() {
        List<Row> right = five("a.b", 1);
        Row skipped = right.get(2).toBuilder()
                .status(Status.SKIPPED, "the budget was spent")
                .build();
        Row crashed =
                right.get(2).toBuilder().status(Status.FAILED, "it crashed").build();
        RunResult base = Runs.run(right);
        List<Row> four = List.of(right.get(0), right.get(1), skipped, right.get(3), right.get(4));
        Pair pair = only(compare(base, Runs.run(four)));
        assertEquals(4, pair.next().invocations());
        assertEquals(List.of("NEW: 1 of its rows left out: skipped"), pair.notes());
        List<Row> spoilt = List.of(right.get(0), right.get(1), crashed, right.get(3), right.get(4));
        Comparison c = compare(base, Runs.run(spoilt));
        assertEquals(List.of(), c.pairs());
        assertEquals(
                "NEW failed: invocation 2: it crashed", c.apart().getFirst().reason());
    }

    @Test
    void severalBuildsInOneFileArePairedByImageOrNotAtAll() {
        List<Row> x = Runs.invocations("cpu:0", "a.b", 64, "sha256:01", Runs.five(1));
        List<Row> y = Runs.invocations("cpu:0", "a.b", 64, "sha256:02", Runs.five(3));
        Comparison both = compare(Runs.run(x, y), Runs.run(y, x));
        assertEquals(2, both.pairs().size());
        both.pairs().forEach(p -> assertEquals(1, ratio(p), 1e-12));
        Comparison one = compare(Runs.run(x, y), Runs.run(x));
        assertEquals(List.of(), one.pairs());
        assertEquals(Why.AMBIGUOUS, one.apart().getFirst().why());
        assertTrue(one.apart().getFirst().reason().startsWith("BASE has 10 rows of it, of 2 images"));
    }

    @Test
    void theRowThatAggregatesStandsBackBehindItsInvocations() {
        Row whole = interval("a.b", 7, 0.1);
        RunResult base = Runs.run(five("a.b", 1), List.of(whole));
        Pair pair = only(compare(base, Runs.run(List.of(whole))));
        assertEquals(1, pair.base().value());
        assertEquals("invocations", pair.base().basis());
        assertEquals(7, ratio(pair), 1e-12);
        assertEquals("interval", pair.next().basis());
    }

    @Test
    void devicesMustMatchUnlessAcrossIsAsked() {
        RunResult cpu = Runs.run(five("a.b", 3));
        RunResult gpu = Runs.run(Runs.invocations("cuda:0", "a.b", 64, "sha256:cc", Runs.five(1)));
        Comparison apart = compare(cpu, gpu);
        assertEquals(List.of(), apart.pairs());
        assertEquals(2, apart.apart().size());
        Question across = new Question("time/device/median", null, 0.005, true, 1);
        Pair pair = only(compare(cpu, gpu, across));
        assertEquals("cpu:0", pair.base().device());
        assertEquals("cuda:0", pair.next().device());
        assertEquals(1 / 3.0, ratio(pair), 1e-12);
        // One file with both devices: the pair is told once, and neither device is paired with itself.
        RunResult both = Runs.run(cpu.rows(), gpu.rows());
        assertEquals(1, compare(both, both, across).pairs().size());
        // The same id on two machines is another device when the uuid says so.
        RunResult elsewhere = new RunResult(
                RunResult.SCHEMA,
                List.of(),
                cpu.started(),
                null,
                cpu.host(),
                List.of(Runs.map("id", "cpu:0", "name", "Example CPU 9000", "uuid", "CPU-2")),
                List.of(),
                42,
                cpu.rows());
        assertEquals(1, compare(cpu, elsewhere, across).pairs().size());
        Comparison c = compare(cpu, elsewhere);
        assertEquals(
                List.of(new Difference("cpu:0.uuid (another piece of hardware)", "CPU-1", "CPU-2")), c.environment());
    }

    @Test
    void ratesAndTokensPerJouleAreBetterWhenHigher() {
        Row base = Runs.sampled("a.b", 64, Runs.noisy(1, 200, 1e-3, 0.01)).build();
        Row next = Runs.sampled("a.b", 64, Runs.noisy(2, 200, 0.9e-3, 0.01)).build();
        Pair time = only(compare(Runs.run(List.of(base)), Runs.run(List.of(next))));
        Pair rate = only(compare(
                Runs.run(List.of(base)), Runs.run(List.of(next)), new Question("rate/flops", null, 0.005, false, 1)));
        assertEquals(Verdict.BETTER, rate.verdict());
        assertEquals(1 / ratio(time), ratio(rate), 1e-12);
        assertEquals(1 / interval(time).lo(), interval(rate).hi(), 1e-9);
        Row less = base.toBuilder()
                .metric(
                        Tags.TOKENS_PER_JOULE_GROSS,
                        Tags.TOKENS_PER_JOULE_GROSS.value(100, Source.COMPUTED).withCi95(99, 101))
                .build();
        Row more = base.toBuilder()
                .metric(
                        Tags.TOKENS_PER_JOULE_GROSS,
                        Tags.TOKENS_PER_JOULE_GROSS.value(50, Source.COMPUTED).withCi95(49, 51))
                .build();
        Comparison c = compare(
                Runs.run(List.of(less)),
                Runs.run(List.of(more)),
                new Question("tokens_per_joule/gross", null, 0.005, false, 1));
        assertEquals(Verdict.WORSE, only(c).verdict());
        assertEquals("tokens/J", c.unit());
    }

    @Test
    void countsHaveNoUncertainty() {
        Question conflicts = new Question("shared/conflicts", null, 0.005, false, 1);
        Pair more = only(compare(counted(100), counted(120), conflicts));
        assertEquals(
                new Interval(1.2, 1.2),
                new Interval(round(interval(more).lo()), round(interval(more).hi())));
        assertEquals(Verdict.WORSE, more.verdict());
        assertEquals(
                Verdict.SAME,
                only(compare(counted(100), counted(100), conflicts)).verdict());
        assertEquals(
                Verdict.SAME, only(compare(counted(0), counted(0), conflicts)).verdict());
        Pair fromNone = only(compare(counted(0), counted(7), conflicts));
        assertEquals(Verdict.WORSE, fromNone.verdict());
        assertNull(fromNone.ratio());
        assertEquals("exact", fromNone.base().basis());
    }

    private static double round(double v) {
        return Math.round(v * 1e9) / 1e9;
    }

    private static RunResult counted(double conflicts) {
        return Runs.run(List.of(Row.builder("cpu:0", "a.b", "", Runs.map("n", 1), "hot")
                .metric(Tags.SHARED_CONFLICTS, Tags.SHARED_CONFLICTS.value(conflicts, Source.EMULATED))
                .build()));
    }

    @Test
    void aMetricWithoutAValueIsNotCompared() {
        Row none = Runs.sampled("a.b", 64, 1, 2, 3)
                .metric(Tags.ENERGY_NET, Tags.ENERGY_NET.missing("no energy meter"))
                .build();
        Comparison c = compare(
                Runs.run(List.of(none)), Runs.run(List.of(none)), new Question("energy/net", null, 0.005, false, 1));
        assertEquals(Why.NO_VALUE, c.apart().getFirst().why());
        assertEquals("no energy meter", c.apart().getFirst().reason());
    }

    private static String refusal(Class<? extends RuntimeException> type, Executable asked) {
        return String.valueOf(assertThrows(type, asked).getMessage());
    }

    @Test
    void whatCannotBeAskedIsRefused() {
        RunResult run = Runs.run(five("a.b", 1));
        String unknown = refusal(
                IncomparableException.class,
                () -> compare(run, run, new Question("time/device/medium", null, 0.005, false, 1)));
        assertTrue(unknown.contains("time/device/medium") && unknown.contains("time/device/median"), unknown);
        RunResult own = Runs.run(Stream.of(1.0)
                .map(v -> Row.builder("cpu:0", "a.b", "", Runs.map(), "hot")
                        .metric("lab/own", dev.panamark.result.Metric.value(v, "widgets", Source.MEASURED))
                        .build())
                .toList());
        String direction = refusal(
                IncomparableException.class, () -> compare(own, own, new Question("lab/own", null, 0.005, false, 1)));
        assertTrue(direction.contains("--better"), direction);
        assertEquals(
                Better.HIGHER,
                compare(own, own, new Question("lab/own", Better.HIGHER, 0.005, false, 1))
                        .better());
    }

    @Test
    void whatElseDiffersIsListedAndWhatDoesNotIsLeftOut() {
        RunResult base = Runs.run(five("a.b", 1));
        RunResult next = new RunResult(
                RunResult.SCHEMA,
                List.of("run", "-q"),
                base.started().plusSeconds(60),
                null,
                Runs.map("panamark", "0.2.0", "java", "25.0.3", "worker_flags", List.of("-Xmx2g", "-Xss8m"), "os", "X"),
                List.of(Runs.map(
                        "id",
                        "cpu:0",
                        "name",
                        "Example CPU 9000",
                        "uuid",
                        "CPU-1",
                        "frequency",
                        Runs.map("governor", "powersave"))),
                List.of(Runs.map("kernel", "a.b", "image", "sha256:0b", "compiler", "gcc 15.1.0")),
                43,
                Runs.invocations("cpu:0", "a.b", 64, "sha256:0b", Runs.five(1)));
        assertEquals(
                List.of(
                        new Difference("host.panamark", "0.1.0", "0.2.0"),
                        new Difference("host.worker_flags", "-Xmx1g", "-Xmx2g"),
                        new Difference("host.os", "not given", "X"),
                        new Difference("cpu:0.frequency.governor", "not given", "powersave"),
                        new Difference("image of a.b", "one build", "another build"),
                        new Difference("compiler of a.b", "gcc 14.2.0", "gcc 15.1.0"),
                        new Difference("seed", "42", "43")),
                compare(base, next).environment());
        assertEquals(List.of(), compare(base, base).environment());
        RunResult wider = Runs.run(five("a.b", 1), Runs.invocations("cpu:0", "a.b", 128, "sha256:0a", Runs.five(1)));
        assertEquals(
                List.of(new Difference("axis n of a.b", "64", "64,128")),
                compare(base, wider).environment());
    }

    /** By hand: the geometric mean of 1.1 and 0.9 is 0.994987. */
    @Test
    void theGeometricMeanStandsOverAllPairs() {
        RunResult base = Runs.run(five("a.b", 1), five("a.c", 2));
        RunResult next = Runs.run(five("a.b", 1.1), five("a.c", 1.8));
        Comparison c = compare(base, next);
        Overall overall = c.overall();
        assertNotNull(overall);
        assertEquals(2, overall.pairs());
        assertEquals(0.994987, overall.ratio(), 1e-6);
        Interval ci95 = overall.ci95();
        assertNotNull(ci95);
        assertTrue(ci95.lo() < overall.ratio() && overall.ratio() < ci95.hi());
        assertTrue(c.remarks().toString().contains("2 pairs were judged"), c.remarks()::toString);
    }

    @Test
    void twoInvocationsSayWhatTheyAssume() {
        List<Row> two = Runs.invocations("cpu:0", "a.b", 64, "", 1, 1.001);
        Comparison c = compare(Runs.run(two), Runs.run(two));
        assertTrue(c.remarks().toString().contains("--invocations 5"), c.remarks()::toString);
        assertEquals(Verdict.UNDECIDED, only(c).verdict());
    }

    @Test
    void theSameQuestionGetsTheSameAnswer() {
        RunResult base = Runs.run(
                List.of(Runs.sampled("a.b", 64, Runs.noisy(1, 60, 1, 0.01)).build()));
        RunResult next = Runs.run(
                List.of(Runs.sampled("a.b", 64, Runs.noisy(2, 60, 1, 0.01)).build()));
        assertEquals(compare(base, next), compare(base, next));
        Question other = new Question("time/device/median", null, 0.005, false, 2);
        Interval a = interval(only(compare(base, next)));
        Interval b = interval(only(compare(base, next, other)));
        assertTrue(!a.equals(b) && Math.abs(a.lo() - b.lo()) < 0.001, a + " " + b);
    }

    @Test
    void rulesObjectToWhatTheySay() {
        RunResult base =
                Runs.run(five("a.b", 1), five("a.c", 1), five("a.d", 1), five("a.gone", 1), five("a.broken", 1));
        RunResult next = Runs.run(
                five("a.b", 1.02),
                five("a.c", 1.05),
                five("a.d", 0.9),
                List.of(Runs.bad("a.broken", 64, Status.WRONG)));
        Comparison c = compare(base, next);
        assertEquals(List.of("a.c", "a.broken"), objects(c, "slower:3%"));
        assertEquals(List.of("a.b", "a.c", "a.broken"), objects(c, "slower"));
        assertEquals(List.of("a.d", "a.broken"), objects(c, "faster:0.05"));
        assertEquals(List.of("a.broken"), objects(c, "undecided"));
        assertEquals(List.of("a.gone", "a.broken"), objects(c, "missing"));
        assertEquals(List.of("a.broken"), objects(c, "broken"));
        assertEquals(List.of("a.broken"), objects(c, "slower:10%"));
        assertEquals(List.of(), FailRule.failures(List.of(), c));
        String reason = FailRule.failures(List.of(FailRule.parse("slower:3%")), c)
                .getFirst()
                .reason();
        assertTrue(reason.startsWith("slower: new/base 1.0500 ["), reason);
        // What takes an interval from 0.9 to 1.3 is not slower, whatever its ratio.
        RunResult wild = Runs.run(Runs.invocations("cpu:0", "a.b", 64, "", 0.8, 1.3, 1.1, 1.2, 0.7));
        assertEquals(List.of(), objects(compare(base, wild), "slower:3%"));
        assertEquals(List.of("a.b"), objects(compare(base, wild), "undecided"));
    }

    private static List<String> objects(Comparison c, String rule) {
        return FailRule.failures(List.of(FailRule.parse(rule)), c).stream()
                .map(f -> f.subject().kernel())
                .toList();
    }

    @Test
    void aRuleIsReadOrRefused() {
        assertEquals("slower:3%", FailRule.parse(" worse:3 % ").text());
        assertEquals("faster:0.5%", FailRule.parse("faster:0.005").text());
        for (String bad : List.of("", "slower:", "slower:0%", "slow", "undecided:3%", "slower:-1%", "slower:x")) {
            String message = refusal(IllegalArgumentException.class, () -> FailRule.parse(bad));
            assertTrue(message.contains("'" + bad + "'"), message);
        }
        assertEquals(5, Arrays.stream(FailRule.Kind.values()).count());
    }
}
