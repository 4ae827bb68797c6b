package dev.panamark.driver.rocmsmi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.compile.Subprocess;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.ffi.SharedLibrary;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What becomes of the library's figures and statuses; expected values are those of rocm_smi.c, the fake. */
@SuppressWarnings("restricted")
class RocmSmiTest {
    private static final Path SOURCE =
            Path.of("../native-build/fakes/rocmsmi/rocm_smi.c").toAbsolutePath();

    @TempDir
    Path folder;

    private Path library = Path.of("unset");

    /** A library of a name that the loader does not know yet. */
    private void build(String... defines) throws IOException, InterruptedException {
        HostCompiler compiler =
                HostCompiler.find(System.getenv()) instanceof Availability.Available<HostCompiler>(var c)
                        ? c
                        : Assumptions.abort("no C compiler on this machine");
        library = Files.createTempDirectory(folder, "smi").resolve("librocm_smi64.so.7");
        List<String> call = new ArrayList<>(List.of(compiler.path().toString(), "-std=gnu11", "-fPIC", "-shared"));
        call.addAll(List.of(defines));
        call.addAll(List.of("-o", library.toString(), SOURCE.toString()));
        Subprocess.Ended ended = new Subprocess(System.getenv(), Duration.ofMinutes(1)).run(call, folder, "");
        assertTrue(ended.ok(), ended.err());
    }

    private Availability<RocmSmi> find(KernelFiles files) {
        return RocmSmi.find(Map.of(RocmSmi.VARIABLE, library.toString()), files);
    }

    private RocmSmi open(KernelFiles files) {
        return switch (find(files)) {
            case Availability.Available<RocmSmi>(RocmSmi found) -> found;
            case Availability.Unavailable<RocmSmi> none -> fail(none.text());
        };
    }

    private String whyNot(KernelFiles files) {
        return assertInstanceOf(Availability.Unavailable.class, find(files)).text();
    }

    private KernelTree tree() throws IOException {
        return new KernelTree(folder.resolve("class"));
    }

    private int opened() {
        try {
            return (int) Linker.nativeLinker()
                    .downcallHandle(
                            SharedLibrary.open(library.toString())
                                    .symbol("fake_open")
                                    .orElseThrow(),
                            FunctionDescriptor.of(ValueLayout.JAVA_INT))
                    .invokeExact();
        } catch (Throwable t) {
            return fail(t);
        }
    }

    @Test
    void figuresComeThrough() throws Exception {
        build();
        try (RocmSmi smi = open(tree().gpu(0, 1, 8).files())) {
            assertEquals("7.3.1", smi.version());
            assertEquals(library.toString(), smi.file());
            assertEquals(1, smi.deviceCount());
            RocmSmiDevice gpu = smi.device(0);
            assertEquals("0001:c1:00.0", gpu.pciAddress(), "the partition is not in it");
            assertEquals("fake 0", gpu.name());
            assertEquals(0xa1b2c3d4e5f60718L, gpu.uniqueId());
            assertEquals(new RocmSmiDevice.Power(612_000_000, RocmSmiDevice.PowerType.CURRENT), gpu.power());
            assertEquals(750_000_000, gpu.powerCap());
            assertEquals(123_456_789_012L, gpu.energyCount());
            assertEquals(42_000, gpu.temperature(RocmSmiDevice.Sensor.MEMORY));
        }
        assertEquals(0, opened());
    }

    @Test
    void initializationsAreGivenBackOnce() throws Exception {
        build();
        KernelFiles files = tree().gpu(0, 1, 3).files();
        RocmSmi first = open(files);
        RocmSmiDevice gpu = first.device(0);
        RocmSmi second = open(files);
        assertEquals(2, opened());
        first.close();
        first.close();
        assertEquals(1, opened());
        assertThrows(IllegalStateException.class, gpu::power);
        second.close();
        assertEquals(0, opened());
    }

    /** Before ROCm 6.0 there was the average only, and newer revisions of gpu_metrics are not for it. */
    @Test
    void anOldLibraryIsAskedForWhatItKnows() throws Exception {
        build("-DFAKE_OLD");
        KernelTree tree = tree().gpu(0, 1, 3);
        try (RocmSmi smi = open(tree.files())) {
            RocmSmiDevice gpu = smi.device(0);
            assertEquals(new RocmSmiDevice.Power(600_000_000, RocmSmiDevice.PowerType.AVERAGE), gpu.power());
            assertEquals(123_456_789_012L, gpu.energyCount());
            Files.write(tree.device(0).resolve("gpu_metrics"), new byte[] {32, 1, 1, 4});
            RocmSmiUnavailableException e = assertThrows(RocmSmiUnavailableException.class, gpu::energyCount);
            assertTrue(
                    String.valueOf(e.getMessage()).startsWith("rsmi_dev_energy_count_get was not called: "),
                    e::getMessage);
            assertTrue(String.valueOf(e.getMessage()).contains("revision 1.4"), e::getMessage);
        }
    }

