package dev.panamark.driver.nvml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.panamark.ffi.Availability;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class NvmlTest {
    private static final String THREE = "device h100-sxm\ndevice a100-sxm-80\ndevice rtx-4090\n";

    /** The fake's places are C1, 51 and 21 in the order of its script, and NVML's order is that of the bus. */
    @Test
    void devicesAreToldByUuidAndPlace() {
        Nvml nvml = FakeNvml.current().start(THREE);
        assertEquals(3, nvml.deviceCount());
        assertEquals("580.65.06", nvml.driverVersion());
        assertEquals("13.580.65.06", nvml.version());
        List<NvmlDevice> devices = IntStream.range(0, 3).mapToObj(nvml::device).toList();
        assertEquals(
                List.of("NVIDIA GeForce RTX 4090", "NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3"),
                devices.stream().map(NvmlDevice::name).toList());
        assertEquals(
                List.of("0000:21:00.0", "0000:51:00.0", "0000:c1:00.0"),
                devices.stream().map(NvmlDevice::pciBusId).toList());
        // Bytes 17 i + 132, as the fake makes them.
        String h100 = "GPU-8495a6b7-c8d9-eafb-0c1d-2e3f50617283";
        assertEquals(h100, devices.get(2).uuid());
        assertEquals("NVIDIA H100 80GB HBM3", nvml.deviceOfUuid(h100).name());
        assertEquals(
                "NVIDIA A100-SXM4-80GB", nvml.deviceOfPciBusId("0000:51:00.0").name());
        assertTrue(assertThrows(NvmlException.class, () -> nvml.deviceOfUuid("GPU-0"))
                .isNotFound());
        NvmlException e = assertThrows(NvmlException.class, () -> nvml.device(3));
        assertTrue(String.valueOf(e.getMessage()).endsWith("; device 3 was asked for"), e.getMessage());
    }

    /** Clocks and limits are those of the data sheets. */
    @Test
    void settingsAreTold() {
        FakeNvml fake = FakeNvml.current();
        Nvml nvml = fake.start("""
                device h100-sxm
                limit 200 700 650.5
                clocks 1755 2600
                temperature 61
                process 4711 1000000000
                process 4712 5
                throttle 1000000 2000000 516
                call 0
                """);
        NvmlDevice device = nvml.device(0);
        assertEquals(650.5, device.enforcedPowerLimit());
        assertEquals(new NvmlDevice.PowerRange(200, 700), device.powerLimits());
        assertEquals(1980, device.maxClock(NvmlDevice.Clock.SM));
        assertEquals(2619, device.maxClock(NvmlDevice.Clock.MEMORY));
        assertTrue(device.isEcc());
        assertFalse(device.isMig());
        assertTrue(device.isPersistent());
        assertEquals(
                List.of(new NvmlDevice.ComputeProcess(4711, 1_000_000_000), new NvmlDevice.ComputeProcess(4712, 5)),
                device.computeProcesses());
        NvmlReadings readings = device.readings();
        assertEquals(1755, readings.clock(NvmlDevice.Clock.SM));
        assertEquals(2600, readings.clock(NvmlDevice.Clock.MEMORY));
        assertEquals(61, readings.temperature());
        assertEquals(66, readings.memoryTemperature());
        assertEquals(0, readings.clockEvents());
        fake.advance(1_000_000);
        assertEquals(List.of("sw_power_cap", "0x200"), ClockEvent.tags(readings.clockEvents()));
        fake.advance(1_000_000);
        assertEquals(0, readings.clockEvents());
        fake.add("mode mig on\nmode ecc off\nmode persistence off\n");
        assertTrue(device.isMig());
        assertFalse(device.isEcc());
        assertFalse(device.isPersistent());
        fake.add("mode mig none\n");
        assertTrue(assertThrows(NvmlException.class, device::isMig).isUnsupported());
    }

    /** A list longer than the room for it is asked for again. */
    @Test
    void allProcessesAreListed() {
        StringBuilder script = new StringBuilder("device h100-sxm\n");
        for (int i = 1; i <= 16; i++) {
            script.append("process ").append(i).append(" 1\n");
        }
        NvmlDevice device = FakeNvml.current().start(script.toString()).device(0);
        assertEquals(16, device.computeProcesses().size());
    }

    /** 100 W for a second, then 300 W: the counter shows what was used at its last update, each 100 ms. */
    @Test
    void theCounterIsAStaircase() {
        FakeNvml fake = FakeNvml.current();
        NvmlReadings readings = fake.start("device h100-sxm\ncall 0\ncurve 0:100,1000000000:300\n")
                .device(0)
                .readings();
        long start = readings.energy();
        fake.advance(999_999_999);
        assertEquals(90_000, readings.energy() - start, "of 0.9 s, mJ");
        fake.advance(1);
        assertEquals(100_000, readings.energy() - start);
        fake.advance(150_000_000);
        assertEquals(100_000 + 30_000, readings.energy() - start);
    }

    /** After 50 ms at 500 W: a tenth of a second is the instant's update, and 25 ms its look; the average is of 1 s. */
    @Test
    void averageAndInstantPowerDiffer() {
        FakeNvml fake = FakeNvml.current();
        NvmlReadings readings = fake.start("device h100-sxm\ncall 0\ncurve 0:100,1950000000:500\n")
                .device(0)
                .readings();
        fake.advance(2_000_000_000);
        assertEquals(500_000, readings.power(NvmlReadings.Power.INSTANT, NvmlReadings.Scope.GPU));
        assertEquals(
                120_000, readings.power(NvmlReadings.Power.AVERAGE, NvmlReadings.Scope.GPU), "0.95 * 100 + 0.05 * 500");
        assertEquals(120_000, readings.powerUsage());
        NvmlException e = assertThrows(
                NvmlException.class, () -> readings.power(NvmlReadings.Power.INSTANT, NvmlReadings.Scope.MODULE));
        assertTrue(e.isUnsupported());
        fake.add("module\n");
        assertEquals(500_000, readings.power(NvmlReadings.Power.INSTANT, NvmlReadings.Scope.MODULE));
    }

    @ParameterizedTest
    @CsvSource({
        "counter stuck 500000000, 50000",
        "counter back 500000000 10000, 90000",
        "counter gain 0.5, 50000",
        "energy 400000000 1, 80000",
        "energy 100000000 30000, 90000"
    })
    void countersFailAsTheScriptSays(String statement, long millijoulesAfterASecond) {
        FakeNvml fake = FakeNvml.current();
        NvmlReadings readings = fake.start("device h100-sxm\ncall 0\npower 100 100\n" + statement + "\n")
                .device(0)
                .readings();
        long start = readings.energy();
        fake.advance(1_000_000_000);
        assertEquals(millijoulesAfterASecond, readings.energy() - start);
    }

    @Test
    void aResetCounterBeginsAtZero() {
        FakeNvml fake = FakeNvml.current();
        NvmlReadings readings = fake.start("device h100-sxm\ncall 0\npower 100 100\ncounter reset 500000000\n")
                .device(0)
                .readings();
        fake.advance(1_000_000_000);
        assertEquals(50_000, readings.energy());
        fake.add("counter absent\n");
        assertTrue(assertThrows(NvmlException.class, readings::energy).isUnsupported());
    }

    @Test
    void initializationsAreGivenBackOnce() {
        FakeNvml fake = FakeNvml.current();
        Nvml first = fake.start(THREE);
        NvmlReadings readings = first.device(0).readings();
        Nvml second = fake.find().orElseThrow(IllegalStateException::new);
        assertEquals(2, fake.open());
        first.close();
        first.close();
        assertEquals(1, fake.calls(NvmlFunction.SHUTDOWN));
        assertEquals(
                "NVML is closed",
                assertThrows(IllegalStateException.class, readings::energy).getMessage());
        assertEquals(3, second.deviceCount());
        second.close();
        assertEquals(0, fake.open());
    }

    @Test
    void whatIsNotThereOrNoNvmlIsAbsent() {
        Availability.Unavailable<?> none = assertInstanceOf(
                Availability.Unavailable.class, Nvml.find(Map.of(Nvml.VARIABLE, "/nowhere/libnvidia-ml.so.1")));
        assertTrue(none.text().contains("/nowhere/libnvidia-ml.so.1"), none.text());
        assertTrue(none.remedy().contains("unset PANAMARK_NVML"), none.remedy());
        Availability.Unavailable<?> other =
                assertInstanceOf(Availability.Unavailable.class, Nvml.find(Map.of(Nvml.VARIABLE, "libc.so.6")));
        assertTrue(other.text().contains("no nvmlInit_v2, so it is no NVML"), other.text());
    }

    static Stream<Arguments> samples() {
        NvmlReadings r = FakeNvml.current().start("device h100-sxm\n").device(0).readings();
        return Stream.of(
                sample("energy", r::energy),
                sample("power usage", r::powerUsage),
                sample("instant power", () -> r.power(NvmlReadings.Power.INSTANT, NvmlReadings.Scope.GPU)),
                sample("clock", () -> r.clock(NvmlDevice.Clock.SM)),
                sample("clock events", r::clockEvents),
                sample("temperature", r::temperature));
    }

    private static Arguments sample(String name, LongSupplier read) {
        return Arguments.of(name, read);
    }

    /** Once the compiler has been there; until then the VM's own code for a call makes some. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("samples")
    void aSampleAllocatesNothing(String name, LongSupplier read) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long start = threads.getCurrentThreadAllocatedBytes();
        byte[] some = new byte[4096];
        assertTrue(threads.getCurrentThreadAllocatedBytes() - start >= some.length, "allocations are counted");
        long least = Long.MAX_VALUE;
        long sum = 0;
        for (int round = 0; round < 50 && least > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 10_000; i++) {
                sum += read.getAsLong();
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least, name + ": bytes of 10000 samples, which add up to " + sum);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "curve 5:1",
                "curve 0:1,0:2",
                "curve 0:1 repeat 0",
                "curve 0:x",
                "energy 0 1",
                "sensor other 1 1",
                "counter gone",
                "mode ecc maybe",
                "throttle 5 4 1",
                "clock sundial"
            })
    void theFakeRefusesWhatItDoesNotKnow(String statement) {
        FakeNvml fake = FakeNvml.current();
        fake.reset("device h100-sxm\n");
        assertTrue(fake.problem(statement + "\n").contains(statement), statement);
    }
}
