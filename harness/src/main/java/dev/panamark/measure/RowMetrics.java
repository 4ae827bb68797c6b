package dev.panamark.measure;

import dev.panamark.device.Counted;
import dev.panamark.device.DeviceInfo;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Work;
import dev.panamark.kernel.check.Verdict;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import dev.panamark.stats.Descriptive;
import dev.panamark.stats.MedianInterval;
import dev.panamark.stats.Percentiles;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SequencedMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Turns what was measured into a row's metrics. Computes; reads no clock and no device. */
final class RowMetrics {
    /** More kept samples than this are not written into a result; statistics use all of them. */
    private static final int KEPT_SAMPLES = 2000;

    /** Launches shorter than this many empty ones say more about launching than about the kernel. */
    private static final double FLOORS = 10;

    /** Share of samples; with fewer the median does not mind. */
    private static final double MANY_DISTURBED = 0.1;

    /** Samples of fewer ticks of the clock than this are wrong by more than 10 %. */
    private static final double FEWEST_TICKS = 10;

    private final Row.Builder row;
    private final DeviceInfo device;
    private final Instance instance;
    private final Datasheet datasheet;
    private Work work = new Work(new LinkedHashMap<>(), 0, 0, java.util.Optional.empty());
    private final SequencedMap<String, Object> check = new LinkedHashMap<>();
    private final SequencedMap<String, Object> denominators = new LinkedHashMap<>();

    RowMetrics(Row.Builder row, DeviceInfo device, Instance instance) {
        this.row = row;
        this.device = device;
        this.instance = instance;
        this.datasheet = new Datasheet(device);
    }

    void work(Work found) {
        work = found;
        SequencedMap<String, Object> map = new LinkedHashMap<>();
        map.put("flops", new LinkedHashMap<>(found.flops()));
        map.put("reads", found.reads());
        map.put("writes", found.writes());
        found.tokens().ifPresent(t -> {
            SequencedMap<String, Object> tokens = new LinkedHashMap<>();
            tokens.put("count", t.count());
            tokens.put("kind", t.kind());
            map.put("tokens", tokens);
        });
        instance.ceiling().ifPresent(kind -> map.put("ceiling", kind));
        row.work(map);
    }

    /** How full units are, as drivers calculate it: of the launch with the fewest warps, or of the first that is not known. */
    void occupancy(List<Availability<Counted.Occupancy>> launches) {
        launches.stream()
                .min(Comparator.comparingDouble(RowMetrics::share))
                .ifPresent(least -> row.metric(Tags.OCCUPANCY_THEORETICAL, CountMetrics.occupancy(least)));
    }

    private static double share(Availability<Counted.Occupancy> launch) {
        return launch instanceof Availability.Available<Counted.Occupancy>(Counted.Occupancy known)
                ? known.share()
                : -1;
    }

    /** Where the evidence of a wrong row went. */
    void dumped(Path folder) {
        check.put("dump", folder.toString());
    }

    /** The evidence could not be kept; what the row says about the kernel holds all the same. */
    void notDumped(String why) {
        row.flag("--dump: " + why);
    }

    Row wrong(Validation.Outcome outcome, String when) {
        checked(outcome);
        check.put("when", when);
        String none = "not timed: the output is wrong";
        return finish(outcome)
                .metric(Tags.TIME_MEDIAN, Tags.TIME_MEDIAN.missing(none))
                .status(Status.WRONG, outcome.reason() + " (" + when + ", seed " + outcome.seed() + ")")
                .build();
    }

    Row once(Validation.Outcome outcome) {
        checked(outcome);
        return finish(outcome)
                .metric(Tags.TIME_MEDIAN, Tags.TIME_MEDIAN.missing("--once launches once and times nothing"))
                .build();
    }

    /** Of one launch; empty where the kernel file counts none. */
    OptionalDouble tokens() {
        return work.tokens().map(t -> OptionalDouble.of(t.count())).orElse(OptionalDouble.empty());
    }

