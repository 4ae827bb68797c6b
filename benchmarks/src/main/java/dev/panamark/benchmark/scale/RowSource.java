package dev.panamark.benchmark.scale;

import dev.panamark.measure.Invocations;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Tags;
import dev.panamark.stats.MedianInterval;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Rows as {@code panamark run --invocations N} leaves them: those of single invocations with their samples, and behind
 * them the one that aggregates them. Each begins as a row that a real run wrote ({@code rows.jsonl}, the samples left out);
 * one axis, all times and what follows from them are drawn anew.
 */
final class RowSource {
    /** Spread of a kernel's times, of its medians from run to run, and from problem to problem. */
    private static final double SIGMA = 0.02;

    private static final double BETWEEN_RUNS = 0.003;
    private static final double BETWEEN_PROBLEMS = 0.5;

    private final List<Row> templates;
    private final int invocations;
    private final int samples;

    /** {@code invocations} of one problem; 1 gives no aggregates. {@code samples} of a row: at least 10. */
    RowSource(int invocations, int samples) {
        this.templates = templates();
        this.invocations = invocations;
        this.samples = samples;
    }

    private static List<Row> templates() {
        try (InputStream in = Objects.requireNonNull(RowSource.class.getResourceAsStream("rows.jsonl"))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(Row::fromJson)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("the rows to begin with cannot be read", e);
        }
    }

    /**
     * All rows of a problem.
     *
     * @param number from 0
     * @param seed of this run; another gives the same problem other times
     */
    List<Row> problem(int number, long seed) {
        double level = Math.exp(BETWEEN_PROBLEMS * new SplittableRandom(number).nextGaussian());
        RandomGenerator random = new SplittableRandom(seed * 1_000_003 + number);
        Row template = templates.get(number % templates.size());
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < invocations; i++) {
            double factor = level * Math.exp(BETWEEN_RUNS * random.nextGaussian());
            rows.add(row(template, number / templates.size(), i, factor, random));
        }
        if (invocations > 1) {
            rows.add(Invocations.aggregate(rows));
        }
        return rows;
    }

    private Row row(Row template, int variant, int invocation, double factor, RandomGenerator random) {
        Metric time = Objects.requireNonNull(template.metric(Tags.TIME_MEDIAN));
        double median = factor * Objects.requireNonNull(time.value());
        double[] seconds = new double[samples];
        for (int i = 0; i < samples; i++) {
            // A clock counts whole nanoseconds.
            seconds[i] = Math.rint(1e9 * median * Math.exp(SIGMA * random.nextGaussian())) / 1e9;
        }
        Row.Builder row = Row.builder(
                        template.device(),
                        template.kernel(),
                        template.image(),
                        problem(template.problem(), variant),
                        template.mode())
                .invocation(invocation)
                .work(template.work())
                .check(template.check())
                .denominators(template.denominators())
                .samples(Arrays.stream(seconds).boxed().toList())
                .run(run(template.run(), seconds));
        template.metrics().forEach((path, metric) -> row.metric(path, scaled(path, metric, factor, random)));
        MedianInterval interval = MedianInterval.of(seconds);
        MedianInterval.Bounds bounds = Objects.requireNonNull(interval.ci95());
        row.metric(
                Tags.TIME_MEDIAN,
                Tags.TIME_MEDIAN
                        .value(interval.median(), Source.MEASURED)
                        .withN(samples)
                        .withCi95(bounds.lo(), bounds.hi())
                        .withNote(String.valueOf(time.note())));
        if (random.nextInt(10) == 0) {
            template.flags().forEach(row::flag);
        }
        return row.build();
    }

    /** The first axis that is a whole number tells the problems apart. */
    private static SequencedMap<String, Object> problem(SequencedMap<String, Object> axes, int variant) {
        SequencedMap<String, Object> problem = new LinkedHashMap<>(axes);
        for (Map.Entry<String, Object> axis : problem.entrySet()) {
            if (axis.getValue() instanceof Long value) {
                axis.setValue(value + variant);
                break;
            }
        }
        return problem;
    }

    private SequencedMap<String, Object> run(SequencedMap<String, Object> of, double[] seconds) {
        SequencedMap<String, Object> run = new LinkedHashMap<>(of);
        double sampled = Arrays.stream(seconds).sum();
        run.put("samples", samples);
        run.put("samples_kept", samples);
        run.put("sampled_seconds", sampled);
        run.put("warm_up_seconds", 0.25 + sampled % 0.01);
        return run;
    }

    private Metric scaled(String path, Metric metric, double factor, RandomGenerator random) {
        Double value = metric.value();
        boolean time = path.startsWith("time/device/") || path.equals(Tags.TIME_FLOOR.path());
        boolean rate = path.startsWith("rate/") || path.startsWith("util/");
        boolean other = path.startsWith("error/") || path.equals(Tags.TIME_NOISE.path());
        if (value == null || !(time || rate || other)) {
            return metric;
        }
        double noisy = Math.exp(SIGMA * random.nextGaussian());
        double fresh = value * noisy * (time ? factor : rate ? 1 / factor : 1);
        Long n = metric.n() == null ? null : (Long) (long) samples;
        return new Metric(fresh, metric.unit(), metric.source(), n, null, null, metric.note(), metric.detail());
    }
}
