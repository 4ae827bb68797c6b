package dev.panamark.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.DeviceInfo;
import dev.panamark.device.Watch;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Check;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Problem;
import dev.panamark.kernel.Shape;
import dev.panamark.kernel.Work;
import dev.panamark.kernel.check.Verdict;
import dev.panamark.kernel.check.Worst;
import dev.panamark.kernel.format.DataType;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Figures worked out by hand, from ten samples of 1 to 10 ms. */
class RowMetricsTest {
    private static final EnergyMeasurement.Energy NO_ENERGY =
            new EnergyMeasurement.Energy(new LinkedHashMap<>(), List.of());

    private static final double[] TEN = {.001, .010, .002, .009, .003, .008, .004, .007, .005, .006};
    private static final WarmUp.Warmth WARM = new WarmUp.Warmth(16, 0.3, true, 0.0055);

    private static Buffer buffer(String name, Buffer.Role role) {
        return new Buffer(
                name,
                DataType.F32,
                Shape.of(3, 5),
                role,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalDouble.empty(),
                Optional.empty());
    }

    private static RowMetrics metrics(Work work, Optional<String> ceiling, Buffer... buffers) {
        Instance instance = new Instance(
                "mine.k",
                new Problem(new LinkedHashMap<>()),
                new LinkedHashMap<>(),
                new Image("cpu", Path.of("k.c"), List.of()),
                List.of(buffers),
                List.of(),
                new Check(Optional.of("linear"), Optional.empty(), Map.of(), Map.of()),
                inputs -> work,
                ceiling);
        DeviceInfo device = new DeviceInfo("cpu:0", "cpu", "A name", "u", new LinkedHashMap<>(), new LinkedHashMap<>());
        RowMetrics metrics = new RowMetrics(
                Row.builder("cpu:0", "mine.k", "cafe", new LinkedHashMap<>(), "hot")
                        .invocation(0),
                device,
                instance);
        metrics.work(work);
        return metrics;
    }

    private static Work work(double flops, double reads, double writes, double tokens) {
        SequencedMap<String, Double> map = new LinkedHashMap<>();
        if (flops > 0) {
            map.put("fma_f32", flops * 0.75);
            map.put("alu_i32", flops * 0.25);
        }
        return new Work(
                map, reads, writes, tokens > 0 ? Optional.of(new Work.Tokens(tokens, "prefill")) : Optional.empty());
    }

    private static Verdict verdict(boolean right, Optional<Worst> worst, Map<String, Double> errors, String... flags) {
        return verdict(15, right, worst, errors, flags);
    }

    private static Verdict verdict(
            long checked, boolean right, Optional<Worst> worst, Map<String, Double> errors, String... flags) {
        return new Verdict(
                right,
                "close",
                worst,
                new TreeMap<>(errors),
                checked,
                15,
                right ? "" : "out[7] is off",
                List.of(flags));
    }

    private static Validation.Outcome outcome(long seed, Verdict verdict) {
        return new Validation.Outcome(verdict, Optional.empty(), seed, List.of(), true);
    }

    private static Validation.Outcome right(long seed, String... flags) {
        return outcome(
                seed,
                verdict(
                        true,
                        Optional.of(new Worst("out", 7, List.of(1L, 2L), 1.5, 1.25, 0.5)),
                        Map.of("max_abs", 0.25, "cosine", 0.999),
                        flags));
    }

    private static Request request(Optional<Request.ModelLayers> model) {
        return new Request(
                "mine.k",
                "",
                new Problem(new LinkedHashMap<>()),
                new LinkedHashMap<>(),
                5,
                new Effort(1, 0, 0.01, 1),
                model,
                Mode.HOT,
                false,
                Optional.empty());
    }

    private static Track.Samples samples(double[] seconds, int launches, double sampled, double resolution) {
        return new Track.Samples(
                seconds, launches, sampled, resolution, 4, 1, null, OptionalDouble.empty(), Watch.NONE);
    }

    private static Sampling sampling(WarmUp.Warmth warmth, Track.Samples samples) {
        return new Sampling(
                Mode.HOT,
                warmth,
                samples,
                "a clock",
                new LinkedHashMap<>(Map.of("not_pinned", "for no reason")),
                List.of(),
                List.of(),
                Availability.of(new Floor.Time(1e-6, 30)));
    }

    private static Row measured(Work work, double[] seconds, int launches) {
        return metrics(work, Optional.empty(), buffer("out", Buffer.Role.OUTPUT))
                .measured(
                        right(5),
                        right(77),
                        request(Optional.of(new Request.ModelLayers("m", 4))),
                        sampling(WARM, samples(seconds, launches, 0.055, 1e-9)),
                        NO_ENERGY);
    }

