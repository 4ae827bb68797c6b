package dev.panamark.fake;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.Device;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.Kernel;
import dev.panamark.measure.Effort;
import dev.panamark.measure.Mode;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every built-in CUDA kernel through the CUDA backend: the driver's C functions, and behind them the emulator. */
class CudaFamiliesTest {
    private static final String SCRIPT = """
            device h100-sxm
            duration * 1000000000
            duration panamark_empty 1000
            """;

    static Stream<String> kernels() {
        return Catalogue.builtin(FakeRows.CACHE).all().stream()
                .filter(k -> k.hasImage("cuda"))
                .map(Kernel::name);
    }

    private static final Effort LITTLE = new Effort(1, 0, 1, 0.01);

    /** Two samples of a launch each at least, of a kernel of a family. */
    private static Row row(Mode mode, String script, String kernel, String... axes) throws Throwable {
        Catalogue catalogue = Catalogue.builtin(FakeRows.CACHE);
        try (FakeRows rows = new FakeRows(FakeCuda.load());
                Device device = rows.open(script)) {
            return rows.row(device, catalogue, rows.request(catalogue, mode, LITTLE, kernel, axes));
        }
    }

    /** 256 KiB are read: 400 times that are twice the L2 of an H100 (50 MB), and 64 copies are the most. */
    @Test
    void graphsRotateThroughCopiesOfTheData() throws Throwable {
        Row row = row(Mode.GRAPH, SCRIPT, "quant.fp8.dequantize", "rows=64", "cols=4096");
        assertEquals(Status.OK, row.status(), row::reason);
        assertEquals("graph", row.mode());
        assertEquals(64L, ((Number) requireNonNull(row.run().get("passes_per_graph"))).longValue());
        assertEquals(1.0, Rows.value(row, Tags.TIME_MEDIAN), 1e-6, "of one launch, as the script says");
    }

    /** Twice the H100's L2 of 50 MiB. */
    @Test
    void coldLaunchesFindNothingInTheCache() throws Throwable {
        Row row = row(Mode.COLD, SCRIPT, "quant.int4.dequantize");
        assertEquals(Status.OK, row.status(), row::reason);
        assertEquals("cold", row.mode());
        assertEquals(
                Map.of("written_bytes", 100L << 20, "read_bytes", 100L << 20),
                row.run().get("cache_sweep"));
        assertEquals(1.0, Rows.value(row, Tags.TIME_MEDIAN), 1e-6, "the sweep is in no time");
    }

    /**
     * A launch of 1 us: 250 us need 250 of them. What each event takes on the virtual clock (0.1 us a call, on the host) is
     * in the time of 250 as in that of 500.
     */
    @Test
    void shortLaunchesAreTimedTogether() throws Throwable {
        Row row = row(
                Mode.HOT,
                "device h100-sxm\nduration * 1000\nresolution 500\n",
                "quant.fp8.quantize",
                "rows=1",
                "cols=16");
        assertEquals(Status.OK, row.status(), row::reason);
        long together = ((Number) requireNonNull(row.run().get("launches_per_sample"))).longValue();
        assertTrue(together >= 125, () -> "launches in a sample: " + together);
        assertEquals(5e-7, ((Number) requireNonNull(row.run().get("clock_resolution"))).doubleValue(), 1e-9);
        double launches = Rows.value(row, Tags.TIME_MEDIAN) / 1e-6;
        assertEquals(Math.rint(launches), launches, 0.01, "whole launches of 1 us each");
    }

    @ParameterizedTest
    @MethodSource("kernels")
    void defaultsAreRight(String kernel) throws Throwable {
        Row row = row(Mode.HOT, SCRIPT, kernel);
        assertEquals(Status.OK, row.status(), row::reason);
        Metric occupancy = Rows.metric(row, Tags.OCCUPANCY_THEORETICAL);
        assertEquals(Source.COMPUTED, occupancy.source(), occupancy::toString);
        assertTrue(String.valueOf(occupancy.note()).contains("by the driver"), occupancy::toString);
    }
}
