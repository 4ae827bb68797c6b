package dev.panamark.device.emulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceProvider;
import dev.panamark.driver.nvcc.CudaCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.AxisOverride;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.Kernel;
import dev.panamark.measure.Effort;
import dev.panamark.measure.EnergyMeasurement;
import dev.panamark.measure.HostClock;
import dev.panamark.measure.Mode;
import dev.panamark.measure.Plan;
import dev.panamark.measure.Request;
import dev.panamark.measure.RowMeasurement;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import dev.panamark.telemetry.EnergyMode;
import dev.panamark.telemetry.RowEnergy;
import dev.panamark.worker.Task;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The built-in CUDA kernels of prefill, run on an emulated H100: right, and with the conflicts that one can work out. */
class TiledPrefillTest {
    private static final Path CACHE = Path.of("target", "test-cache").toAbsolutePath();

    private static Row row(String kernel, String... axes) {
        Map<String, String> env = System.getenv();
        if (CudaCompiler.find(env) instanceof Availability.Unavailable<CudaCompiler> none) {
            Assumptions.abort(none.text());
        }
        DeviceProvider.Candidate h100 = new EmulatedProvider(env, CACHE)
                .discover().stream()
                        .flatMap(a -> a instanceof Availability.Available<DeviceProvider.Candidate>(var c)
                                ? java.util.stream.Stream.of(c)
                                : java.util.stream.Stream.empty())
                        .filter(c -> c.info().id().equals("emu:h100-sxm"))
                        .findFirst()
                        .orElseThrow();
        Catalogue catalogue = Catalogue.builtin(CACHE);
        Kernel it = catalogue.select(List.of(kernel)).getFirst();
        Plan.Item item = Plan.of(
                        List.of(new Plan.Target("emu:h100-sxm", "emu")),
                        List.of(it),
                        Arrays.stream(axes).map(AxisOverride::parse).toList(),
                        Optional.empty())
                .items()
                .getFirst();
        Request request = new Request(
                kernel,
                it.sourceSha256(),
                item.problem(),
                Task.json(item.problem()),
                7,
                new Effort(1, 0, 1, 60),
                Optional.empty(),
                Mode.HOT,
                false,
                Optional.empty());
        HostClock clock = HostClock.system();
        EnergyMeasurement energy = new RowEnergy(clock, List.of(), "none", EnergyMode.OFF, 0);
        try (Device device = h100.open();
                RowMeasurement measurement = new RowMeasurement(device, catalogue, clock, energy)) {
            return measurement
                    .measure(List.of(request), (number, phase) -> {})
                    .getFirst()
                    .row();
        }
    }

    private static Metric metric(Row row, Tag tag) {
        assertEquals(Status.OK, row.status(), row::reason);
        return Objects.requireNonNull(row.metric(tag), tag.path());
    }

    private static double value(Row row, Tag tag) {
        Metric metric = metric(row, tag);
        assertTrue(metric.source() == Source.EMULATED || metric.source() == Source.COMPUTED, metric::toString);
        return Objects.requireNonNull(metric.value(), metric.reason());
    }

    /**
     * By hand: each of a block's 4 warps reads its lane's key of a tile in head_dim / 8 pieces of 16 bytes. Rows of keys
     * lie a multiple of 128 bytes apart, so the eight lanes of each of the four phases hit the same banks: 32 wavefronts
     * where 4 would do, 28 too many. A block of 32 queries sees the tiles of 32 keys up to its last query's diagonal.
     */
    private static long excess(int seq, int keys, int headDim, int heads) {
        long tiles = 0;
        for (int first = 0; first < seq; first += 32) {
            int last = Math.min(first + 32, seq) - 1;
            int end = Math.max(0, Math.min(keys, last + keys - seq + 1));
            tiles += (end + 31) / 32;
        }
        return tiles * heads * 4 * (headDim / 8) * 28;
    }

    @ParameterizedTest
    @CsvSource({"128, 0, 64", "100, 0, 64", "64, 0, 128", "33, 97, 64", "40, 8, 64"})
    void conflictsAreThoseOfTheHandCalculation(int seq, int kvLen, int headDim) {
        String[] axes = {"heads=2", "kv_heads=1", "seq=" + seq, "kv_len=" + kvLen, "head_dim=" + headDim};
        Row tiled = row("attention.prefill.tiled", axes);
        Row padded = row("attention.prefill.padded", axes);
        Row swizzled = row("attention.prefill.swizzled", axes);
        long expected = excess(seq, kvLen == 0 ? seq : kvLen, headDim, 2);
        assertTrue(expected > 0);
        assertEquals((double) expected, value(tiled, Tags.SHARED_CONFLICTS));
        assertEquals(0, value(padded, Tags.SHARED_CONFLICTS));
        assertEquals(0, value(swizzled, Tags.SHARED_CONFLICTS));
        assertEquals(value(padded, Tags.SHARED_WAVEFRONTS), value(tiled, Tags.SHARED_IDEAL));
        assertEquals(value(padded, Tags.SHARED_WAVEFRONTS), value(swizzled, Tags.SHARED_WAVEFRONTS));
        assertTrue(metric(tiled, Tags.SHARED_CONFLICTS).detail().get("lines") instanceof List<?> lines
                && lines.getFirst() instanceof Map<?, ?> worst
                && String.valueOf(worst.get("line")).matches(".*prefill_tiled\\.cu:97")
                && Objects.equals(worst.get("shared_conflicts"), expected));
        assertTrue(value(tiled, Tags.TIME_BOUND) > value(padded, Tags.TIME_BOUND));
        assertEquals(value(padded, Tags.TIME_BOUND), value(swizzled, Tags.TIME_BOUND));
    }
}
