package dev.panamark.fake;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.cli.ExitCodes;
import dev.panamark.device.BrokenDeviceException;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceProvider;
import dev.panamark.driver.cuda.CudaFunction;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Catalogue;
import dev.panamark.measure.Effort;
import dev.panamark.measure.Measured;
import dev.panamark.measure.Mode;
import dev.panamark.measure.Phase;
import dev.panamark.measure.Request;
import dev.panamark.measure.RowMeasurement;
import dev.panamark.result.Row;
import dev.panamark.result.Rows;
import dev.panamark.result.Status;
import dev.panamark.result.Tags;
import dev.panamark.telemetry.EnergyMode;
import dev.panamark.telemetry.RowEnergy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each function of the driver that the backend calls fails with each kind of status: at its first call and at its last one,
 * while a device is found and opened, and while a row is measured.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CudaFaultTableTest {
    private static final String MACHINE = "device h100-sxm\nduration * 1000000000\nduration panamark_empty 1000\n";

    /** cuda.h's values: an argument is refused, no memory, a kernel went astray, nobody knows. */
    private static final Map<Integer, String> STATUSES = new TreeMap<>(Map.of(
            1,
            "CUDA_ERROR_INVALID_VALUE",
            2,
            "CUDA_ERROR_OUT_OF_MEMORY",
            700,
            "CUDA_ERROR_ILLEGAL_ADDRESS",
            999,
            "CUDA_ERROR_UNKNOWN"));

    /** What is given back when a row is done; where that fails the process cannot go on, and the row stands. */
    private static final Set<CudaFunction> CLOSING = Set.of(CudaFunction.MEM_FREE, CudaFunction.MODULE_UNLOAD);

    /** Which context is current is asked, and then set anyway, where something is given back: no failure of these matters. */
    private static final Set<CudaFunction> REPEATED =
            Set.of(CudaFunction.CTX_GET_CURRENT, CudaFunction.CTX_SET_CURRENT);

    /** Whether a row may be right all the same. */
    private static boolean isTolerated(Fault fault, Row row) {
        // What fails for the empty kernel costs the row its floor, which says so.
        if (String.valueOf(Rows.metric(row, Tags.TIME_FLOOR).reason())
                .contains(fault.function().documented())) {
            return true;
        }
        return switch (fault.function()) {
            // As a driver answers that is too old for an attribute; it costs a limiter of the occupancy.
            case DEVICE_GET_ATTRIBUTE -> fault.status() == 1;
            // As a driver answers past the last parameter.
            case FUNC_GET_PARAM_INFO -> fault.status() == 1;
            default -> REPEATED.contains(fault.function()) || CLOSING.contains(fault.function());
        };
    }

    private Path folder = Path.of("");
    private Catalogue catalogue = Catalogue.builtin(FakeRows.CACHE);
    private FakeRows rows;

    CudaFaultTableTest() throws Throwable {
        rows = new FakeRows(FakeCuda.load());
    }

    @BeforeAll
    void files(@TempDir Path temporary) throws Exception {
        folder = temporary;
        catalogue = Catalogue.builtin(FakeRows.CACHE).withFiles(ScaledKernels.write(folder));
    }

    @AfterAll
    void end() {
        rows.close();
    }

    /**
     * A failing call.
     *
     * @param call the how many-th call of the function
     * @param opening whether it belongs to finding and opening the device
     */
    record Fault(CudaFunction function, int status, long call, boolean opening) {
        String statement() {
            return "fail " + function.symbols().getFirst() + " " + call + " " + status + "\n";
        }
    }

    List<Fault> faults() throws Throwable {
        Map<CudaFunction, Long> opened = new EnumMap<>(CudaFunction.class);
        Map<CudaFunction, Long> first = new EnumMap<>(CudaFunction.class);
        Map<CudaFunction, Long> second = new EnumMap<>(CudaFunction.class);
        try (Device device = rows.open(MACHINE)) {
            calls(opened);
            requireRight(device, "mine.doubled");
            calls(first);
            requireRight(device, "mine.halved");
            calls(second);
        }
        List<Fault> all = new ArrayList<>();
        for (CudaFunction function : CudaFunction.values()) {
            for (int status : STATUSES.keySet()) {
                for (long call : new TreeSet<>(List.of(1L, opened.getOrDefault(function, 0L)))) {
                    if (call > 0 && opened.getOrDefault(function, 0L) > 0) {
                        all.add(new Fault(function, status, call, true));
                    }
                }
                if (second.getOrDefault(function, 0L) > first.getOrDefault(function, 0L)) {
                    all.add(new Fault(function, status, first.getOrDefault(function, 0L) + 1, false));
                    all.add(new Fault(function, status, second.getOrDefault(function, 0L), false));
                }
            }
        }
        assertTrue(all.size() > 200, () -> all.size() + " faults");
        return all;
    }

    private void calls(Map<CudaFunction, Long> counts) throws Throwable {
        for (CudaFunction function : CudaFunction.values()) {
            counts.put(function, rows.calls(function.symbols().getFirst()));
        }
    }

    private Request request(String kernel) {
        return rows.request(catalogue, Mode.HOT, new Effort(1, 0, 1, 0.01), kernel);
    }

    /** The row; null where the device broke by nobody's doing, and another process has to measure it. */
    private @Nullable Row row(Device device, String kernel) {
        AtomicReference<Row> done = new AtomicReference<>();
        try (RowMeasurement measurement = new RowMeasurement(
                device, catalogue, rows.clock(), new RowEnergy(rows.clock(), List.of(), "none", EnergyMode.OFF, 0))) {
            measurement.measure(List.of(request(kernel)), new RowMeasurement.Listener() {
                @Override
                public void entered(int row, Phase phase) {}

                @Override
                public void ended(int row, Measured measured) {
                    done.set(measured.row());
                }
            });
        } catch (BrokenDeviceException e) {
            assertTrue(device.broken().isPresent(), e::getMessage);
        }
        return done.get();
    }

    private Row requireRight(Device device, String kernel) {
        Row row = requireNonNull(row(device, kernel));
        assertEquals(Status.OK, row.status(), row::reason);
        return row;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void costsWhatItMustAndNoMore(Fault fault) throws Throwable {
        if (fault.opening()) {
            opening(fault);
        } else {
            measuring(fault);
        }
        try (Device fresh = rows.open(MACHINE)) {
            requireRight(fresh, "mine.tripled");
        }
    }

    private void measuring(Fault fault) throws Throwable {
        Device device = rows.open(MACHINE + fault.statement());
        try (device) {
            Row before = requireRight(device, "mine.doubled");
            Row hit = row(device, "mine.halved");
            if (hit == null) {
                requireNamed(fault, device.broken().orElseThrow());
                return;
            }
            String reason = String.valueOf(hit.reason());
            assertEquals(hit.status() == Status.FAILED ? 1 : 0, ExitCodes.of(before, hit), reason);
            if (hit.status() == Status.OK) {
                assertTrue(isTolerated(fault, hit), "this fault costs the row");
                assertEquals(
                        CLOSING.contains(fault.function()), device.broken().isPresent(), "whether the process ends");
                return;
            }
            assertEquals(fault.status() == 2 ? Status.UNSUPPORTED : Status.FAILED, hit.status(), reason);
            requireNamed(fault, reason);
            assertEquals(fault.status() == 700, device.broken().isPresent(), reason);
        }
    }

    private void opening(Fault fault) throws Throwable {
        Availability<DeviceProvider.Candidate> found =
                rows.discover(MACHINE + fault.statement()).getFirst();
        switch (found) {
            case Availability.Unavailable<DeviceProvider.Candidate> none -> requireNamed(fault, none.text());
            case Availability.Available<DeviceProvider.Candidate>(DeviceProvider.Candidate candidate) -> {
                try (Device device = candidate.open()) {
                    Row row = row(device, "mine.halved");
                    if (row == null || row.status() != Status.OK) {
                        requireNamed(fault, row == null ? device.broken().orElseThrow() : String.valueOf(row.reason()));
                    }
                } catch (DeviceException e) {
                    requireNamed(fault, String.valueOf(e.getMessage()));
                }
            }
        }
    }

    private static void requireNamed(Fault fault, String reason) {
        if (fault.function() == CudaFunction.FUNC_GET_PARAM_INFO && fault.status() == 1) {
            // This is how the driver says that a kernel has no further parameter.
            assertTrue(reason.contains("takes 0 arguments, not 3"), reason);
            return;
        }
        assertTrue(reason.contains(fault.function().documented()), reason);
        assertTrue(reason.contains(STATUSES.get(fault.status())), reason);
    }
}
