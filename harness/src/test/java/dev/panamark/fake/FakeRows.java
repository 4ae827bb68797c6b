package dev.panamark.fake;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.cuda.CudaProvider;
import dev.panamark.device.hip.HipProvider;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.hip.HipDriver;
import dev.panamark.driver.nvml.Nvml;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.AxisOverride;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.Kernel;
import dev.panamark.measure.Effort;
import dev.panamark.measure.EnergyMeasurement;
import dev.panamark.measure.HostClock;
import dev.panamark.measure.Measured;
import dev.panamark.measure.Mode;
import dev.panamark.measure.Plan;
import dev.panamark.measure.Request;
import dev.panamark.measure.RowMeasurement;
import dev.panamark.result.Row;
import dev.panamark.telemetry.EnergyMode;
import dev.panamark.telemetry.RowEnergy;
import dev.panamark.worker.Task;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Rows of a GPU of a fake driver, measured in this process and in the fake's time. */
final class FakeRows implements AutoCloseable {
    /** Shared by all tests, so that each kernel is compiled once. */
    static final Path CACHE = Path.of("target", "test-cache").toAbsolutePath();

    private final FakeLibrary fake;
    private final Optional<EmulatorEngine> engine;
    private final DeviceProvider provider;
    private final HostClock clock;

    /** Of CUDA; the emulator runs what is launched. */
    FakeRows(FakeCuda fake) throws Throwable {
        this(
                fake.library(),
                Optional.of(new EmulatorEngine(fake, 0)),
                new CudaProvider(
                        Map.of(
                                CudaDriver.VARIABLE,
                                fake.file(),
                                Nvml.VARIABLE,
                                fake.file(),
                                "CUDA_HOME",
                                "/no/toolkit",
                                "PANAMARK_NVRTC",
                                "/no/nvrtc"),
                        CACHE));
    }

    /** Of HIP; what is launched runs as the script says. */
    FakeRows(FakeHip fake, Map<String, String> env) throws Throwable {
        this(fake.library(), Optional.empty(), new HipProvider(with(env, fake), CACHE, Path.of("/nothing")));
    }

    private static Map<String, String> with(Map<String, String> env, FakeHip fake) {
        Map<String, String> all = new HashMap<>(env);
        all.put(HipDriver.VARIABLE, fake.file());
        return all;
    }

    private FakeRows(FakeLibrary fake, Optional<EmulatorEngine> engine, DeviceProvider provider) {
        this.fake = fake;
        this.engine = engine;
        this.provider = provider;
        var now = fake.handle("fake_now", FunctionDescriptor.of(ValueLayout.JAVA_LONG));
        this.clock = new HostClock() {
            @Override
            public long nanos() {
                try {
                    return (long) now.invokeExact();
                } catch (Throwable t) {
                    throw new IllegalStateException(t);
                }
            }

            @Override
            public void sleepUntil(long nanos) {
                throw new UnsupportedOperationException("nobody sleeps here");
            }
        };
    }

    /** Calls of a function since the last script, under its exported name. */
    long calls(String function) throws Throwable {
        return fake.calls(function);
    }

    EmulatorEngine engine() {
        return engine.orElseThrow();
    }

    HostClock clock() {
        return clock;
    }

    /** What a script makes of the driver. */
    List<Availability<DeviceProvider.Candidate>> discover(String script) throws Throwable {
        fake.reset(script);
        return provider.discover();
    }

    /** The first device of a script, opened. */
    Device open(String script) throws Throwable {
        return discover(script)
                .getFirst()
                .orElseThrow(IllegalStateException::new)
                .open();
    }

    /** A request of a kernel's first problem that the axes give. */
    Request request(Catalogue catalogue, Mode mode, Effort effort, String kernel, String... axes) {
        Kernel it = catalogue.select(List.of(kernel)).getFirst();
        Plan.Item item = Plan.of(
                        List.of(new Plan.Target(
                                provider.backend() + ":0",
                                provider.backend().equals("cuda") ? "emu" : provider.backend())),
                        List.of(it),
                        Arrays.stream(axes).map(AxisOverride::parse).toList(),
                        Optional.empty())
                .items()
                .getFirst();
        return new Request(
                kernel,
                it.sourceSha256(),
                item.problem(),
                Task.json(item.problem()),
                7,
                effort,
                Optional.empty(),
                mode,
                false,
                Optional.empty());
    }

    /** Measures one row on an open device. */
    Row row(Device device, Catalogue catalogue, Request request) {
        return measured(device, catalogue, request).row();
    }

    /** Measures one row on an open device; with what ran. */
    Measured measured(Device device, Catalogue catalogue, Request request) {
        EnergyMeasurement energy = new RowEnergy(clock, List.of(), "none", EnergyMode.OFF, 0);
        try (RowMeasurement measurement = new RowMeasurement(device, catalogue, clock, energy)) {
            return measurement.measure(List.of(request), (number, phase) -> {}).getFirst();
        }
    }

    @Override
    public void close() {
        engine.ifPresent(EmulatorEngine::close);
    }
}
