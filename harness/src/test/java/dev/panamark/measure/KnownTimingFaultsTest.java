package dev.panamark.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.Problem;
import dev.panamark.kernel.Value;
import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Faults of timing that were reported of benchmarks in use: a warm-up of 25 ms is too short (triton #2306: 30 % off), and
 * a benchmark never flushes the caches (triton #10149). The devices are simulated and behave as the reports say; once
 * they have settled, and with nothing in the caches, a launch takes a millisecond.
 */
class KnownTimingFaultsTest {
    private static final double TRUE = 1e-3;

    @TempDir
    Path folder;

    /** A row with what `panamark run` asks for, and two seconds. */
    private Row measure(FakeDevice device, Mode mode) {
        device.with("doubled", b -> KernelFiles.twice(b.getFirst(), b.getLast()));
        Catalogue catalogue = Catalogue.builtin(folder.resolve("cache"))
                .withFile(new KernelFiles(folder).write("k", KernelFiles.doubling("k")));
        Request request = new Request(
                "mine.k",
                catalogue.select(List.of("mine.k")).getFirst().sourceSha256(),
                new Problem(new LinkedHashMap<>(Map.of("n", new Value.Int(KernelFiles.N)))),
                new LinkedHashMap<>(Map.of("n", (long) KernelFiles.N)),
                1,
                new Effort(Effort.MIN_SAMPLES, Effort.MIN_TIME, Effort.PRECISION, 5),
                Optional.empty(),
                mode,
                false,
                Optional.empty());
        try (RowMeasurement measurement =
                new RowMeasurement(device, catalogue, device.clock, Energies.none(device.clock))) {
            Row row = measurement
                    .measure(List.of(request), (number, phase) -> {})
                    .getFirst()
                    .row();
            assertEquals(Status.OK, row.status(), row::reason);
            return row;
        }
    }

    private static Metric time(Row row) {
        return Objects.requireNonNull(row.metric(Tags.TIME_MEDIAN));
    }

    private static double median(Row row) {
        return Objects.requireNonNull(time(row).value());
    }

    /** A device whose launches take what a function of the seconds since it was opened says. */
    private static FakeDevice device(DoubleUnaryOperator launchSeconds) {
        FakeDevice device = new FakeDevice(new FakeClock());
        long opened = device.clock.nanos();
        device.launchSeconds = () -> launchSeconds.applyAsDouble((device.clock.nanos() - opened) * 1e-9);
        return device;
    }

    /** What a benchmark says that warms up for 25 ms and measures for 100 ms. */
    private static double medianAfter25Milliseconds(DoubleUnaryOperator launchSeconds) {
        List<Double> kept = new ArrayList<>();
        for (double now = 0; now < 0.125; ) {
            double launch = launchSeconds.applyAsDouble(now);
            if (now >= 0.025) {
                kept.add(launch);
            }
            now += launch;
        }
        kept.sort(null);
        return kept.get(kept.size() / 2);
    }

    /** Times are {@code factor} of the settled one for some seconds: a clock that rises late, or falls after a burst. */
    @ParameterizedTest
    @CsvSource({"1.3, 0.2", "0.7, 0.2", "1.3, 0.25", "1, 0"})
    void aDeviceIsTimedWhereItSettles(double factor, double seconds) {
        DoubleUnaryOperator launch = t -> t < seconds ? factor * TRUE : TRUE;
        Row row = measure(device(launch), Mode.HOT);
        assertEquals(TRUE, median(row), 1e-9);
        assertEquals(List.of(), row.flags());
        assertEquals(factor * TRUE, medianAfter25Milliseconds(launch), 1e-9, "what the reported warm-up sees");
    }

    /** Times fall for longer than warming up lasts at least; it goes on until they do not. */
    @Test
    void whileTimesFallWarmingUpGoesOn() {
        DoubleUnaryOperator launch = t -> TRUE * (1 + 0.3 * Math.max(0, 1 - t / 0.4));
        Row row = measure(device(launch), Mode.HOT);
        assertEquals(TRUE, median(row), 1e-9);
        assertEquals(List.of(), row.flags());
        assertTrue(row.run().get("warm_up_seconds") instanceof Double s && s > 0.38, row.run()::toString);
        assertTrue(medianAfter25Milliseconds(launch) > 1.2 * TRUE, "what the reported warm-up sees");
    }

    /**
     * A level that holds for as long as warming up lasts cannot be told from a settled one, so part of the samples are of
     * it: sampling goes on until they no longer decide, or the interval holds both.
     */
    @ParameterizedTest
    @CsvSource({"1.3, 0.4", "1.3, 0.5", "1.3, 0.6", "0.7, 0.4", "0.7, 0.5", "0.7, 0.6"})
    void aLevelThatOutlastsWarmingUpDoesNotDecide(double factor, double seconds) {
        Row row = measure(device(t -> t < seconds ? factor * TRUE : TRUE), Mode.HOT);
        assertTrue(row.samples().stream().anyMatch(s -> Math.abs(s - factor * TRUE) < 1e-9), "some samples are of it");
        assertEquals(TRUE, median(row), 1e-9);
        Interval ci95 = Objects.requireNonNull(time(row).ci95());
        assertTrue(ci95.lo() <= TRUE + 1e-9 && TRUE - 1e-9 <= ci95.hi(), ci95::toString);
    }

    /** Launches that find their data in the caches are faster than any that a model makes, whose weights do not fit. */
    @Test
    void coldLaunchesAllHaveTheCachesFlushedBefore() {
        FakeDevice device = new FakeDevice(new FakeClock());
        int[] flushed = {0};
        device.launchSeconds = () -> {
            boolean cached = device.sweepCount == flushed[0];
            flushed[0] = device.sweepCount;
            return cached ? 0.7 * TRUE : TRUE;
        };
        Row cold = measure(device, Mode.COLD);
        assertEquals("cold", cold.mode());
        assertEquals(TRUE, median(cold), 1e-9);
        for (double sample : cold.samples()) {
            assertEquals(TRUE, sample, 1e-9);
        }
        Row hot = measure(device, Mode.HOT);
        assertEquals("hot", hot.mode(), "and where caches are not flushed, the row says so");
        assertEquals(0.7 * TRUE, median(hot), 1e-9);
    }
}