    Row measured(
            Validation.Outcome before,
            Validation.Outcome after,
            Request request,
            Sampling sampling,
            EnergyMeasurement.Energy energy) {
        Track.Samples samples = sampling.samples();
        checked(after);
        check.put("validations", 3);
        finish(after);
        readable(samples);
        after.verdict().flags().forEach(row::flag);
        before.verdict().flags().stream()
                .filter(f -> !after.verdict().flags().contains(f))
                .forEach(row::flag);
        double median = times(samples);
        if (median > 0) {
            rates(median, request);
            datasheet.shares(row, work, median, denominators);
            datasheet.reject(row, work, median, sampling.mode(), samples.clockRange());
        } else {
            row.metric(Tags.TIME_MEDIAN, Tags.TIME_MEDIAN.missing("too short for the clock to see"));
        }
        energy.metrics().forEach(row::metric);
        energy.flags().forEach(row::flag);
        floor(sampling, median);
        run(request, sampling);
        disturbed(samples);
        StateMetrics.add(row, samples);
        sampling.warnings().forEach(row::flag);
        if (sampling.mode() == Mode.HOT) {
            nearCaches();
        }
        return row.build();
    }

    /** A row of a device that counts and has no clock. */
    Row counted(
            Validation.Outcome before,
            Validation.Outcome after,
            Request request,
            Counted counted,
            String noTime,
            EnergyMeasurement.Energy energy) {
        checked(after);
        check.put("validations", 2);
        finish(after);
        Stream.concat(before.verdict().flags().stream(), after.verdict().flags().stream())
                .distinct()
                .forEach(row::flag);
        CountMetrics.add(row, counted, noTime);
        sampled(request, counted);
        energy.metrics().forEach(row::metric);
        SequencedMap<String, Object> run = new LinkedHashMap<>();
        run.put("seed", request.seed());
        request.model().ifPresent(m -> run.put("model", m.name()));
        row.run(run);
        return row.build();
    }

    private void sampled(Request request, Counted counted) {
        counted.sampled().ifPresent(sample -> {
            SequencedMap<String, Object> blocks = new LinkedHashMap<>();
            blocks.put("ran", sample.ran());
            blocks.put("of", sample.of());
            check.put("blocks", blocks);
            row.check(check);
            row.flag(sample.ran() + " of " + sample.of()
                    + " blocks ran: counts are estimates, and only what these blocks wrote was checked");
        });
        if (request.effort().blocks() > 0 && !instance.canBeSampled()) {
            row.flag("all blocks ran: it has several steps, or blocks that wait for each other");
        }
    }

    private Row.Builder finish(Validation.Outcome outcome) {
        row.check(check);
        row.denominators(denominators);
        double bytes = (double) instance.bytes();
        row.metric(
                Tags.MEMORY_PEAK,
                Tags.MEMORY_PEAK.value(bytes, Source.COMPUTED).withNote("all buffers of the kernel file together"));
        errors(outcome.verdict());
        return row;
    }

    private void errors(Verdict verdict) {
        // A verdict's errors leave such elements out, so that an output of nothing but NaN would have an error of 0.
        boolean finite =
                verdict.worst().stream().allMatch(w -> Double.isFinite(w.got()) && Double.isFinite(w.expected()));
        Double cosine = verdict.errors().get("cosine");
        error(Tags.ERROR_MAX_ABS, finite, verdict.errors().get("max_abs"), "no element was compared");
        // Rounding may put the cosine of equal vectors a little above 1.
        error(
                Tags.ERROR_COSINE,
                finite,
                cosine == null ? null : Math.max(0, 1 - cosine),
                "every element compared is zero, in the output and in what is expected");
    }

    private void error(Tag tag, boolean finite, @Nullable Double value, String none) {
        if (!finite || (value != null && !Double.isFinite(value))) {
            row.metric(tag, tag.missing("an output or its expectation is not finite"));
        } else {
            row.metric(tag, value == null ? tag.missing(none) : tag.value(value, Source.COMPUTED));
        }
    }

    private void checked(Validation.Outcome outcome) {
        Verdict v = outcome.verdict();
        check.put(
                "reference",
                instance.check()
                        .reference()
                        .or(() -> instance.check().against())
                        .orElse(""));
        check.put("rule", v.rule());
        check.put("checked_elements", v.checked());
        check.put("elements", v.elements());
        if (v.checked() < v.elements()) {
            row.flag(String.format(
                    Locale.ROOT,
                    outcome.whole()
                            ? "%.2g %% of the output compared with the reference (edges and random rows), all of it"
                                    + " looked at for what is unwritten or not finite"
                            : "%.2g %% of what the blocks that ran wrote compared with the reference (edges and random"
                                    + " rows), all of it looked at for what is not finite",
                    100.0 * v.checked() / v.elements()));
        }
        check.put("seed", outcome.seed());
        v.worst().ifPresent(w -> {
            SequencedMap<String, Object> worst = new LinkedHashMap<>();
            worst.put("output", w.output());
            worst.put("index", w.index());
            number(worst, "got", w.got());
            number(worst, "expected", w.expected());
            number(worst, "allowed", w.allowed());
            check.put("worst", worst);
        });
    }

