package dev.panamark.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** All expected shares are worked out by hand from flops, bytes and seconds. */
class CeilingsTest {
    private static final String HERE = "cpu:0";

    private final Ceilings ceilings = new Ceilings();

    /** A row as a worker sends it: rates are work over time. */
    private static Row.Builder row(String device, String kernel, double seconds, Work work) {
        Row.Builder row = Row.builder(device, kernel, "", new LinkedHashMap<>(), "hot")
                .invocation(0)
                .work(new LinkedHashMap<>(work.json()))
                .metric(Tags.TIME_MEDIAN, Tags.TIME_MEDIAN.value(seconds, Source.MEASURED));
        double flops = work.flops.values().stream().mapToDouble(d -> d).sum();
        row.metric(
                Tags.RATE_FLOPS,
                flops > 0 ? Tags.RATE_FLOPS.value(flops / seconds, Source.COMPUTED) : Tags.RATE_FLOPS.missing("none"));
        double bytes = work.reads + work.writes;
        row.metric(
                Tags.RATE_BYTES,
                bytes > 0 ? Tags.RATE_BYTES.value(bytes / seconds, Source.COMPUTED) : Tags.RATE_BYTES.missing("none"));
        return row;
    }

    private record Work(Map<String, Double> flops, double reads, double writes, String ceiling) {
        Map<String, Object> json() {
            Map<String, Object> out = new LinkedHashMap<>();
            out.put("flops", flops);
            out.put("reads", reads);
            out.put("writes", writes);
            if (!ceiling.isEmpty()) {
                out.put("ceiling", ceiling);
            }
            return out;
        }
    }

    private static Work flops(double count) {
        return new Work(Map.of("fma_f32", count), 0, 0, "");
    }

    private static Work bytes(double reads, double writes) {
        return new Work(Map.of(), reads, writes, "");
    }

    private void flopCeiling(String device, String kind, double rate) {
        Row done =
                ceilings.annotate(row(device, "ceiling." + kind, 0.5, new Work(Map.of(kind, rate / 2), 0, 4, "flops"))
                        .build());
        assertNull(share(done).value());
    }

    private void byteCeiling(String device, double readShare, double rate) {
        Row done = ceilings.annotate(row(
                        device,
                        "ceiling.r" + Math.round(100 * readShare),
                        2,
                        new Work(Map.of(), 2 * rate * readShare, 2 * rate * (1 - readShare), "bytes"))
                .build());
        assertNull(share(done).value());
    }

    private static Metric share(Row row) {
        Metric metric = row.metric(Tags.UTIL_CEILING);
        assertNotNull(metric);
        return metric;
    }

    private static double value(Row row) {
        return Objects.requireNonNull(
                share(row).value(), () -> String.valueOf(share(row).reason()));
    }

    private static String note(Row row) {
        return String.valueOf(share(row).note());
    }

    private static String reason(Row row) {
        return String.valueOf(share(row).reason());
    }

    private static Map<?, ?> denominator(Row row, String name) {
        return (Map<?, ?>) Objects.requireNonNull(row.denominators().get(name));
    }

    @Test
    void flopsOverTheFlopCeiling() {
        flopCeiling(HERE, "fma_f32", 100e9);
        // 20 GFLOP in 0.5 s are 40 GFLOP/s of 100.
        Row row = ceilings.annotate(row(HERE, "a.b", 0.5, flops(20e9)).build());
        assertEquals(0.4, value(row), 1e-12);
        assertEquals("limited by fma_f32", note(row));
        assertEquals(Source.COMPUTED, share(row).source());
        Map<?, ?> of = (Map<?, ?>) denominator(row, "ceiling/flops").get("fma_f32");
        assertNotNull(of);
        assertEquals(100e9, of.get("value"));
        assertEquals("FLOP/s", of.get("unit"));
        assertEquals("measured", of.get("source"));
        assertEquals("ceiling.fma_f32", of.get("kernel"));
    }