    @Test
    void withoutSensorsNothingIsAskedOfThem() throws Exception {
        build();
        KernelTree tree = tree().gpu(0, 1, 3);
        Files.delete(tree.device(0).resolve("hwmon/hwmon0/name"));
        try (RocmSmi smi = open(tree.files())) {
            RocmSmiDevice gpu = smi.device(0);
            for (Consumer<RocmSmiDevice> call : List.<Consumer<RocmSmiDevice>>of(
                    RocmSmiDevice::power, RocmSmiDevice::powerCap, d -> d.temperature(RocmSmiDevice.Sensor.EDGE))) {
                assertThrows(RocmSmiUnavailableException.class, () -> call.accept(gpu));
            }
        }
    }

    static Stream<Arguments> calls() {
        return Stream.of(
                call("rsmi_dev_name_get", RocmSmiDevice::name),
                call("rsmi_dev_unique_id_get", RocmSmiDevice::uniqueId),
                call("rsmi_dev_power_get", RocmSmiDevice::power),
                call("rsmi_dev_power_cap_get", RocmSmiDevice::powerCap),
                call("rsmi_dev_energy_count_get", RocmSmiDevice::energyCount),
                call("rsmi_dev_temp_metric_get", d -> d.temperature(RocmSmiDevice.Sensor.EDGE)));
    }

    private static Arguments call(String name, Consumer<RocmSmiDevice> call) {
        return Arguments.of(name, call);
    }

    /** Names and numbers as rocm_smi.h has them. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("calls")
    void aStatusIsAnExceptionInWords(String name, Consumer<RocmSmiDevice> call) throws Exception {
        build();
        try (RocmSmi smi = open(tree().gpu(2, 1, 3).gpu(4, 1, 3).files())) {
            RocmSmiException e = assertThrows(RocmSmiException.class, () -> call.accept(smi.device(2)));
            assertEquals(
                    name + " failed with RSMI_STATUS_NOT_SUPPORTED (2): words of 2; of 0001:c1:02.0", e.getMessage());
            assertEquals(name, e.call());
            assertEquals(2, e.code());
            assertTrue(e.isUnsupported());
            RocmSmiException denied = assertThrows(RocmSmiException.class, () -> call.accept(smi.device(4)));
            assertTrue(String.valueOf(denied.getMessage()).contains("RSMI_STATUS_PERMISSION (4)"), denied::getMessage);
            assertTrue(denied.remedy().contains("group render"), denied::remedy);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "8, RSMI_STATUS_INIT_ERROR (8): words of 8, modprobe amdgpu",
        "4, RSMI_STATUS_PERMISSION (4): words of 4, /dev/kfd",
        "-1, RSMI_STATUS_UNKNOWN_ERROR (4294967295): words of 4294967295, rocm-smi works",
        "77, an unknown status (77): words of 77, rocm-smi works"
    })
    void aFailedInitializationIsAbsenceWithARemedy(int status, String words, String remedy) throws Exception {
        build("-DFAKE_INIT_STATUS=" + status);
        String text = whyNot(tree().gpu(0, 1, 3).files());
        assertTrue(text.contains("rsmi_init failed with " + words), text);
        assertTrue(text.contains(remedy), text);
    }

    /** With the fake, which would initialize, so that it is seen not to have been asked. */
    @Test
    void withoutCardsTheLibraryIsNotAsked() throws Exception {
        build();
        String text = whyNot(tree().files());
        assertTrue(text.contains("drm is not there, so there is no AMD GPU"), text);
        assertEquals(0, opened());
    }

    @Test
    void whatIsNotThereOrNoRocmSmiIsAbsent() throws Exception {
        library = folder.resolve("librocm_smi64.so");
        String none = whyNot(tree().files());
        assertTrue(none.contains("librocm_smi64.so is not there") && none.contains("unset PANAMARK_ROCM_SMI"), none);
        library = Path.of("libc.so.6");
        assertTrue(whyNot(tree().files()).contains("has no rsmi_init, so it is no ROCm SMI"));
    }

    /** A fake whose functions take other arguments than the library's would prove nothing. */
    @Test
    void theFakeHasTheHeadersPrototypes() throws Exception {
        String header = System.getenv().getOrDefault("ROCM_SMI_HEADER", "");
        Assumptions.assumeFalse(header.isEmpty(), "ROCM_SMI_HEADER does not name ROCm SMI's rocm_smi.h");
        build("-Werror", "-DPANAMARK_WITH_ROCM_SMI_H", "-I" + Path.of(header).resolveSibling(".."));
        assertTrue(Files.exists(library));
    }

    @Test
    void whatIsUsedIsGenerated() throws IOException {
        List<String> symbols = Files.readAllLines(Path.of("src/main/java/dev/panamark/raw/rocmsmi/symbols.txt"));
        TreeSet<String> used = new TreeSet<>(Arrays.stream(RocmSmiFunction.values())
                .map(f -> "function " + f.symbol())
                .toList());
        assertEquals(RocmSmiFunction.values().length, used.size());
        assertTrue(symbols.containsAll(used), used::toString);
    }
}