    /** JSON has no NaN or infinity; as text they keep their meaning. */
    private static void number(Map<String, Object> map, String name, double value) {
        map.put(name, Double.isFinite(value) ? (Object) value : Double.toString(value));
    }

    /** Only a launch that cannot share its sample with others, or a clock that stands still, gets here. */
    private void readable(Track.Samples samples) {
        double sample = Descriptive.median(samples.seconds()) * samples.launchesPerSample();
        if (sample < FEWEST_TICKS * samples.resolution()) {
            row.status(
                    Status.UNSTABLE,
                    String.format(
                            Locale.ROOT,
                            "a sample takes %.3g s, and the clock shows differences of %.3g s; take a larger problem",
                            sample,
                            samples.resolution()));
        }
    }

    private double times(Track.Samples samples) {
        double[] s = samples.seconds();
        long n = s.length;
        double median = Descriptive.median(s);
        MedianInterval interval = MedianInterval.of(s);
        Metric time = Tags.TIME_MEDIAN.value(median, Source.MEASURED).withN(n);
        MedianInterval.Bounds ci95 = interval.ci95();
        if (ci95 != null) {
            time = time.withCi95(ci95.lo(), ci95.hi())
                    .withNote("one invocation: the spread between runs is not in the interval");
        } else {
            time = time.withNote("no interval: " + interval.reason());
        }
        if (interval.drifted()) {
            row.flag("the level drifted while sampling, as on a machine that others share; the interval is wide");
        }
        row.metric(Tags.TIME_MEDIAN, time);
        row.metric(
                Tags.TIME_MEAN,
                Tags.TIME_MEAN.value(Descriptive.mean(s), Source.MEASURED).withN(n));
        if (n > 1 && median > 0) {
            row.metric(
                    Tags.TIME_STDEV,
                    Tags.TIME_STDEV.value(Descriptive.stdev(s), Source.MEASURED).withN(n));
            row.metric(
                    Tags.TIME_NOISE,
                    Tags.TIME_NOISE.value(Descriptive.noise(s), Source.COMPUTED).withN(n));
        } else {
            row.metric(Tags.TIME_STDEV, Tags.TIME_STDEV.missing("one sample has no spread"));
            row.metric(Tags.TIME_NOISE, Tags.TIME_NOISE.missing("one sample has no spread"));
        }
        Percentiles percentiles = Percentiles.of(s, samples.launchesPerSample());
        percentile(Tags.TIME_P50, percentiles.p50(), n);
        percentile(Tags.TIME_P90, percentiles.p90(), n);
        percentile(Tags.TIME_P99, percentiles.p99(), n);
        percentile(Tags.TIME_MAX, percentiles.max(), n);
        row.samples(Arrays.stream(s).limit(KEPT_SAMPLES).boxed().toList());
        return median;
    }

    private void percentile(Tag tag, Percentiles.Percentile p, long n) {
        Double value = p.value();
        row.metric(
                tag,
                value != null ? tag.value(value, Source.MEASURED).withN(n) : tag.missing(String.valueOf(p.reason())));
    }

    private void rates(double median, Request request) {
        if (work.flops().isEmpty()) {
            row.metric(Tags.RATE_FLOPS, Tags.RATE_FLOPS.missing("the kernel file counts no flops (work.flops)"));
        } else {
            row.metric(Tags.RATE_FLOPS, Tags.RATE_FLOPS.value(work.allFlops() / median, Source.COMPUTED));
        }
        if (work.bytes() > 0) {
            row.metric(Tags.RATE_BYTES, Tags.RATE_BYTES.value(work.bytes() / median, Source.COMPUTED));
        } else {
            row.metric(
                    Tags.RATE_BYTES, Tags.RATE_BYTES.missing("the kernel file counts no bytes (work.reads, .writes)"));
        }
        work.tokens()
                .ifPresentOrElse(
                        t -> {
                            double perSecond = t.count() / median;
                            row.metric(
                                    Tags.RATE_LAYER_TOKENS,
                                    Tags.RATE_LAYER_TOKENS
                                            .value(perSecond, Source.COMPUTED)
                                            .withNote(t.kind() + " tokens of this one layer's kernel"));
                            request.model()
                                    .ifPresent(m -> row.metric(
                                            Tags.RATE_TOKENS,
                                            Tags.RATE_TOKENS
                                                    .value(perSecond / m.layers(), Source.COMPUTED)
                                                    .withNote(t.kind() + " tokens, " + m.layers() + " layers of "
                                                            + m.name() + ", this kernel only")));
                        },
                        () -> row.metric(
                                Tags.RATE_LAYER_TOKENS,
                                Tags.RATE_LAYER_TOKENS.missing("the kernel file counts no tokens (work.tokens)")));
    }

