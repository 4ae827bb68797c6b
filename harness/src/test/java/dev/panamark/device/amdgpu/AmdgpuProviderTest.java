package dev.panamark.device.amdgpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.amd.AmdTree;
import dev.panamark.amd.AmdTree.Gpu;
import dev.panamark.amd.AmdTree.Model;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.MeterInfo;
import dev.panamark.device.MeterInfo.Scope;
import dev.panamark.device.PowerMeter;
import dev.panamark.driver.rocmsmi.RocmSmi;
import dev.panamark.ffi.Availability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernel's files of AMD GPUs, written by tests; those of gpu_metrics field by field from the kernel's header. */
class AmdgpuProviderTest {
    @TempDir
    Path folder;

    private AmdTree tree = new AmdTree(Path.of("unset"));
    private final List<PowerMeter> meters = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();

    @BeforeEach
    void prepare() {
        tree = new AmdTree(folder.resolve("sys"));
    }

    @AfterEach
    void close() {
        meters.forEach(PowerMeter::close);
    }

    private void discover() {
        discover(Map.of());
    }

    private void discover(Map<String, String> env) {
        for (Availability<PowerMeter> a : new AmdgpuProvider(env, tree.sys()).discover()) {
            switch (a) {
                case Availability.Available<PowerMeter>(PowerMeter meter) -> meters.add(meter);
                case Availability.Unavailable<PowerMeter> none -> missing.add(none.text());
            }
        }
    }

    private List<String> ids() {
        return meters.stream().map(m -> m.info().id()).toList();
    }

    private List<Scope> scopes() {
        return meters.stream().map(m -> m.info().scope()).toList();
    }

    private String complaint() {
        assertEquals(1, missing.size(), missing::toString);
        return missing.getFirst();
    }

    private static String message(PowerMeter meter) {
        return String.valueOf(assertThrows(DeviceException.class, meter::read).getMessage());
    }

