package dev.panamark.report;

import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** Runs that several tests show. */
final class Runs {
    private Runs() {}

    static final String ONE_INVOCATION = "one invocation: the spread between runs is not in the interval";
    private static final String NO_PEAK = "the datasheet of this CPU is not known";
    private static final String NO_FLOPS = "this kernel only moves data";
    private static final String NO_METER = "no energy meter (RAPL is readable by root only)";

    static SequencedMap<String, Object> map(Object... keysAndValues) {
        SequencedMap<String, Object> out = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            out.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return out;
    }

    static RunResult run(List<Row> rows) {
        return RunResult.started(
                        List.of("run"),
                        Instant.parse("2026-01-31T12:00:00Z"),
                        map("os", "Linux"),
                        List.of(map("id", "cpu:0", "name", "Example CPU 9000")),
                        List.of(map(
                                "kernel", "attention.prefill.naive", "image", "sha256:0a", "compiler", "gcc 14.2.0")),
                        42)
                .withRows(rows)
                .withFinished(Instant.parse("2026-01-31T12:01:12.300Z"));
    }

    /** A row as the CPU gives it. */
    static Row.Builder row(
            String kernel,
            SequencedMap<String, Object> problem,
            double time,
            double spread,
            double flops,
            double bytes,
            double share,
            double tokens) {
        Row.Builder b = Row.builder("cpu:0", kernel, "sha256:0a", problem, "hot")
                .metric(
                        Tags.TIME_MEDIAN,
                        Tags.TIME_MEDIAN
                                .value(time, Source.MEASURED)
                                .withN(200)
                                .withCi95(time * (1 - spread), time * (1 + spread)))
                .metric(
                        Tags.RATE_FLOPS,
                        flops > 0 ? Tags.RATE_FLOPS.value(flops, Source.COMPUTED) : Tags.RATE_FLOPS.missing(NO_FLOPS))
                .metric(Tags.UTIL_PEAK, Tags.UTIL_PEAK.missing(NO_PEAK))
                .metric(Tags.RATE_BYTES, Tags.RATE_BYTES.value(bytes, Source.COMPUTED))
                .metric(
                        Tags.UTIL_CEILING,
                        share > 0
                                ? Tags.UTIL_CEILING.value(share, Source.COMPUTED)
                                : Tags.UTIL_CEILING.missing("this kernel is the ceiling"))
                .metric(Tags.TOKENS_PER_JOULE_GROSS, Tags.TOKENS_PER_JOULE_GROSS.missing(NO_METER))
                .flag(ONE_INVOCATION)
                .run(map("threads", 2));
        return b.metric(
                Tags.RATE_LAYER_TOKENS,
                tokens > 0
                        ? Tags.RATE_LAYER_TOKENS.value(tokens, Source.COMPUTED)
                        : Tags.RATE_LAYER_TOKENS.missing("no tokens pass through this kernel"));
    }

    /** What the default run on a CPU looks like, with one kernel that is wrong and one that timed out. */
    static RunResult realistic() {
        List<Row> rows = new ArrayList<>();
        for (long seq : new long[] {256, 1024}) {
            SequencedMap<String, Object> p = map(
                    "batch", 1, "heads", 8, "kv_heads", 8, "head_dim", 64, "seq", seq, "dtype", "f32", "causal", true);
            double s = seq / 256.0;
            rows.add(row("attention.prefill.naive", p, 0.0123456 * s * s, 0.0052, 5.5e9, 0.17e9 / s, 0.05, 20700 / s)
                    .build());
            rows.add(row(
                            "attention.prefill.blocked",
                            p,
                            0.0016543 * s * s,
                            0.0031,
                            41.2e9,
                            1.27e9 / s,
                            0.382,
                            155000 / s)
                    .build());
        }
        SequencedMap<String, Object> gather =
                map("batch", 8, "kv_heads", 8, "head_dim", 128, "kv_len", 512, "dtype", "f16");
        rows.add(row("kv.gather.contiguous", gather, 0.000812, 0.011, 0, 20.6e9, 0.81, 5.04e6)
                .build());
        SequencedMap<String, Object> paged = new LinkedHashMap<>(gather);
        paged.put("page", 16);
        rows.add(row("kv.gather.paged", paged, 0.00123, 0.023, 0, 13.6e9, 0.535, 3.33e6)
                .flag("only 2 s of warm-up: the budget was short")
                .build());
        SequencedMap<String, Object> quant = map("rows", 4096, "cols", 4096, "granularity", "channel");
        rows.add(row("quant.fp8.quantize", quant, 0.0101, 0.004, 3.3e9, 8.3e9, 0.33, 405000)
                .build());
        rows.add(Row.builder("cpu:0", "quant.int4.quantize", "sha256:0a", quant, "hot")
                .status(
                        Status.WRONG,
                        "output q, element [17, 3]: got 5, expected 4 (rule exact; 12 of 16777216 elements differ; seed 42)."
                                + " Run again with --dump DIR to get both.")
                .metric(Tags.TIME_MEDIAN, Tags.TIME_MEDIAN.missing("the output is wrong"))
                .build());
        rows.add(row("ceiling.flops", map("n", 1 << 20), 0.00987, 0.001, 107.9e9, 0.0008e9, 0, 0)
                .build());
        rows.add(row(
                        "ceiling.bandwidth",
                        map("bytes", 1L << 28, "reads", 2, "writes", 1),
                        0.0105,
                        0.0009,
                        0,
                        25.4e9,
                        0,
                        0)
                .build());
        rows.add(Row.builder("cpu:0", "my.slow.kernel", "", map("n", 64), "hot")
                .status(Status.TIMEOUT, "validation took longer than 30 s; the worker was ended")
                .build());
        return run(rows);
    }
}
