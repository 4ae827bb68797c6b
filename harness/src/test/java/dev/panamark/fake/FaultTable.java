package dev.panamark.fake;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.cli.ExitCodes;
import dev.panamark.device.BrokenDeviceException;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceProvider;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * Each function of a driver that the backend calls fails with each kind of status: at its first call and at its last one,
 * while a device is found and opened, and while a row is measured.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FaultTable {
    private final String machine;
    private final List<Function> functions;
    private final Map<Integer, String> statuses;

    private Catalogue catalogue = Catalogue.builtin(FakeRows.CACHE);
    private final FakeRows rows;

    /**
     * The table of a driver.
     *
     * @param machine a script
     * @param functions all that the backend may call
     * @param statuses names of: an argument is refused (1), no memory (2), a kernel went astray (700), nobody knows (999)
     */
    FaultTable(FakeRows rows, String machine, List<Function> functions, Map<Integer, String> statuses) {
        this.rows = rows;
        this.machine = machine;
        this.functions = functions;
        this.statuses = new TreeMap<>(statuses);
    }

    /**
     * A function of the driver.
     *
     * @param symbol under which the library exports it
     * @param documented as messages name it
     * @param isClosing whether it gives back when a row is done; where that fails the process cannot go on, and the row
     *     stands
     */
    record Function(String symbol, String documented, boolean isClosing) {}

    /** The kernel files of {@code mine.doubled} and its like. */
    abstract List<Path> kernelFiles(Path temporary) throws Exception;

    /** Whether a row may be right all the same, though the function does not give anything back. */
    boolean isHarmless(Fault fault) {
        return false;
    }

    /** Words of a reason where the driver's function and status are not in it; empty where they must be. */
    Optional<String> otherWords(Fault fault) {
        return Optional.empty();
    }

    private boolean isTolerated(Fault fault, Row row) {
        // What fails for the empty kernel costs the row its floor, which says so.
        return String.valueOf(Rows.metric(row, Tags.TIME_FLOOR).reason())
                        .contains(fault.function().documented())
                || fault.function().isClosing()
                || isHarmless(fault);
    }

    @BeforeAll
    void files(@TempDir Path temporary) throws Exception {
        catalogue = Catalogue.builtin(FakeRows.CACHE).withFiles(kernelFiles(temporary));
    }

    /** Of a machine without faults. */
    String script() {
        return machine;
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
    record Fault(Function function, int status, long call, boolean opening) {
        String statement() {
            return "fail " + function.symbol() + " " + call + " " + status + "\n";
        }
    }

    List<Fault> faults() throws Throwable {
        Map<Function, Long> opened = new HashMap<>();
        Map<Function, Long> first = new HashMap<>();
        Map<Function, Long> second = new HashMap<>();
        try (Device device = rows.open(script())) {
            calls(opened);
            requireRight(device, "mine.doubled");
            calls(first);
            requireRight(device, "mine.halved");
            calls(second);
        }
        List<Fault> all = new ArrayList<>();
        for (Function function : functions) {
            for (int status : statuses.keySet()) {
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

    private void calls(Map<Function, Long> counts) throws Throwable {
        for (Function function : functions) {
            counts.put(function, rows.calls(function.symbol()));
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
        try (Device fresh = rows.open(script())) {
            requireRight(fresh, "mine.tripled");
        }
    }

    private void measuring(Fault fault) throws Throwable {
        Device device = rows.open(script() + fault.statement());
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
                assertEquals(fault.function().isClosing(), device.broken().isPresent(), "whether the process ends");
                return;
            }
            assertEquals(fault.status() == 2 ? Status.UNSUPPORTED : Status.FAILED, hit.status(), reason);
            requireNamed(fault, reason);
            assertEquals(fault.status() == 700, device.broken().isPresent(), reason);
        }
    }

    private void opening(Fault fault) throws Throwable {
        Availability<DeviceProvider.Candidate> found =
                rows.discover(script() + fault.statement()).getFirst();
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

    private void requireNamed(Fault fault, String reason) {
        Optional<String> other = otherWords(fault);
        if (other.isPresent()) {
            assertTrue(reason.contains(other.get()), reason);
            return;
        }
        assertTrue(reason.contains(fault.function().documented()), reason);
        assertTrue(reason.contains(statuses.get(fault.status())), reason);
    }
}