    /** A bandwidth is that of memory only where the data cannot stay in a cache from one launch to the next. */
    private void nearCaches() {
        Number cache = device.values().get("llc");
        if (instance.ceiling().filter("bytes"::equals).isPresent()
                && cache != null
                && work.bytes() < Datasheet.FOOTPRINT_OF_MEMORY * cache.doubleValue()) {
            row.flag("its data fit the last-level cache: a ceiling of the cache, as of the rows with a like footprint");
        }
    }

    private void floor(Sampling sampling, double median) {
        switch (sampling.floor()) {
            case Availability.Unavailable<Floor.Time> no ->
                row.metric(Tags.TIME_FLOOR, Tags.TIME_FLOOR.missing(no.text()));
            case Availability.Available<Floor.Time>(Floor.Time time) -> {
                row.metric(
                        Tags.TIME_FLOOR,
                        Tags.TIME_FLOOR.value(time.seconds(), Source.MEASURED).withN((long) time.samples()));
                if (median < FLOORS * time.seconds()) {
                    row.flag("takes less than ten empty launches (time/floor): launching is a good part of its time");
                }
            }
        }
    }

    private void disturbed(Track.Samples samples) {
        int n = samples.seconds().length;
        if (samples.disturbed() > MANY_DISTURBED * n) {
            row.flag(String.format(
                    Locale.ROOT,
                    "in %d of %d samples a thread was taken off its processor, or a clock changed",
                    samples.disturbed(),
                    n));
        }
    }

    private void run(Request request, Sampling sampling) {
        WarmUp.Warmth warmth = sampling.warmth();
        Track.Samples samples = sampling.samples();
        SequencedMap<String, Object> run = new LinkedHashMap<>();
        run.put("seed", request.seed());
        Object threads = device.facts().get("launch_threads");
        if (threads != null) {
            run.put("threads", threads);
        }
        run.put("warm_up_launches", warmth.launches());
        run.put("warm_up_seconds", warmth.seconds());
        run.put("warm_up_settled", warmth.settled());
        run.put("clock", sampling.clock());
        run.put("clock_resolution", samples.resolution());
        run.put("samples", samples.seconds().length);
        run.put("samples_kept", Math.min(KEPT_SAMPLES, samples.seconds().length));
        run.put("launches_per_sample", samples.launchesPerSample());
        run.put("sampled_seconds", samples.sampled());
        run.put("disturbed_samples", samples.disturbed());
        run.put("visits", samples.visits());
        if (!sampling.with().isEmpty()) {
            run.put("interleaved_with", sampling.with());
        }
        MedianInterval.Bounds clocks = samples.clockRange();
        if (clocks != null) {
            run.put("clock_min_hz", clocks.lo());
            run.put("clock_max_hz", clocks.hi());
        }
        if (!topology().isEmpty()) {
            run.put("topology", topology());
        }
        run.putAll(sampling.conditions());
        request.model().ifPresent(m -> run.put("model", m.name()));
        row.run(run);
        if (!warmth.settled()) {
            row.flag(
                    warmth.launches() < WarmUp.WINDOW
                            ? "warmed up for " + warmth.launches() + " launches, too few to see whether times settled"
                            : "still changing when warming up ended");
        }
        if (instance.buffers().stream().anyMatch(Buffer::needsRestore)) {
            row.flag("in place: restored before each launch, outside the timing");
        }
    }

    /** What the processors are, for a reader who wonders which of them share a core; empty for other devices. */
    private SequencedMap<String, Object> topology() {
        SequencedMap<String, Object> topology = new LinkedHashMap<>();
        for (String fact : List.of("sockets", "cores", "threads")) {
            Object known = device.facts().get(fact);
            if (known != null) {
                topology.put(fact, known);
            }
        }
        return topology;
    }
}
