package dev.panamark.driver.nvml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.ffi.Availability;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every function that is wrapped, failing with every status that nvml.h names and that it can tell. */
class NvmlFaultTest {
    private static final String H100 = "device h100-sxm\n";

    /** An initialized library and one GPU of it. */
    private record Bench(Nvml nvml, NvmlDevice device, NvmlReadings readings) {
        static Bench of(FakeNvml fake) {
            Nvml nvml = fake.start(H100);
            NvmlDevice device = nvml.device(0);
            return new Bench(nvml, device, device.readings());
        }
    }

    /** What reaches each function, of a current driver. */
    private static final Map<NvmlFunction, Consumer<Bench>> ACTIONS = actions();

    /** Their statuses become something else: whether there is a library, and the words of other statuses. */
    private static final Set<NvmlFunction> APART = EnumSet.of(NvmlFunction.INIT, NvmlFunction.ERROR_STRING);

    /** Not reached where the driver has what took its place. */
    private static final Set<NvmlFunction> OF_OLD_DRIVERS = EnumSet.of(NvmlFunction.DEVICE_GET_TEMPERATURE);

    private static Map<NvmlFunction, Consumer<Bench>> actions() {
        Map<NvmlFunction, Consumer<Bench>> all = new EnumMap<>(NvmlFunction.class);
        all.put(NvmlFunction.SHUTDOWN, b -> b.nvml().close());
        all.put(NvmlFunction.SYSTEM_GET_DRIVER_VERSION, b -> b.nvml().driverVersion());
        all.put(NvmlFunction.SYSTEM_GET_NVML_VERSION, b -> b.nvml().version());
        all.put(NvmlFunction.DEVICE_GET_COUNT, b -> b.nvml().deviceCount());
        all.put(NvmlFunction.DEVICE_GET_HANDLE_BY_INDEX, b -> b.nvml().device(0));
        all.put(
                NvmlFunction.DEVICE_GET_HANDLE_BY_UUID,
                b -> b.nvml().deviceOfUuid("GPU-8495a6b7-c8d9-eafb-0c1d-2e3f50617283"));
        all.put(NvmlFunction.DEVICE_GET_HANDLE_BY_PCI_BUS_ID, b -> b.nvml().deviceOfPciBusId("0000:c1:00.0"));
        all.put(NvmlFunction.DEVICE_GET_NAME, b -> b.device().name());
        all.put(NvmlFunction.DEVICE_GET_UUID, b -> b.device().uuid());
        all.put(NvmlFunction.DEVICE_GET_PCI_INFO, b -> b.device().pciBusId());
        all.put(
                NvmlFunction.DEVICE_GET_TOTAL_ENERGY_CONSUMPTION,
                b -> b.readings().energy());
        all.put(NvmlFunction.DEVICE_GET_POWER_USAGE, b -> b.readings().powerUsage());
        all.put(
                NvmlFunction.DEVICE_GET_FIELD_VALUES,
                b -> b.readings().power(NvmlReadings.Power.INSTANT, NvmlReadings.Scope.GPU));
        all.put(NvmlFunction.DEVICE_GET_ENFORCED_POWER_LIMIT, b -> b.device().enforcedPowerLimit());
        all.put(
                NvmlFunction.DEVICE_GET_POWER_MANAGEMENT_LIMIT_CONSTRAINTS,
                b -> b.device().powerLimits());
        all.put(NvmlFunction.DEVICE_GET_CLOCK_INFO, b -> b.readings().clock(NvmlDevice.Clock.SM));
        all.put(NvmlFunction.DEVICE_GET_MAX_CLOCK_INFO, b -> b.device().maxClock(NvmlDevice.Clock.SM));
        all.put(
                NvmlFunction.DEVICE_GET_CURRENT_CLOCKS_EVENT_REASONS,
                b -> b.readings().clockEvents());
        all.put(NvmlFunction.DEVICE_GET_TEMPERATURE_V, b -> b.readings().temperature());
        all.put(NvmlFunction.DEVICE_GET_TEMPERATURE, b -> b.readings().temperature());
        all.put(NvmlFunction.DEVICE_GET_ECC_MODE, b -> b.device().isEcc());
        all.put(NvmlFunction.DEVICE_GET_MIG_MODE, b -> b.device().isMig());
        all.put(NvmlFunction.DEVICE_GET_PERSISTENCE_MODE, b -> b.device().isPersistent());
        all.put(NvmlFunction.DEVICE_SET_GPU_LOCKED_CLOCKS, b -> b.device().lockClocks(1200));
        all.put(NvmlFunction.DEVICE_RESET_GPU_LOCKED_CLOCKS, b -> b.device().unlockClocks());
        all.put(
                NvmlFunction.DEVICE_GET_COMPUTE_RUNNING_PROCESSES,
                b -> b.device().computeProcesses());
        return all;
    }

