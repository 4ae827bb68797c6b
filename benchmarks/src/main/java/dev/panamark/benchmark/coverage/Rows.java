package dev.panamark.benchmark.coverage;

import dev.panamark.compare.ComparedRun;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Source;
import dev.panamark.result.Tags;
import dev.panamark.stats.MedianInterval;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.random.RandomGenerator;

/** Simulated rows of a result. */
final class Rows {
    /** More samples than this are not written into a result. */
    private static final int KEPT = 2000;

    private Rows() {}

    /** One row an invocation, each of a process of its own. */
    static List<Row> of(
            SyntheticTimer timer,
            Sampling sampling,
            BetweenRuns between,
            int invocations,
            double factor,
            RandomGenerator random) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < invocations; i++) {
            double level = factor * between.factor(random);
            rows.add(row(sampling.sample(timer.start().apply(random), level), i));
        }
        return rows;
    }

    private static Row row(double[] samples, int invocation) {
        MedianInterval interval = MedianInterval.of(samples);
        MedianInterval.Bounds ci95 = interval.ci95();
        Metric time = Tags.TIME_MEDIAN.value(interval.median(), Source.MEASURED).withN(samples.length);
        return Row.builder("cpu:0", "synthetic.timer", "", new LinkedHashMap<>(), "hot")
                .invocation(invocation)
                .metric(Tags.TIME_MEDIAN, ci95 == null ? time : time.withCi95(ci95.lo(), ci95.hi()))
                .samples(Arrays.stream(samples).limit(KEPT).boxed().toList())
                .build();
    }

    /** A result of these rows, as if read from a file. */
    static ComparedRun run(String name, List<Row> rows) {
        RunResult result = RunResult.started(
                        List.of("run"), Instant.EPOCH, new LinkedHashMap<>(), List.of(), List.of(), 1)
                .withRows(rows);
        return new ComparedRun(name, result, List.of());
    }
}