    private static Metric metric(Row row, Tag tag) {
        Metric metric = row.metric(tag);
        assertNotNull(metric, tag.path());
        return metric;
    }

    private static void has(Row row, Tag tag, double expected, Source source) {
        Metric metric = metric(row, tag);
        double got = Objects.requireNonNull(metric.value(), () -> tag.path() + ": " + metric.reason());
        assertEquals(expected, got, Math.abs(expected) * 1e-12, tag.path());
        assertEquals(source, metric.source(), tag.path());
    }

    private static void lacks(Row row, Tag tag, String reason) {
        Metric metric = metric(row, tag);
        assertNull(metric.value(), tag.path());
        assertTrue(String.valueOf(metric.reason()).contains(reason), () -> tag.path() + ": " + metric.reason());
    }

    @Test
    void timesOfTheSamples() {
        Row row = measured(work(0, 0, 0, 0), TEN, 1);
        has(row, Tags.TIME_MEDIAN, 0.0055, Source.MEASURED);
        has(row, Tags.TIME_MEAN, 0.0055, Source.MEASURED);
        // Variance of 1 .. 10 with divisor 9: 82.5 / 9.
        has(row, Tags.TIME_STDEV, Math.sqrt(82.5 / 9) * 1e-3, Source.MEASURED);
        has(row, Tags.TIME_NOISE, Math.sqrt(82.5 / 9) / 5.5, Source.COMPUTED);
        assertEquals(10, metric(row, Tags.TIME_MEDIAN).n());
        var ci95 = metric(row, Tags.TIME_MEDIAN).ci95();
        assertNotNull(ci95);
        // Signs alternate, so h = 10 t(9, 0.975) sqrt(10/9/10) / 2 = 5 * 2.262157 / 3 = 3.770262 ranks about 5.5.
        assertEquals(0.001729738, ci95.lo(), 1e-9);
        assertEquals(0.009270262, ci95.hi(), 1e-9);
        assertTrue(String.valueOf(metric(row, Tags.TIME_MEDIAN).note()).contains("one invocation"));
        assertEquals(Arrays.stream(TEN).boxed().toList(), row.samples());
        assertEquals(Status.OK, row.status());
    }

    @Test
    void percentilesOfSingleLaunches() {
        Row row = measured(work(0, 0, 0, 0), TEN, 1);
        Double p50 = metric(row, Tags.TIME_P50).value();
        assertNotNull(p50);
        assertEquals(0.005, p50, 0.005 * 2e-4, "five of ten are at most 5 ms; the histogram has four digits");
        has(row, Tags.TIME_MAX, 0.010, Source.MEASURED);
        lacks(row, Tags.TIME_P90, "needs 36 samples");
        lacks(row, Tags.TIME_P99, "needs 368 samples");
    }

    @Test
    void percentilesOfSharedSamplesAreMissing() {
        Row row = measured(work(0, 0, 0, 0), TEN, 3);
        for (Tag tag : List.of(Tags.TIME_P50, Tags.TIME_P90, Tags.TIME_P99, Tags.TIME_MAX)) {
            lacks(row, tag, "mean of 3 launches");
        }
        has(row, Tags.TIME_MEDIAN, 0.0055, Source.MEASURED);
    }

    @Test
    void ratesAreWorkOverTheMedian() {
        Row row = measured(work(1.1e9, 4.4e6, 1.1e6, 11), TEN, 1);
        has(row, Tags.RATE_FLOPS, 2e11, Source.COMPUTED);
        has(row, Tags.RATE_BYTES, 1e9, Source.COMPUTED);
        has(row, Tags.RATE_LAYER_TOKENS, 2000, Source.COMPUTED);
        has(row, Tags.RATE_TOKENS, 500, Source.COMPUTED);
        assertTrue(String.valueOf(metric(row, Tags.RATE_TOKENS).note()).contains("4 layers of m"));
        lacks(row, Tags.UTIL_PEAK, "no datasheet figures are known for A name");
        lacks(row, Tags.UTIL_BANDWIDTH, "no datasheet figures");
        assertEquals(
                Map.of(
                        "flops",
                        Map.of("fma_f32", 0.825e9, "alu_i32", 0.275e9),
                        "reads",
                        4.4e6,
                        "writes",
                        1.1e6,
                        "tokens",
                        Map.of("count", 11.0, "kind", "prefill")),
                row.work());
    }

    @Test
    void whatIsNotCountedHasNoRate() {
        Row row = measured(work(0, 0, 0, 0), TEN, 1);
        lacks(row, Tags.RATE_FLOPS, "no flops");
        lacks(row, Tags.RATE_BYTES, "no bytes");
        lacks(row, Tags.RATE_LAYER_TOKENS, "no tokens");
        assertNull(row.metric(Tags.RATE_TOKENS));
    }