    @Test
    void theLongerOfFlopsAndBytesLimits() {
        flopCeiling(HERE, "fma_f32", 100e9);
        byteCeiling(HERE, 0.5, 10e9);
        // 20 GFLOP need 0.2 s, 1 GB needs 0.1 s: flops limit, and 0.25 s is 80 %.
        Row byFlops = ceilings.annotate(row(HERE, "a.b", 0.25, new Work(Map.of("fma_f32", 20e9), 0.5e9, 0.5e9, ""))
                .build());
        assertEquals(0.8, value(byFlops), 1e-12);
        assertEquals("limited by fma_f32", note(byFlops));
        // 5 GFLOP need 0.05 s: bytes limit, and 0.1 of 0.25 s is 40 %.
        Row byBytes = ceilings.annotate(row(HERE, "a.b", 0.25, new Work(Map.of("fma_f32", 5e9), 0.5e9, 0.5e9, ""))
                .build());
        assertEquals(0.4, value(byBytes), 1e-12);
        assertEquals("limited by bytes (ceiling with 50 % reads, row 50 %)", note(byBytes));
        assertTrue(byBytes.denominators().containsKey("ceiling/flops"), "both are named");
    }

    @Test
    void bytesAreComparedWithTheNearestMix() {
        byteCeiling(HERE, 0.5, 10e9);
        byteCeiling(HERE, 0.8, 20e9);
        byteCeiling(HERE, 0.9, 30e9);
        // 3 of 4 bytes read: 80 % is nearer than 50 %. 4 GB in 1 s of 20 GB/s.
        Row row = ceilings.annotate(row(HERE, "a.b", 1, bytes(3e9, 1e9)).build());
        assertEquals(0.2, value(row), 1e-12);
        assertEquals("limited by bytes (ceiling with 80 % reads, row 75 %)", note(row));
        Map<?, ?> of = denominator(row, "ceiling/bytes");
        assertEquals(20e9, of.get("value"));
        assertEquals("B/s", of.get("unit"));
        assertEquals(0.75, of.get("read_share_of_row"));
        // Writing only: 50 % is the nearest.
        Row writes = ceilings.annotate(row(HERE, "a.b", 1, bytes(0, 1e9)).build());
        assertEquals(0.1, value(writes), 1e-12);
    }

    @Test
    void ceilingsOfAnotherDeviceDoNotCount() {
        flopCeiling("cpu:1", "fma_f32", 100e9);
        byteCeiling("cpu:1", 0.5, 10e9);
        Row row = ceilings.annotate(row(HERE, "a.b", 1, flops(1e9)).build());
        assertNull(share(row).value());
        assertTrue(reason(row).contains("no ceiling of fma_f32 was measured on cpu:0"), reason(row));
        assertEquals(
                0.01, value(ceilings.annotate(row("cpu:1", "a.b", 1, flops(1e9)).build())), 1e-12);
    }

    @Test
    void theBetterOfTwoCeilingsOfOneClassCounts() {
        flopCeiling(HERE, "fma_f32", 80e9);
        flopCeiling(HERE, "fma_f32", 100e9);
        flopCeiling(HERE, "fma_f32", 90e9);
        assertEquals(
                0.5, value(ceilings.annotate(row(HERE, "a.b", 1, flops(50e9)).build())), 1e-12);
    }

    @Test
    void flopsOfSeveralClassesAddUpTheirTimes() {
        flopCeiling(HERE, "fma_f32", 100e9);
        flopCeiling(HERE, "tensor_f16", 1000e9);
        Map<String, Double> both = new LinkedHashMap<>();
        both.put("fma_f32", 10e9);
        both.put("tensor_f16", 200e9);
        // 0.1 s + 0.2 s of 0.6 s.
        Row row = ceilings.annotate(
                row(HERE, "a.b", 0.6, new Work(both, 0, 0, "")).build());
        assertEquals(0.5, value(row), 1e-12);
        assertEquals("limited by fma_f32 and tensor_f16", note(row));
        Map<?, ?> of = denominator(row, "ceiling/flops");
        assertEquals("ceiling.fma_f32", ((Map<?, ?>) Objects.requireNonNull(of.get("fma_f32"))).get("kernel"));
        assertEquals("ceiling.tensor_f16", ((Map<?, ?>) Objects.requireNonNull(of.get("tensor_f16"))).get("kernel"));
    }

