package dev.panamark.result;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** Runs and rows that several tests use. */
final class Samples {
    private Samples() {}

    static SequencedMap<String, Object> map(Object... keysAndValues) {
        SequencedMap<String, Object> out = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            out.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return out;
    }

    /** A row with every kind of value in it, awkward ones among them. */
    static Row full() {
        return Row.builder(
                        "cpu:0",
                        "attention.prefill.naive",
                        "sha256:00ff",
                        map("seq", 1024L, "scale", 0.1, "dtype", "f32", "causal", true),
                        "hot")
                .invocation(2)
                .metric(
                        Tags.TIME_MEDIAN,
                        Tags.TIME_MEDIAN
                                .value(0.1 + 0.2, Source.MEASURED)
                                .withN(123)
                                .withCi95(Math.nextDown(0.3), Math.nextUp(0.3))
                                .withNote("one invocation"))
                .metric(Tags.EXECUTED_FLOPS, Tags.EXECUTED_FLOPS.value(0x1p53 + 2, Source.EMULATED))
                .metric(Tags.RATE_FLOPS, Tags.RATE_FLOPS.value(4.2e12, Source.COMPUTED))
                .metric(Tags.ERROR_MAX_ABS, Tags.ERROR_MAX_ABS.value(-0.0, Source.COMPUTED))
                .metric(
                        Tags.ENERGY_GROSS,
                        Tags.ENERGY_GROSS
                                .value(Double.MIN_VALUE, Source.MEASURED)
                                .withDetail("window", 1.0))
                .metric(Tags.ENERGY_NET, Tags.ENERGY_NET.missing("no energy meter; try a GPU"))
                .metric("stall/long_scoreboard", Metric.value(0.5, "ratio", Source.MEASURED))
                .metric("lab/own_metric", Metric.value(Double.MAX_VALUE, "widgets", Source.DATASHEET))
                .work(map("flops", map("fma_f32", 4.0e9), "reads", Long.MAX_VALUE, "writes", Long.MIN_VALUE))
                .check(map("rule", "close", "worst", map("index", List.of(1L, 2L), "got", Double.NaN, "expected", 0.5)))
                .denominators(map("peak", map("value", 1.0e12, "source", "datasheet")))
                .flag("between-run spread is not in the interval")
                .samples(List.of(1e-3, 0.1 + 0.7, Double.MIN_VALUE, 2.0))
                .run(map("threads", 2, "note", "\u00e9 \uD83D\uDE00 \"quoted\"\n\u0000 end"))
                .build();
    }

    static Row wrong() {
        return Row.builder("cpu:0", "quant.int4.quantize", "", map("n", 64L), "cold")
                .status(Status.WRONG, "out[0,3]: got 1.0, expected 2.0")
                .build();
    }

    static RunResult run(Row... rows) {
        return RunResult.started(
                        List.of("run", "-d", "cpu:0"),
                        Instant.parse("2026-01-31T12:00:00.123456789Z"),
                        map("os", "Linux", "cpus", 2),
                        List.of(map("id", "cpu:0", "name", "A CPU")),
                        List.of(map("kernel", "attention.prefill.naive", "image", "sha256:00ff")),
                        -7)
                .withRows(List.of(rows));
    }
}
