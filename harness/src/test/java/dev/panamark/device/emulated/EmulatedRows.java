package dev.panamark.device.emulated;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceProvider;
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
import dev.panamark.result.Row;
import dev.panamark.telemetry.EnergyMode;
import dev.panamark.telemetry.RowEnergy;
import dev.panamark.worker.Task;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Rows of an emulated H100, measured in this process. */
final class EmulatedRows {
    /** Shared by all tests, so that each kernel is compiled once. */
    static final Path CACHE = Path.of("target", "test-cache").toAbsolutePath();

    private EmulatedRows() {}

    static DeviceProvider.Candidate device(Map<String, String> env, String id) {
        return new EmulatedProvider(env, CACHE)
                .discover().stream()
                        .flatMap(a -> a instanceof Availability.Available<DeviceProvider.Candidate>(var c)
                                ? Stream.of(c)
                                : Stream.empty())
                        .filter(c -> c.info().id().equals(id))
                        .findFirst()
                        .orElseThrow();
    }

    /** Of a built-in kernel; the first problem that the axes give. */
    static Row row(Map<String, String> env, String kernel, String... axes) {
        return row(env, Catalogue.builtin(CACHE), kernel, axes);
    }

    static Row row(Map<String, String> env, Catalogue catalogue, String kernel, String... axes) {
        return row(env, catalogue, 0, kernel, axes);
    }

    /** Of a built-in kernel, from at most this many blocks of a launch. */
    static Row sampled(Map<String, String> env, int blocks, String kernel, String... axes) {
        return row(env, Catalogue.builtin(CACHE), blocks, kernel, axes);
    }

    private static Row row(Map<String, String> env, Catalogue catalogue, int blocks, String kernel, String... axes) {
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
                new Effort(1, 0, 1, 60, blocks),
                Optional.empty(),
                Mode.HOT,
                false,
                Optional.empty());
        HostClock clock = HostClock.system();
        EnergyMeasurement energy = new RowEnergy(clock, List.of(), "none", EnergyMode.OFF, 0);
        try (Device device = device(env, "emu:h100-sxm").open();
                RowMeasurement measurement = new RowMeasurement(device, catalogue, clock, energy)) {
            return measurement
                    .measure(List.of(request), (number, phase) -> {})
                    .getFirst()
                    .row();
        }
    }
}
