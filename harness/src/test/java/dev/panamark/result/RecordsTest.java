package dev.panamark.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class RecordsTest {
    private static void refused(String words, Executable what) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, what);
        assertTrue(String.valueOf(e.getMessage()).contains(words), e.getMessage());
    }

    @Test
    void aMetricIsAValueOrAReason() {
        SequencedMap<String, Object> none = new LinkedHashMap<>();
        refused("needs a reason", () -> new Metric(null, "s", null, null, null, null, null, none));
        refused("takes no reason", () -> new Metric(1.0, "s", Source.MEASURED, null, null, "x", null, none));
        refused("takes no source", () -> new Metric(null, "s", Source.MEASURED, null, null, "x", null, none));
        refused("needs a source", () -> new Metric(1.0, "s", null, null, null, null, null, none));
        refused("finite", () -> Metric.value(Double.NaN, "s", Source.MEASURED));
        refused("finite", () -> Metric.value(Double.NEGATIVE_INFINITY, "s", Source.MEASURED));
        refused("unit", () -> Metric.value(1, " ", Source.MEASURED));
        refused("blank", () -> Metric.missing("s", ""));
        refused("neither n nor ci95", () -> Metric.missing("s", "x").withN(3));
        refused("at least 1", () -> Metric.value(1, "s", Source.MEASURED).withN(0));
        refused("lower first", () -> Metric.value(1, "s", Source.MEASURED).withCi95(2, 1));
        refused("finite", () -> Metric.value(1, "s", Source.MEASURED).withCi95(0, Double.NaN));
        Metric m =
                Metric.value(1, "s", Source.MEASURED).withN(3).withCi95(0.5, 2).withNote("n");
        assertEquals(new Metric(1.0, "s", Source.MEASURED, 3L, new Interval(0.5, 2), null, "n", none), m);
    }

    @Test
    void aRowThatIsNotOkSaysWhy() {
        Row.Builder ok = Samples.wrong().toBuilder();
        refused("needs a reason", () -> ok.status(Status.TIMEOUT, " ").build());
        SequencedMap<String, Object> m = Samples.map();
        refused(
                "takes no reason",
                () -> new Row(
                        "d",
                        "k",
                        "",
                        m,
                        "hot",
                        null,
                        Status.OK,
                        "why",
                        new LinkedHashMap<>(),
                        m,
                        m,
                        m,
                        List.of(),
                        List.of(),
                        m));
        refused("cold, hot or graph", () -> Row.builder("d", "k", "", m, "warm").build());
        refused("device is blank", () -> Row.builder("", "k", "", m, "hot").build());
        refused(
                "samples",
                () -> Row.builder("d", "k", "", m, "hot").samples(List.of(-1.0)).build());
    }

    @Test
    void mapsHoldWhatJsonHolds() {
        refused(
                "problem.a is a java.lang.Object",
                () -> Row.builder("d", "k", "", Samples.map("a", new Object()), "hot")
                        .build());
        List<Object> withNull = new ArrayList<>();
        withNull.add(null);
        refused(
                "problem.a[0] is null",
                () -> Row.builder("d", "k", "", Samples.map("a", withNull), "hot")
                        .build());
        Row row = Row.builder("d", "k", "", Samples.map("i", 1, "f", 0.5f, "inf", Double.POSITIVE_INFINITY), "hot")
                .build();
        assertEquals(Samples.map("i", 1L, "f", 0.5, "inf", "Infinity"), row.problem());
        assertThrows(UnsupportedOperationException.class, () -> row.problem().put("x", 1));
    }

    @Test
    void keysIgnoreTheOrderOfAxesAndNothingElse() {
        Row a = Row.builder("d", "k", "i", Samples.map("x", 1, "y", 2), "hot").build();
        Row b = Row.builder("d", "k", "i", Samples.map("y", 2, "x", 1), "hot")
                .flag("f")
                .build();
        assertEquals(a.key(), b.key());
        assertNotEquals(a.key(), a.toBuilder().invocation(0).build().key());
        assertNotEquals(
                a.key(),
                Row.builder("d", "k", "i", Samples.map("x", 1, "y", "2"), "hot")
                        .build()
                        .key());
        assertNotEquals(
                a.key(),
                Row.builder("d", "k", "j", Samples.map("x", 1, "y", 2), "hot")
                        .build()
                        .key());
        assertNotEquals(
                a.key(),
                Row.builder("d", "k", "i", Samples.map("x", 1, "y", 2), "cold")
                        .build()
                        .key());
    }

    @Test
    void aBuilderRepeatsItsRow() {
        assertEquals(Samples.full(), Samples.full().toBuilder().build());
        assertEquals(Samples.wrong(), Samples.wrong().toBuilder().build());
    }

    @Test
    void knownTagsKeepTheirUnit() {
        refused(
                "unit must be 's', not 'ms'",
                () -> Samples.full().toBuilder()
                        .metric(Tags.TIME_FLOOR, Metric.value(1, "ms", Source.MEASURED))
                        .build());
        refused(
                "unit must be 'ratio'",
                () -> Samples.full().toBuilder()
                        .metric("stall/barrier", Metric.value(1, "s", Source.MEASURED))
                        .build());
        for (String bad : List.of("time", "/time", "time/", "a//b", "Time/x", "a/b-c", "a/_b")) {
            refused(
                    "is no tag",
                    () -> Samples.full().toBuilder()
                            .metric(bad, Metric.value(1, "s", Source.MEASURED))
                            .build());
        }
    }

    /** Every path of the design, so that none is lost or renamed; what came later stands in its place among them. */
    @Test
    void tagsAreThoseOfTheDesign() {
        assertEquals(
                List.of(("time/device/median time/device/p50 time/device/p90 time/device/p99 time/device/max "
                                + "time/device/mean time/device/stdev time/noise time/floor time/launch time/bound "
                                + "rate/flops util/peak util/ceiling rate/bytes util/bandwidth rate/layer_tokens "
                                + "rate/tokens occupancy/theoretical occupancy/achieved shared/requests shared/wavefronts shared/ideal "
                                + "shared/conflicts shared/instruction_wavefronts shared/conflict_cycles_share stall/short_scoreboard "
                                + "stall/mio_throttle global/sectors_per_request l2/hit_rate dram/read dram/written tensor/active executed/flops "
                                + "executed/instructions power/average energy/gross energy/idle energy/net "
                                + "tokens_per_joule/gross tokens_per_joule/net clock/sm throttle/reasons memory/peak "
                                + "kv/fragmentation error/max_abs error/cosine error/kl")
                        .split(" ")),
                Tags.all().stream().map(Tag::path).toList());
        for (Tag tag : Tags.all()) {
            assertTrue(tag.meaning().endsWith(".") && tag.meaning().length() > 30, tag.path());
        }
        assertEquals(
                List.of("time/floor", "rate/flops", "a/b", "stall/barrier"),
                Tags.ordered(List.of("stall/barrier", "rate/flops", "a/b", "time/floor")));
        assertEquals(
                "Share of warp stalls with the reason \"long scoreboard\", from counters or sampling.",
                Tags.of("stall/long_scoreboard").orElseThrow().meaning());
        assertTrue(Tags.of("lab/own").isEmpty());
    }

    @Test
    void devicesAndKernelsHaveNames() {
        RunResult run = Samples.run();
        refused(
                "devices[0] needs the text 'id'",
                () -> RunResult.started(
                        run.argv(), run.started(), run.host(), List.of(Samples.map("name", "x")), List.of(), 1));
        refused("kernels[0] needs the text 'kernel'", () -> run.withKernels(List.of(Samples.map("image", "x"))));
    }
}
