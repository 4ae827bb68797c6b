package dev.panamark.compare;

import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import dev.panamark.stats.Descriptive;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.SequencedMap;

/** Results with known differences. */
public final class Runs {
    /** Around 1, with a median of 1. */
    private static final double[] FIVE = {0.999, 1.0015, 1.0, 0.998, 1.001};

    private Runs() {}

    /** An ordered map. */
    public static SequencedMap<String, Object> map(Object... keysAndValues) {
        SequencedMap<String, Object> out = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            out.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return out;
    }

    /** A row with samples, the first or only invocation. */
    public static Row.Builder sampled(String kernel, long n, double... samples) {
        double median = Descriptive.median(samples);
        return Row.builder("cpu:0", kernel, "sha256:0a", map("n", n), "hot")
                .invocation(0)
                .metric(
                        Tags.TIME_MEDIAN,
                        Tags.TIME_MEDIAN.value(median, Source.MEASURED).withN(samples.length))
                .metric(Tags.RATE_FLOPS, Tags.RATE_FLOPS.value(1e6 / median, Source.COMPUTED))
                .samples(Arrays.stream(samples).boxed().toList());
    }

    /** Independent samples around a median, from a seeded generator. */
    public static double[] noisy(long seed, int n, double median, double sigma) {
        Random random = new Random(seed);
        double[] x = new double[n];
        Arrays.setAll(x, i -> median * Math.exp(sigma * random.nextGaussian()));
        return x;
    }

    /** One row an invocation, with these medians. */
    public static List<Row> invocations(String device, String kernel, long n, String image, double... medians) {
        List<Row> out = new ArrayList<>();
        for (int i = 0; i < medians.length; i++) {
            out.add(Row.builder(device, kernel, image, map("n", n), "hot")
                    .invocation(i)
                    .metric(
                            Tags.TIME_MEDIAN,
                            Tags.TIME_MEDIAN
                                    .value(medians[i], Source.MEASURED)
                                    .withN(100)
                                    .withCi95(medians[i] * 0.999, medians[i] * 1.001))
                    .build());
        }
        return out;
    }

    /** Five values around this, their median; 0.2 % apart at most. */
    public static double[] five(double median) {
        return Arrays.stream(FIVE).map(x -> x * median).toArray();
    }

    /** A row that is not ok. */
    public static Row bad(String kernel, long n, Status status) {
        return Row.builder("cpu:0", kernel, "", map("n", n), "hot")
                .invocation(0)
                .status(status, "because of " + status.tag())
                .build();
    }

    /** A run of these rows on one machine. */
    @SafeVarargs
    public static RunResult run(List<Row>... rows) {
        List<Row> all = new ArrayList<>();
        for (List<Row> some : rows) {
            all.addAll(some);
        }
        return RunResult.started(
                        List.of("run"),
                        Instant.parse("2026-01-31T12:00:00Z"),
                        map("panamark", "0.1.0", "java", "25.0.3", "worker_flags", List.of("-Xmx1g", "-Xss8m")),
                        List.of(
                                map("id", "cpu:0", "name", "Example CPU 9000", "uuid", "CPU-1"),
                                map("id", "cuda:0", "name", "Example GPU", "uuid", "GPU-1")),
                        List.of(map("kernel", "a.b", "image", "sha256:0a", "compiler", "gcc 14.2.0")),
                        42)
                .withRows(all);
    }

    /** A run as if read from a file. */
    public static ComparedRun compared(String name, RunResult run) {
        return new ComparedRun(name, run, List.of());
    }

    /** The question that the command asks by default. */
    public static Comparison.Question time() {
        return new Comparison.Question(Tags.TIME_MEDIAN.path(), null, 0.005, false, 1);
    }
}