    @Test
    void withoutAModelThereAreOnlyTokensOfTheLayer() {
        Row row = metrics(work(0, 0, 0, 11), Optional.empty())
                .measured(
                        right(5),
                        right(77),
                        request(Optional.empty()),
                        sampling(WARM, samples(TEN, 1, 0.055, 1e-9)),
                        NO_ENERGY);
        has(row, Tags.RATE_LAYER_TOKENS, 2000, Source.COMPUTED);
        assertNull(row.metric(Tags.RATE_TOKENS));
    }

    @Test
    void errorsAndMemory() {
        Row row = metrics(
                        work(0, 0, 0, 0),
                        Optional.empty(),
                        buffer("a", Buffer.Role.INPUT),
                        buffer("b", Buffer.Role.OUTPUT))
                .once(right(5));
        has(row, Tags.ERROR_MAX_ABS, 0.25, Source.COMPUTED);
        // One minus the cosine.
        assertEquals(
                0.001, Objects.requireNonNull(metric(row, Tags.ERROR_COSINE).value()), 1e-12);
        // Two buffers of 15 floats.
        has(row, Tags.MEMORY_PEAK, 120, Source.COMPUTED);
        lacks(row, Tags.TIME_MEDIAN, "--once");
        assertEquals(Status.OK, row.status());
        assertEquals(List.of(), row.samples());
    }

    @Test
    void anErrorOfEqualVectorsIsNotBelowZero() {
        Row row = metrics(work(0, 0, 0, 0), Optional.empty())
                .once(outcome(5, verdict(true, Optional.empty(), Map.of("max_abs", 0.0, "cosine", Math.nextUp(1.0)))));
        has(row, Tags.ERROR_COSINE, 0, Source.COMPUTED);
    }

    @Test
    void anErrorThatIsNotFiniteIsMissing() {
        Worst nan = new Worst("out", 7, List.of(1L, 2L), Double.NaN, 1.25, 0.5);
        Row row = metrics(work(0, 0, 0, 0), Optional.empty())
                .wrong(outcome(5, verdict(false, Optional.of(nan), Map.of("max_abs", 0.0))), "before");
        lacks(row, Tags.ERROR_MAX_ABS, "not finite");
        lacks(row, Tags.ERROR_COSINE, "not finite");
        Map<?, ?> worst = (Map<?, ?>) Objects.requireNonNull(row.check().get("worst"));
        assertEquals("NaN", worst.get("got"));
        assertEquals(1.25, worst.get("expected"));
        assertEquals(List.of(1L, 2L), worst.get("index"));
        Row infinite = metrics(work(0, 0, 0, 0), Optional.empty())
                .once(outcome(5, verdict(true, Optional.empty(), Map.of("max_abs", Double.POSITIVE_INFINITY))));
        lacks(infinite, Tags.ERROR_MAX_ABS, "not finite");
        lacks(infinite, Tags.ERROR_COSINE, "is zero");
    }

    @Test
    void anOutputThatIsComparedInPartSaysHowMuch() {
        Validation.Outcome part = outcome(5, verdict(12, true, Optional.empty(), Map.of()));
        Row row = metrics(work(0, 0, 0, 0), Optional.empty()).once(part);
        // 12 of 15.
        assertTrue(row.flags().getFirst().startsWith("80 % of the output compared"), row.flags()::toString);
        assertEquals(12L, row.check().get("checked_elements"));
    }

    @Test
    void theCheckSaysWithWhichSeedItWasMade() {
        Row row = measured(work(0, 0, 0, 0), TEN, 1);
        assertEquals(77L, row.check().get("seed"), "the second validation's, whose worst element the row shows");
        assertEquals(3L, row.check().get("validations"));
        assertEquals("linear", row.check().get("reference"));
        assertEquals("close", row.check().get("rule"));
        assertEquals(15L, row.check().get("checked_elements"));
        assertEquals(15L, row.check().get("elements"));
        assertEquals(5L, row.run().get("seed"));
    }

    @Test
    void aWrongRowHasNoTime() {
        Row row = metrics(work(1e9, 0, 0, 0), Optional.of("flops"))
                .wrong(outcome(9, verdict(false, Optional.empty(), Map.of())), "after the timed launches");
        assertEquals(Status.WRONG, row.status());
        assertEquals("out[7] is off (after the timed launches, seed 9)", row.reason());
        assertEquals("after the timed launches", row.check().get("when"));
        lacks(row, Tags.TIME_MEDIAN, "wrong");
        lacks(row, Tags.ERROR_MAX_ABS, "no element was compared");
        assertNull(row.metric(Tags.RATE_FLOPS));
        assertEquals("flops", row.work().get("ceiling"));
    }