    @Test
    void aCeilingOfSeveralClassesGivesEachItsOwnRate() {
        Map<String, Double> both = new LinkedHashMap<>();
        both.put("fma_f32", 10e9);
        both.put("alu_i32", 90e9);
        ceilings.annotate(
                row(HERE, "ceiling.both", 1, new Work(both, 0, 0, "flops")).build());
        assertEquals(
                0.5, value(ceilings.annotate(row(HERE, "a.b", 1, flops(5e9)).build())), 1e-12);
    }

    @Test
    void withoutOneOfTheCeilingsThatItNeedsARowHasNoShare() {
        byteCeiling(HERE, 0.5, 10e9);
        Row row = ceilings.annotate(row(HERE, "a.b", 1, new Work(Map.of("fma_f32", 5e9), 1e6, 1e6, ""))
                .build());
        assertNull(share(row).value(), "what its flops would take is not known");
        assertEquals("no ceiling of fma_f32 was measured on cpu:0 in this run; add -b 'ceiling.*'", reason(row));
        assertEquals(Map.of(), row.denominators());
    }

    @Test
    void aRowThatCountsNothingSaysSo() {
        flopCeiling(HERE, "fma_f32", 100e9);
        Row row = ceilings.annotate(row(HERE, "a.b", 1, bytes(0, 0)).build());
        assertEquals("the kernel file counts neither flops nor bytes", reason(row));
    }

    @Test
    void aCeilingIsNotComparedWithItself() {
        Row row = ceilings.annotate(row(HERE, "ceiling.x", 1, new Work(Map.of("fma_f32", 1e9), 0, 0, "flops"))
                .build());
        assertEquals("this row is a ceiling itself", reason(row));
    }

    @Test
    void aCeilingWithoutARateIsNone() {
        ceilings.annotate(
                row(HERE, "ceiling.x", 1, new Work(Map.of(), 0, 0, "bytes")).build());
        Row row = ceilings.annotate(row(HERE, "a.b", 1, bytes(1e9, 1e9)).build());
        assertTrue(reason(row).startsWith("no ceiling of bytes"), reason(row));
    }

    @Test
    void aWrongCeilingIsNone() {
        ceilings.annotate(row(HERE, "ceiling.x", 1, new Work(Map.of("fma_f32", 1e9), 0, 0, "flops"))
                .status(Status.WRONG, "wrong")
                .build());
        assertNull(share(ceilings.annotate(row(HERE, "a.b", 1, flops(1e9)).build()))
                .value());
    }

    @Test
    void rowsWithoutATimeStayAsTheyAre() {
        flopCeiling(HERE, "fma_f32", 100e9);
        Row wrong =
                row(HERE, "a.b", 1, flops(1e9)).status(Status.WRONG, "wrong").build();
        assertSame(wrong, ceilings.annotate(wrong));
        Row once = row(HERE, "a.b", 1, flops(1e9))
                .metric(Tags.TIME_MEDIAN, Tags.TIME_MEDIAN.missing("once"))
                .build();
        assertSame(once, ceilings.annotate(once));
    }

    @Test
    void onlyARowWellAboveItsCeilingIsFlagged() {
        flopCeiling(HERE, "fma_f32", 100e9);
        Row near = ceilings.annotate(row(HERE, "a.b", 1, flops(104e9)).build());
        assertEquals(1.04, value(near), 1e-12);
        assertEquals(0, near.flags().size());
        Row above = ceilings.annotate(row(HERE, "a.b", 1, flops(106e9)).build());
        assertEquals(1.06, value(above), 1e-12);
        assertTrue(above.flags().getFirst().startsWith("above the measured ceiling"));
        assertFalse(above.status() != Status.OK, "only flagged");
    }

    @Test
    void theRowsOwnDenominatorsStay() {
        flopCeiling(HERE, "fma_f32", 100e9);
        Row row = ceilings.annotate(row(HERE, "a.b", 1, flops(1e9))
                .denominators(new LinkedHashMap<>(Map.of("peak", Map.of("value", 1e12))))
                .build());
        assertEquals(1e12, denominator(row, "peak").get("value"));
        assertTrue(row.denominators().containsKey("ceiling/flops"));
    }
}
