package dev.panamark.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.DeviceProvider;
import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import dev.panamark.device.cuda.CudaProvider;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.ffi.Availability;
import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.telemetry.EnergyRecorder;
import dev.panamark.telemetry.MeterEnergy;
import dev.panamark.worker.Meters;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** NVIDIA's energy through NVML, on scripted GPUs whose power is known at every instant. */
class NvmlMetersTest {
    /** Each call of NVML takes 15 us; kernels make the power go up and down within an update of the counter. */
    private static final String H100 = "device h100-sxm\ncall 15000\ncurve 0:600,25000000:300 repeat 40000000\n";

    private final FakeCuda fake;
    private final FakeBox box;

    NvmlMetersTest() throws Exception {
        fake = FakeCuda.load();
        box = new FakeBox(fake);
    }

    /** What each meter says of a command of so many seconds, and what it really used. */
    private record Command(List<MeterEnergy> energies, double joules) {
        MeterEnergy of(String meter) {
            return energies.stream()
                    .filter(e -> e.meter().equals(meter))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(energies));
        }

        Metric joulesOf(String meter) {
            return of(meter).joules();
        }
    }

    private Command command(FakeBox.Found found, double seconds) {
        EnergyRecorder recorder = new EnergyRecorder(box, found.meters(), (id, from, to, joules) -> {});
        recorder.prepare();
        long begin = box.nanos();
        recorder.begin(begin);
        long end = begin + Math.round(seconds * 1e9);
        while (box.nanos() < end) {
            box.sleepUntil(Math.min(end, recorder.wake()));
            if (box.nanos() < end) {
                recorder.poll();
            }
        }
        long ended = box.nanos();
        double joules = box.used(ended) - box.used(begin);
        return new Command(recorder.end(ended), joules);
    }

    private static Interval ci(Metric metric) {
        return Objects.requireNonNull(metric.ci95(), metric::toString);
    }

    private static double value(Metric metric) {
        return Objects.requireNonNull(metric.value(), () -> String.valueOf(metric.reason()));
    }

    private static String reason(Metric metric) {
        assertNull(metric.value());
        return String.valueOf(metric.reason());
    }

    /** Commands of random power and ripple that begin and end anywhere between updates, which come each 0.1 s. */
    @Test
    void intervalsHoldTheTruth() throws Throwable {
        int held = 0;
        double error = 0;
        SplittableRandom random = new SplittableRandom(20240607);
        for (int i = 0; i < 1000; i++) {
            long ripple = random.nextLong(13_000_000, 90_000_000);
            String script = String.format(
                    Locale.ROOT,
                    "device h100-sxm%ncall 15000%nenergy 100000000 1 0.02%ncurve 0:%d,%d:%d repeat %d%n",
                    random.nextInt(300, 700),
                    ripple / 2,
                    random.nextInt(70, 300),
                    ripple);
            try (FakeBox.Found found = box.start(script)) {
                box.pass(random.nextLong(1_000_000_000));
                Command c = command(found, 1.5 + random.nextDouble());
                Metric joules = c.joulesOf("nvml:0");
                Interval ci = ci(joules);
                held += ci.lo() <= c.joules && c.joules <= ci.hi() ? 1 : 0;
                error = Math.max(error, Math.abs(value(joules) / c.joules - 1));
            }
        }
        assertTrue(held >= 936, "held " + held + " of 1000, largest error " + error);
        assertTrue(error < 0.07, "no error is as large as one update of 15: " + error);
    }

    /** 600 W for 25 ms and 300 W for 15 ms are 487.5 W. */
    @Test
    void counterAndSensorAgree() throws Throwable {
        try (FakeBox.Found found = box.start(H100)) {
            assertEquals(List.of("nvml:0", "nvml:0/power"), found.ids());
            assertEquals(List.of(), found.missing());
            MeterInfo counter = found.meters().getFirst().info();
            assertEquals("nvidia:0", counter.device());
            assertEquals(MeterInfo.Scope.GPU, counter.scope());
            assertEquals("energy counter", counter.method());
            assertEquals(
                    "nvmlDeviceGetTotalEnergyConsumption of NVIDIA H100 80GB HBM3 at 0000:c1:00.0", counter.place());
            MeterInfo sensor = found.meters().getLast().info();
            assertEquals("power, integrated", sensor.method());
            assertTrue(sensor.overlap().orElse("").contains("to compare with"), sensor::toString);
            Command c = command(found, 20);
            assertEquals(20 * 487.5, c.joules, 5, "by hand");
            assertEquals(
                    c.joules,
                    value(c.joulesOf("nvml:0")),
                    ci(c.joulesOf("nvml:0")).half());
            assertEquals(0.1, Objects.requireNonNull(c.of("nvml:0").updatePeriod()), 2e-3);
            assertNull(c.joulesOf("nvml:0").note());
        }
        assertEquals(0, box.open(), "every initialization is given back");
    }

    /** A counter that shows 0.57 of what is used, as one was seen to do (Zeus, issue 181). */
    @Test
    void aCounterThatDisagreesIsFlagged() throws Throwable {
        try (FakeBox.Found found = box.start(H100 + "counter gain 0.57\n")) {
            Command c = command(found, 20);
            assertEquals(0.57 * c.joules, value(c.joulesOf("nvml:0")), 0.02 * c.joules);
            String note = String.valueOf(c.joulesOf("nvml:0").note());
            assertTrue(note.startsWith("nvml:0/power shows ") && note.contains(" % more: the counter or"), note);
            assertNull(c.joulesOf("nvml:0/power").note());
        }
    }

    /** They set in four seconds into the command, whose meters are calibrated and ticked in about 2.5 s before. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "counter stuck 0           | changed 0 times",
                "counter stuck 6500000000  | the counter is stuck",
                "counter back 6500000000 900000 | the counter went backwards",
                "counter reset 6500000000  | the counter went backwards",
                "lost 6500000000           | NVML_ERROR_GPU_IS_LOST (15): the device has fallen off the bus. Read the kernel's log",
                "fail nvmlDeviceGetTotalEnergyConsumption 60+ 4  | NVML_ERROR_NO_PERMISSION",
                "fail nvmlDeviceGetTotalEnergyConsumption 60+ 999  | NVML_ERROR_UNKNOWN"
            })
    void aFaultOfTheCounterIsNoFigure(String fault, String why) throws Throwable {
        try (FakeBox.Found found = box.start(H100 + fault + "\n")) {
            Command c = command(found, 20);
            String reason = reason(c.joulesOf("nvml:0"));
            assertTrue(reason.contains(why), reason);
            assertEquals(reason, reason(c.of("nvml:0").power()));
        }
    }

    @Test
    void aShortCommandIsBelowResolution() throws Throwable {
        try (FakeBox.Found found = box.start(H100)) {
            String reason = reason(command(found, 0.7).joulesOf("nvml:0"));
            assertTrue(reason.contains("below resolution"), reason);
        }
    }

    /**
     * Before Volta there is no counter: power is integrated, by the quickest sensor there is. By hand: an instant is the 25 ms
     * before each 100 ms, which see 10 ms, then 20 ms of the 600 W in turn: (420 + 540) / 2 W. Averages see everything.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                                     | NVML_FI_DEV_POWER_INSTANT | 0 | 480",
                "field 186 3                          | NVML_FI_DEV_POWER_AVERAGE | 1 | 487.5",
                "field 186 2; field 185 3             | nvmlDeviceGetPowerUsage   | 1 | 487.5"
            })
    void withoutACounterPowerIsIntegrated(String fields, String call, double averaging, double watts) throws Throwable {
        String script = H100 + "counter absent\n" + (fields == null ? "" : fields.replace(';', '\n') + "\n");
        try (FakeBox.Found found = box.start(script)) {
            assertEquals(List.of("nvml:0/power"), found.ids());
            MeterInfo info = found.meters().getFirst().info();
            assertTrue(info.place().contains(call), info.place());
            assertEquals(averaging, info.averaging());
            assertTrue(info.overlap().isEmpty(), "it is all there is, so it counts");
            Metric joules = command(found, 40).joulesOf("nvml:0/power");
            assertEquals(40 * watts, value(joules), 0.002 * 40 * watts);
        }
    }

    @Test
    void aGpuThatTellsNothingIsMissingWithAllReasons() throws Throwable {
        try (FakeBox.Found found =
                box.start(H100 + "counter absent\nfield 186 3\nfield 185 3\nfail nvmlDeviceGetPowerUsage 1+ 3\n")) {
            assertEquals(List.of(), found.ids());
            String text = String.join("", found.missing());
            for (String part : List.of(
                    "nvml:0: NVIDIA H100 80GB HBM3 at 0000:c1:00.0 has no energy counter",
                    "field 186",
                    "field 185",
                    "nvmlDeviceGetPowerUsage failed with NVML_ERROR_NOT_SUPPORTED")) {
                assertTrue(text.contains(part), text);
            }
        }
        assertEquals(0, box.open());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mode mig on               | WHOLE_DEVICE",
                "mode mig off              | GPU",
                "mode mig none             | GPU",
                "name NVIDIA GH200 480GB;module | MODULE"
            })
    void theScopeIsWhatTheCounterCovers(String statements, MeterInfo.Scope scope) throws Throwable {
        try (FakeBox.Found found = box.start(H100 + statements.replace(';', '\n') + "\n")) {
            assertEquals(scope, found.meters().getFirst().info().scope());
            assertEquals(List.of("nvml:0", "nvml:0/power"), found.ids(), "once, however many parts it has");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fail nvmlInit_v2 1+ 4  | NVML_ERROR_NO_PERMISSION           | /dev/nvidiactl",
                "fail nvmlInit_v2 1+ 18 | NVML_ERROR_LIB_RM_VERSION_MISMATCH | reboot",
                "fail nvmlInit_v2 1+ 9  | NVML_ERROR_DRIVER_NOT_LOADED       | modprobe nvidia",
                "fail nvmlDeviceGetCount_v2 1+ 4 | NVML_ERROR_NO_PERMISSION  | /dev/nvidiactl",
                "lost 0                 | nvml:0: nvmlDeviceGetHandleByIndex failed with NVML_ERROR_GPU_IS_LOST | Xid",
                "fail nvmlDeviceGetUUID 1+ 999 | nvml:0: nvmlDeviceGetUUID failed with NVML_ERROR_UNKNOWN | nvidia-smi"
            })
    void whatCannotBeAskedIsMissingWithARemedy(String fault, String why, String remedy) throws Throwable {
        try (FakeBox.Found found = box.start(H100 + fault + "\n")) {
            assertEquals(List.of(), found.ids());
            assertEquals(1, found.missing().size(), found.missing()::toString);
            String text = found.missing().getFirst();
            assertTrue(text.contains(why) && text.contains(remedy), text);
        }
        assertEquals(0, box.open());
    }

    /** CUDA's ordinals follow the script here, NVML's the bus; one that fails costs its own line only. */
    @Test
    void devicesFindTheirMetersByUuid() throws Throwable {
        fake.reset("device h100-sxm\ndevice a100-sxm-80\ndevice rtx-4090\n");
        Map<String, String> env = new HashMap<>(FakeBox.environment(fake));
        env.put(CudaDriver.VARIABLE, fake.file());
        env.put("PANAMARK_SYS", "/nowhere");
        List<DeviceInfo> devices = new CudaProvider(env, Path.of("target", "test-cache"))
                .discover().stream()
                        .map(a -> switch (a) {
                            case Availability.Available<DeviceProvider.Candidate>(DeviceProvider.Candidate c) ->
                                c.info();
                            case Availability.Unavailable<DeviceProvider.Candidate> none ->
                                throw new AssertionError(none.text());
                        })
                        .toList();
        try (Meters meters = Meters.of(env)) {
            assertEquals(
                    List.of(
                            List.of("nvml:2", "nvml:2/power"),
                            List.of("nvml:1", "nvml:1/power"),
                            List.of("nvml:0", "nvml:0/power")),
                    devices.stream()
                            .map(d -> meters.of(d).stream()
                                    .map(m -> m.info().id())
                                    .toList())
                            .toList());
            DeviceInfo cpu = new DeviceInfo(
                    "cpu:0", "cpu", "", "", new java.util.LinkedHashMap<>(), new java.util.LinkedHashMap<>());
            assertEquals(List.of(), meters.of(cpu));
            assertTrue(meters.absence(cpu).contains("powercap"), meters.absence(cpu));
        }
    }

    /** The first assertion is that the instrument sees anything at all. */
    @Test
    void aSampleAllocatesNothing() throws Throwable {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadAllocatedBytes();
        byte[] some = new byte[4096];
        assertTrue(threads.getCurrentThreadAllocatedBytes() - start >= some.length, "allocations are counted");
        try (FakeBox.Found found = box.start(H100)) {
            for (PowerMeter meter : found.meters()) {
                long least = Long.MAX_VALUE;
                long sum = 0;
                for (int round = 0; round < 50 && least > 0; round++) {
                    long before = threads.getCurrentThreadAllocatedBytes();
                    for (int i = 0; i < 10_000; i++) {
                        sum += meter.read();
                    }
                    least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
                }
                assertEquals(0, least, meter.info().id() + ": bytes of 10000 samples, which add up to " + sum);
            }
        }
    }
}