    private static Consumer<Bench> action(NvmlFunction function) {
        return Objects.requireNonNull(ACTIONS.get(function));
    }

    private static FakeNvml fakeFor(NvmlFunction function) {
        return FakeNvml.ofRelease(OF_OLD_DRIVERS.contains(function) ? 11020 : 13000);
    }

    @Test
    void everyFunctionIsTried() {
        Set<NvmlFunction> tried = EnumSet.copyOf(ACTIONS.keySet());
        tried.addAll(APART);
        assertEquals(EnumSet.allOf(NvmlFunction.class), tried);
    }

    /** Names and values as in nvml.h. */
    private static Map<Integer, String> statuses() {
        Map<Integer, String> all = new TreeMap<>();
        all.put(1, "NVML_ERROR_UNINITIALIZED");
        all.put(2, "NVML_ERROR_INVALID_ARGUMENT");
        all.put(3, "NVML_ERROR_NOT_SUPPORTED");
        all.put(4, "NVML_ERROR_NO_PERMISSION");
        all.put(6, "NVML_ERROR_NOT_FOUND");
        all.put(7, "NVML_ERROR_INSUFFICIENT_SIZE");
        all.put(9, "NVML_ERROR_DRIVER_NOT_LOADED");
        all.put(10, "NVML_ERROR_TIMEOUT");
        all.put(12, "NVML_ERROR_LIBRARY_NOT_FOUND");
        all.put(13, "NVML_ERROR_FUNCTION_NOT_FOUND");
        all.put(15, "NVML_ERROR_GPU_IS_LOST");
        all.put(16, "NVML_ERROR_RESET_REQUIRED");
        all.put(17, "NVML_ERROR_OPERATING_SYSTEM");
        all.put(18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH");
        all.put(21, "NVML_ERROR_NO_DATA");
        all.put(25, "NVML_ERROR_ARGUMENT_VERSION_MISMATCH");
        all.put(26, "NVML_ERROR_DEPRECATED");
        all.put(28, "NVML_ERROR_GPU_NOT_FOUND");
        all.put(999, "NVML_ERROR_UNKNOWN");
        return all;
    }

    static Stream<Arguments> failures() {
        return ACTIONS.keySet().stream()
                .flatMap(f -> statuses().entrySet().stream().map(s -> Arguments.of(f, s.getKey(), s.getValue())));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aStatusNamesItsCall(NvmlFunction function, int status, String name) {
        FakeNvml fake = fakeFor(function);
        Bench bench = Bench.of(fake);
        fail(fake, function, status);
        NvmlException e =
                assertThrows(NvmlException.class, () -> action(function).accept(bench));
        assertEquals(function.documented(), e.call());
        assertEquals(status, e.code());
        assertEquals(name, e.name());
        assertFalse(e.driverText().isEmpty());
        assertTrue(
                String.valueOf(e.getMessage())
                        .startsWith(function.documented() + " failed with " + name + " (" + status + "): "
                                + e.driverText()),
                e.getMessage());
        assertEquals(status == 3 || status == 13 || status == 26, e.isUnsupported());
        assertEquals(status == 4 || status == 17, e.isOfPermission());
        assertEquals(status == 15 || status == 16, e.isOfLostDevice());
        assertEquals(status == 6 || status == 28, e.isNotFound());
        assertFalse(e.remedy().isEmpty());
    }

    /** This and all later calls of the function, as a list that does not fit is asked for again. */
    private static void fail(FakeNvml fake, NvmlFunction function, int status) {
        long next = fake.calls(function) + 1;
        function.symbols().forEach(s -> fake.add("fail " + s + " " + next + "+ " + status + "\n"));
    }

    static Set<NvmlFunction> reached() {
        return ACTIONS.keySet();
    }

    @ParameterizedTest
    @MethodSource("reached")
    void withoutAFaultItIsCalledAndSucceeds(NvmlFunction function) {
        FakeNvml fake = fakeFor(function);
        Bench bench = Bench.of(fake);
        long before = fake.calls(function);
        action(function).accept(bench);
        assertEquals(before + 1, fake.calls(function));
    }

    /** A status of a single field, in a call that succeeds. */
    @ParameterizedTest
    @CsvSource({"3, NVML_ERROR_NOT_SUPPORTED", "15, NVML_ERROR_GPU_IS_LOST", "999, NVML_ERROR_UNKNOWN"})
    void aFieldsOwnStatusCounts(int status, String name) {
        FakeNvml fake = FakeNvml.current();
        Bench bench = Bench.of(fake);
        fake.add("field 186 " + status + "\n");
        NvmlException e = assertThrows(
                NvmlException.class, () -> bench.readings().power(NvmlReadings.Power.INSTANT, NvmlReadings.Scope.GPU));
        assertEquals(name, e.name());
        assertTrue(String.valueOf(e.getMessage()).endsWith("; field 186 of scope 0 was asked for"), e.getMessage());
        assertEquals(70_000, bench.readings().power(NvmlReadings.Power.AVERAGE, NvmlReadings.Scope.GPU));
    }

    static Stream<Arguments> initFailures() {
        Map<Integer, String> remedies = Map.of(
                4,
                "/dev/nvidiactl",
                9,
                "modprobe nvidia",
                12,
                "driver package",
                17,
                "--gres=gpu:1",
                18,
                "reboot",
                999,
                "nvidia-smi");
        return remedies.entrySet().stream()
                .map(r -> Arguments.of(r.getKey(), statuses().get(r.getKey()), r.getValue()));
    }

    @ParameterizedTest
    @MethodSource("initFailures")
    void aLibraryThatDoesNotStartIsAbsentWithARemedy(int status, String name, String remedy) {
        FakeNvml fake = FakeNvml.current();
        fake.reset(H100 + "fail nvmlInit 1 " + status + "\n");
        Availability.Unavailable<?> none = assertInstanceOf(Availability.Unavailable.class, fake.find());
        assertTrue(none.text().contains("nvmlInit failed with " + name + " (" + status + ")"), none.text());
        assertTrue(none.remedy().contains(remedy), none.remedy());
        assertEquals(0, fake.open());
    }

    @Test
    void anUnknownStatusIsStillToldApart() {
        FakeNvml fake = FakeNvml.current();
        Bench bench = Bench.of(fake);
        fail(fake, NvmlFunction.DEVICE_GET_NAME, 777);
        NvmlException e = assertThrows(NvmlException.class, () -> bench.device().name());
        assertEquals("nvmlDeviceGetName failed with an unknown status (777): this status is not known", e.getMessage());
    }

    /** A driver of CUDA 11.2 stands for all that lack something. */
    @Test
    void anOldLibraryLacksWhatCameLater() {
        FakeNvml fake = FakeNvml.ofRelease(11020);
        Bench bench = Bench.of(fake);
        fake.add("throttle 0 1000000000000 68\n");
        assertEquals(0x44, bench.readings().clockEvents(), "under the older name");
        assertEquals(40, bench.readings().temperature());
        MissingNvmlFunctionException e = assertThrows(
                MissingNvmlFunctionException.class, () -> bench.device().computeProcesses());
        assertEquals(NvmlFunction.DEVICE_GET_COMPUTE_RUNNING_PROCESSES, e.function());
        assertTrue(
                String.valueOf(e.getMessage()).startsWith("NVML of driver 580.65.06 (")
                        && String.valueOf(e.getMessage())
                                .endsWith("libnvidia-ml.so.1) has no nvmlDeviceGetComputeRunningProcesses"),
                e.getMessage());
        assertInstanceOf(
                Availability.Unavailable.class, bench.device().has(NvmlFunction.DEVICE_GET_COMPUTE_RUNNING_PROCESSES));
    }

    @Test
    void aLostGpuSaysSoFromThenOn() {
        FakeNvml fake = FakeNvml.current();
        Bench bench = Bench.of(fake);
        fake.add("lost 5000000000\n");
        assertTrue(bench.readings().energy() > 0);
        fake.advance(5_000_000_000L);
        NvmlException e =
                assertThrows(NvmlException.class, () -> bench.readings().energy());
        assertTrue(e.isOfLostDevice());
        assertTrue(e.remedy().contains("Xid"), e.remedy());
    }
}