    @Test
    void flagsOfBothValidationsAppearOnce() {
        Row row = metrics(work(0, 0, 0, 0), Optional.empty())
                .measured(
                        right(5, "nondeterministic", "early"),
                        right(77, "nondeterministic", "late"),
                        request(Optional.empty()),
                        sampling(new WarmUp.Warmth(16, 0.3, false, 0.0055), samples(TEN, 1, 0.055, 1e-9)),
                        NO_ENERGY);
        assertEquals(List.of("nondeterministic", "late", "early", "still changing when warming up ended"), row.flags());
    }

    @Test
    void aKernelThatWorksInPlaceSaysSo() {
        Row row = metrics(work(0, 0, 0, 0), Optional.empty(), buffer("y", Buffer.Role.INOUT))
                .measured(
                        right(5),
                        right(77),
                        request(Optional.empty()),
                        sampling(WARM, samples(TEN, 1, 0.055, 1e-9)),
                        NO_ENERGY);
        assertTrue(
                row.flags().getFirst().startsWith("in place"), () -> row.flags().toString());
    }

    @Test
    void aLevelThatDriftsIsFlagged() {
        double[] rising =
                IntStream.range(0, 100).mapToDouble(i -> 0.001 + 1e-5 * i).toArray();
        Row row = measured(work(0, 0, 0, 0), rising, 1);
        assertTrue(
                row.flags().getFirst().startsWith("the level drifted"),
                () -> row.flags().toString());
    }

    @Test
    void fewSamplesHaveNoIntervalAndOneHasNoSpread() {
        Row nine = measured(work(0, 0, 0, 0), Arrays.copyOf(TEN, 9), 1);
        assertNull(metric(nine, Tags.TIME_MEDIAN).ci95());
        assertTrue(String.valueOf(metric(nine, Tags.TIME_MEDIAN).note()).contains("only 9 samples"));
        Row one = measured(work(0, 0, 0, 0), new double[] {0.5}, 1);
        has(one, Tags.TIME_MEDIAN, 0.5, Source.MEASURED);
        lacks(one, Tags.TIME_STDEV, "one sample");
        lacks(one, Tags.TIME_NOISE, "one sample");
    }

    @Test
    void theRunTellsHowItWasSampled() {
        Row row = measured(work(0, 0, 0, 0), TEN, 3);
        assertEquals(16L, row.run().get("warm_up_launches"));
        assertEquals(true, row.run().get("warm_up_settled"));
        assertEquals(10L, row.run().get("samples"));
        assertEquals(3L, row.run().get("launches_per_sample"));
        assertEquals(0.055, row.run().get("sampled_seconds"));
        assertEquals("m", row.run().get("model"));
    }

    @Test
    void twoThousandSamplesAreKeptAndAllAreUsed() {
        double[] many = IntStream.range(0, 2500).mapToDouble(i -> i % 5 + 1).toArray();
        Row row = measured(work(0, 0, 0, 0), many, 1);
        assertEquals(2000, row.samples().size());
        assertEquals(2500, metric(row, Tags.TIME_MEDIAN).n());
        assertEquals(2500L, row.run().get("samples"));
        assertEquals(2000L, row.run().get("samples_kept"));
    }

    @Test
    void samplesOfAFewTicksOfTheClockAreUnstable() {
        double[] short9 = {9e-6, 9e-6, 9e-6};
        Row row = metrics(work(1e3, 0, 0, 0), Optional.empty())
                .measured(
                        right(5),
                        right(77),
                        request(Optional.empty()),
                        sampling(WARM, samples(short9, 1, 0.055, 1e-6)),
                        NO_ENERGY);
        assertEquals(Status.UNSTABLE, row.status());
        assertTrue(String.valueOf(row.reason()).contains("larger problem"), row::reason);
        Row shared = metrics(work(1e3, 0, 0, 0), Optional.empty())
                .measured(
                        right(5),
                        right(77),
                        request(Optional.empty()),
                        sampling(WARM, samples(short9, 2, 0.055, 1e-6)),
                        NO_ENERGY);
        assertEquals(Status.OK, shared.status(), "the sample counts, not the launch");
    }

    @Test
    void aTimeOfZeroIsNoTime() {
        Row row = metrics(work(1e3, 8, 8, 8), Optional.empty())
                .measured(
                        right(5),
                        right(77),
                        request(Optional.empty()),
                        sampling(WARM, samples(new double[12], 1, 0, 1e-6)),
                        NO_ENERGY);
        assertEquals(Status.UNSTABLE, row.status());
        lacks(row, Tags.TIME_MEDIAN, "too short");
        assertNull(row.metric(Tags.RATE_FLOPS));
    }
}