    private static DeviceInfo device(String uuid, String pci) {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        facts.put("pci", pci);
        return new DeviceInfo("hip:0", "hip", "", uuid, new LinkedHashMap<>(), facts);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1", "1.2", "1.3", "1.4", "1.5", "1.6 first", "1.6", "1.7", "1.8"})
    void everyKnownRevisionGivesTheCounter(String revision) throws Exception {
        tree.gpu(Model.MI300X, 0xc1, revision);
        discover();
        assertEquals(List.of("amdgpu:0", "amdgpu:0/power"), ids(), missing::toString);
        assertEquals(List.of(), missing);
        PowerMeter counter = meters.getFirst();
        MeterInfo info = counter.info();
        assertEquals(AmdTree.COUNTS, counter.read());
        assertEquals(1.0 / 65536, info.unit(), "15.259 uJ, and not the library's 15.3");
        assertEquals(MeterInfo.Quantity.ENERGY, info.quantity());
        assertEquals(OptionalLong.empty(), info.range());
        assertEquals(Scope.SOCKET, info.scope());
        assertEquals("amd:0", info.device());
        assertEquals(Optional.of("GPU-a1b2c3d4e5f607c1"), info.uuid());
        assertTrue(
                info.place()
                        .endsWith("card0/device/gpu_metrics (revision " + revision.substring(0, 3)
                                + ") of AMD Instinct MI300X at 0000:c1:00.0"),
                info::place);
        PowerMeter sensor = meters.getLast();
        assertEquals(612_000_000, sensor.read());
        assertEquals(1e-6, sensor.info().unit());
        assertEquals(Optional.of("amdgpu:0"), sensor.checks());
        assertTrue(sensor.info().overlap().isPresent(), "the counter has these joules");
    }

    /** MI200 tells an average, MI300 the present. */
    @ParameterizedTest
    @CsvSource({"MI210, 1.3, 203000000, average, 1", "MI300X, 1.4, 612000000, current, 0"})
    void theKindOfPowerIsTold(Model model, String revision, long microwatts, String kind, double averaging)
            throws Exception {
        tree.gpu(model, 0x83, revision);
        discover();
        MeterInfo info = meters.getLast().info();
        assertEquals(microwatts, meters.getLast().read());
        assertTrue(info.place().contains("(" + kind + " socket power)"), info::place);
        assertEquals(averaging, info.averaging());
    }

    @ParameterizedTest
    @CsvSource({"1.1, average, 1", "1.3, average, 1", "1.4, current, 0", "1.5, current, 0", "1.8, current, 0"})
    void withoutASensorPowerIsThatOfTheMetrics(String revision, String kind, double averaging) throws Exception {
        Gpu gpu = tree.gpu(Model.MI300X, 0xc1, revision);
        gpu.without(gpu.powerFile());
        discover();
        assertEquals(List.of("amdgpu:0", "amdgpu:0/power"), ids());
        PowerMeter sensor = meters.getLast();
        assertEquals(612, sensor.read());
        assertEquals(1, sensor.info().unit());
        assertEquals(averaging, sensor.info().averaging());
        assertTrue(sensor.info().place().contains("gpu_metrics (" + kind + " socket power)"), sensor.info()::place);
    }

    /** The kernel's header: 1.0 is not aligned, 1.9 a list of attributes, formats 2 and 3 are of APUs and without energy. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.0 | revision 1.0 is not one of 1.1 to 1.8",
                "1.9 | revision 1.9 is not one of 1.1 to 1.8",
                "2.2 | revision 2.2 is an APU's, which holds no counter of energy"
            })
    void whatIsNotKnownIsNotGuessed(String revision, String why) throws Exception {
        tree.gpu(Model.MI300X, 0xc1, revision);
        discover();
        assertEquals(List.of("amdgpu:0/power"), ids());
        assertTrue(meters.getFirst().info().overlap().isEmpty(), "it is all there is, so it counts");
        assertTrue(complaint().contains("amdgpu:0: its gpu_metrics of " + why), this::complaint);
        assertTrue(complaint().contains("Its power is integrated instead"), this::complaint);
    }

    /** Two layouts have the revision 1.6; a third would have a size of its own. */
    @Test
    void anotherSizeIsAnotherLayout() throws Exception {
        Gpu gpu = tree.gpu(Model.MI300X, 0xc1, "1.6");
        Path file = gpu.folder().resolve("gpu_metrics");
        byte[] bytes = Files.readAllBytes(file);
        bytes[0]++;
        Files.write(file, bytes);
        discover();
        assertTrue(
                complaint().contains("revision 1.6 is 1665 bytes long, and known is one of 384 or 1664"),
                this::complaint);
    }

    @Test
    void whatIsNotAvailableIsNoFigure() throws Exception {
        Gpu gpu = tree.gpu(Model.MI300X, 0xc1, "1.4");
        gpu.without(gpu.powerFile()).metrics(-1, 0xffff);
        discover();
        assertEquals(List.of(), ids());
        assertTrue(complaint().contains("has all bits of energy_accumulator set"), this::complaint);
        assertTrue(complaint().contains("has all bits of its socket power set"), this::complaint);
        assertTrue(complaint().contains("Energy of this GPU cannot be metered"), this::complaint);
    }

    /** A counter that becomes unavailable, another, or short while it is read. */
    @Test
    void readingsFailInWords() throws Exception {
        Gpu gpu = tree.gpu(Model.MI300X, 0xc1, "1.4");
        discover();
        PowerMeter counter = meters.getFirst();
        gpu.metrics(AmdTree.COUNTS + 65536, 612);
        assertEquals(AmdTree.COUNTS + 65536, counter.read(), "the file is read anew each time");
        gpu.metrics(-1, 612);
        assertTrue(message(counter).contains("AMD's \"not available\""));
        gpu.metrics(Long.MIN_VALUE, 612);
        assertTrue(message(counter).contains("energy_accumulator of 9223372036854775808, which is beyond any"));
        Path file = gpu.folder().resolve("gpu_metrics");
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, 20));
        assertTrue(message(counter).contains("gave 20 bytes, and 32 are the least that is needed"));
        bytes[3] = 5;
        Files.write(file, bytes);
        assertTrue(message(counter).contains("has become of another revision"));
        counter.close();
        assertTrue(message(counter).contains("cannot be read"));
    }

    /** aldebaran_ppt.c: the second die's power and energy are 0, in newer drivers its power is not there. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theSecondDieOfAPackageIsCarriedByTheFirst(boolean newer) throws Exception {
        tree.gpu(Model.MI250X, 0xc1, "1.3");
        Gpu second = tree.gpu(Model.MI250X, 0xc6, "1.3").metrics(0, 0).power(0);
        if (newer) {
            second.without(second.powerFile());
        }
        discover();
        assertEquals(List.of("amdgpu:0", "amdgpu:0/power"), ids());
        assertEquals(List.of(Scope.WHOLE_DEVICE, Scope.WHOLE_DEVICE), scopes(), "of both dies");
        assertTrue(complaint().contains("AMD Instinct MI250X at 0000:c6:00.0 shows 0 J"), this::complaint);
        assertTrue(complaint().contains("the first carries the power and energy of both"), this::complaint);
        assertFalse(meters.getFirst().isOf(device("GPU-a1b2c3d4e5f607c1", "0000:c1:00.0")), "a die is a part");
    }

    @Test
    void partitionsHaveTheWholeGpusMeters() throws Exception {
        tree.gpu(Model.MI300X, 0xc1, "1.8")
                .with("current_compute_partition", "CPX")
                .with("current_memory_partition", "NPS4");
        for (int i = 1; i < 8; i++) {
            tree.partition(i);
        }
        discover();
        assertEquals(List.of("amdgpu:0", "amdgpu:0/power"), ids());
        assertEquals(List.of(Scope.WHOLE_DEVICE, Scope.WHOLE_DEVICE), scopes());
        assertTrue(
                complaint().startsWith("card1, card2, card3, card4, card5, card6, card7: partitions of a GPU"),
                this::complaint);
        assertEquals("CPX", meters.getFirst().facts().get("compute_partition"));
        assertEquals("NPS4", meters.getFirst().facts().get("memory_partition"));
        assertFalse(meters.getFirst().isOf(device("GPU-a1b2c3d4e5f607c1", "0000:c1:00.0")), "nobody has it alone");
    }

    @Test
    void anUndividedGpuIsADevicesOwn() throws Exception {
        Gpu gpu = tree.gpu(Model.MI300X, 0xc1, "1.4").with("current_compute_partition", "SPX");
        discover();
        PowerMeter counter = meters.getFirst();
        assertEquals(Scope.SOCKET, counter.info().scope());
        assertTrue(counter.isOf(device("GPU-a1b2c3d4e5f607c1", "elsewhere")), "by the unique id");
        assertTrue(counter.isOf(device("pci-0000:c1:00.0", "0000:c1:00.0")), "by its place, where HIP knows no id");
        assertFalse(counter.isOf(device("GPU-a1b2c3d4e5f607c2", "0000:c2:00.0")));
        assertEquals(
                "{power_limit=750.0 W, temperature=edge 41.0 \u00b0C, junction 52.5 \u00b0C, mem 45.0 \u00b0C,"
                        + " compute_partition=SPX}",
                counter.facts().toString());
        assertEquals(Map.of(), meters.getLast().facts(), "told once");
        gpu.without("unique_id");
        meters.forEach(PowerMeter::close);
        meters.clear();
        discover();
        assertEquals(Optional.of("pci-0000:c1:00.0"), meters.getFirst().info().uuid());
    }

    @Test
    void gpusAreNumberedByTheBusAndOthersLeftOut() throws Exception {
        tree.gpu(Model.MI300X, 0xc1, "1.4");
        tree.gpu(Model.MI210, 0x03, "1.3");
        tree.gpu(Model.MI300X, 0x83, "1.4").with("vendor", "0x10de");
        discover();
        assertEquals(List.of("amdgpu:0", "amdgpu:0/power", "amdgpu:1", "amdgpu:1/power"), ids());
        assertTrue(meters.get(0).info().place().contains("MI210 at 0000:03:00.0"));
        assertTrue(meters.get(2).info().place().contains("MI300X at 0000:c1:00.0"));
    }

    /** What each file is needed for. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "product_name            | amdgpu:0, amdgpu:0/power |",
                "unique_id               | amdgpu:0, amdgpu:0/power |",
                "device                  | amdgpu:0, amdgpu:0/power |",
                "vbios_version           | amdgpu:0, amdgpu:0/power |",
                "hwmon/hwmon0/power1_cap | amdgpu:0, amdgpu:0/power |",
                "hwmon/hwmon0/temp2_input| amdgpu:0, amdgpu:0/power |",
                "hwmon/hwmon0/name       | amdgpu:0, amdgpu:0/power |",
                "gpu_metrics             | amdgpu:0/power           | gpu_metrics is not there",
                "vendor                  |                          |"
            })
    void filesMayBeMissing(String file, String found, String why) throws Exception {
        tree.gpu(Model.MI300X, 0xc1, "1.4").without(file);
        discover();
        assertEquals(found == null ? "" : found, String.join(", ", ids()));
        assertEquals(why == null ? 0 : 1, missing.size(), missing::toString);
        if (why != null) {
            assertTrue(complaint().contains(why), this::complaint);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-5", "612 W", "99999999999999999999"})
    void whatIsNoNumberIsNotTakenForOne(String text) throws Exception {
        Gpu gpu = tree.gpu(Model.MI300X, 0xc1, "1.9");
        gpu.with(gpu.powerFile(), text);
        discover();
        assertEquals(List.of(), ids());
        assertTrue(
                complaint().contains("power1_input holds '" + text + "', not a number of microwatts"), this::complaint);
    }

    @Test
    void withoutAGpuThereIsNothingToSayButWhereOneIsExpected() throws Exception {
        discover();
        assertEquals(List.of(), missing);
        discover(Map.of(RocmSmi.VARIABLE, "/opt/rocm/lib/librocm_smi64.so"));
        assertTrue(complaint().contains("class/drm shows no AMD GPU"), this::complaint);
        missing.clear();
        Files.createDirectories(tree.sys().resolve("module/amdgpu"));
        discover();
        assertTrue(complaint().contains("modprobe amdgpu"), this::complaint);
    }
}
