package dev.panamark.device.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.DeviceException;
import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Power zones as Linux lays them out (Documentation/power/powercap/powercap.rst), written by tests. */
class RaplProviderTest {
    @TempDir
    Path folder;

    private SyntheticMachine machine = new SyntheticMachine(Path.of("unset"));
    private final List<PowerMeter> meters = new ArrayList<>();
    private final List<Availability.Unavailable<?>> missing = new ArrayList<>();

    @BeforeEach
    void prepare() {
        machine = new SyntheticMachine(folder);
    }

    private Path powercap() {
        return machine.roots().sys().resolve("class/powercap");
    }

    /** A zone in its real place, linked from the class folder as the kernel does. */
    private void zone(String path, String name, long microjoules, long range) throws IOException {
        String real = "devices/virtual/powercap/" + path + "/";
        machine.sys(real + "name", name + "\n")
                .sys(real + "energy_uj", microjoules + "\n")
                .sys(real + "max_energy_range_uj", range + "\n");
        Path target = machine.roots().sys().resolve(real);
        Files.createDirectories(powercap());
        Files.createSymbolicLink(powercap().resolve(target.getFileName()), target);
    }

    private void discover(Set<String> refused) {
        RaplProvider provider = new RaplProvider(machine.roots(), (info, counter) -> {
            if (refused.stream().anyMatch(z -> counter.toString().contains("/" + z + "/"))) {
                throw new AccessDeniedException(counter.toString());
            }
            return new RaplMeter(info, counter);
        });
        for (Availability<PowerMeter> a : provider.discover()) {
            switch (a) {
                case Availability.Available<PowerMeter>(PowerMeter meter) -> meters.add(meter);
                case Availability.Unavailable<PowerMeter> none -> missing.add(none);
            }
        }
    }

    private List<String> ids() {
        return meters.stream().map(m -> m.info().id()).toList();
    }

    private List<String> counted() {
        return meters.stream()
                .map(PowerMeter::info)
                .filter(i -> i.overlap().isEmpty())
                .map(MeterInfo::id)
                .toList();
    }

    private String complaint() {
        assertEquals(1, missing.size(), missing::toString);
        return missing.getFirst().text();
    }

    /** A laptop has psys around its one package, and every zone a second time by memory-mapped registers. */
    @Test
    void aLaptopsJoulesAreCountedOnce() throws Exception {
        zone("intel-rapl/intel-rapl:0", "package-0", 1_000_000, 262_143_328_850L);
        zone("intel-rapl/intel-rapl:0/intel-rapl:0:0", "core", 500_000, 262_143_328_850L);
        zone("intel-rapl/intel-rapl:0/intel-rapl:0:1", "uncore", 100_000, 262_143_328_850L);
        zone("intel-rapl/intel-rapl:1", "psys", 9_000_000, 262_143_328_850L);
        zone("intel-rapl-mmio/intel-rapl-mmio:0", "package-0", 1_000_001, 262_143_328_850L);
        discover(Set.of());
        assertEquals(List.of("rapl:package-0", "rapl:package-0/core", "rapl:package-0/uncore", "rapl:psys"), ids());
        assertEquals(List.of("rapl:package-0"), counted());
        assertTrue(missing.isEmpty(), missing::toString);
        MeterInfo core = meters.get(1).info();
        assertEquals(MeterInfo.Scope.CORES, core.scope());
        assertEquals(Optional.of("part of rapl:package-0"), core.overlap());
        assertEquals("host", meters.get(3).info().device());
        PowerMeter pkg = meters.getFirst();
        assertTrue(pkg.info().place().endsWith("/intel-rapl:0/energy_uj"), pkg.info()::place);
        assertEquals(1_000_000, pkg.read());
        assertEquals(1e-6, pkg.info().unit());
        assertEquals(OptionalLong.of(262_143_328_850L), pkg.info().range());
        assertEquals("energy counter", pkg.info().method());
    }

    /** Memory is beside the package, not in it; dies of one package are apart from each other. */
    @Test
    void aServersPackagesDiesAndMemoryAddUp() throws Exception {
        zone("intel-rapl/intel-rapl:0", "package-0-die-0", 1, 1000);
        zone("intel-rapl/intel-rapl:0/intel-rapl:0:0", "dram", 2, 1000);
        zone("intel-rapl/intel-rapl:1", "package-0-die-1", 3, 1000);
        zone("intel-rapl/intel-rapl:2", "package-1", 4, 1000);
        zone("intel-rapl/intel-rapl:2/intel-rapl:2:0", "dram", 5, 1000);
        zone("intel-rapl/intel-rapl:2/intel-rapl:2:1", "novelty", 6, 1000);
        discover(Set.of());
        assertEquals(
                List.of(
                        "rapl:package-0-die-0",
                        "rapl:package-0-die-0/dram",
                        "rapl:package-0-die-1",
                        "rapl:package-1",
                        "rapl:package-1/dram"),
                counted());
        MeterInfo novelty = meters.getLast().info();
        assertEquals(MeterInfo.Scope.OTHER, novelty.scope());
        assertEquals(Optional.of("what 'novelty' contains is not known"), novelty.overlap());
    }

    @Test
    void theOtherRoadIsTakenWhereTheFirstIsBarred() throws Exception {
        zone("intel-rapl/intel-rapl:0", "package-0", 7, 1000);
        zone("intel-rapl-mmio/intel-rapl-mmio:0", "package-0", 8, 1000);
        discover(Set.of("intel-rapl:0"));
        assertEquals(List.of("rapl:package-0"), ids());
        assertEquals(8, meters.getFirst().read());
        assertTrue(missing.isEmpty(), missing::toString);
    }

    @Test
    void thePlatformCountsWhereItIsAlone() throws Exception {
        zone("intel-rapl/intel-rapl:1", "psys", 9, 1000);
        discover(Set.of());
        assertEquals(List.of("rapl:psys"), counted());
    }

    /** Linux since 5.10 lets only root read the counters; the message holds commands that can be pasted. */
    @Test
    void noPermissionSaysExactlyWhatToDo() throws Exception {
        zone("intel-rapl/intel-rapl:0", "package-0", 7, 1000);
        zone("intel-rapl/intel-rapl:0/intel-rapl:0:0", "dram", 7, 1000);
        discover(Set.of("intel-rapl:0", "intel-rapl:0:0"));
        assertTrue(meters.isEmpty(), meters::toString);
        String text = complaint();
        assertTrue(text.contains("rapl:package-0/dram: no permission to read "), text);
        assertTrue(text.contains("sudo chmod a+r " + powercap() + "/intel-rapl:*/energy_uj "), text);
        assertTrue(text.contains(RaplProvider.UDEV_RULE), text);
    }

    /** The glob of that message, given to a shell, names the counters of all zones. */
    @Test
    void theCommandReachesEveryCounter() throws Exception {
        zone("intel-rapl/intel-rapl:0", "package-0", 7, 1000);
        zone("intel-rapl/intel-rapl:0/intel-rapl:0:0", "dram", 7, 1000);
        discover(Set.of("intel-rapl:0", "intel-rapl:0:0"));
        String command = complaint().replaceAll(".*sudo (chmod a\\+r .*?) -- .*", "$1");
        Path dram = powercap().resolve("intel-rapl:0:0/energy_uj");
        Files.setPosixFilePermissions(dram, Set.of());
        Process chmod = new ProcessBuilder("sh", "-c", command).inheritIO().start();
        assertEquals(0, chmod.waitFor(), command);
        assertEquals(3, Files.getPosixFilePermissions(dram).size(), command);
    }

    @Test
    void aRealRefusalIsSeen() throws Exception {
        zone("intel-rapl/intel-rapl:0", "package-0", 7, 1000);
        Path counter = powercap().resolve("intel-rapl:0/energy_uj");
        Files.setPosixFilePermissions(counter, Set.of());
        org.junit.jupiter.api.Assumptions.assumeFalse(
                Files.isReadable(counter), "root may read everything, so nothing refuses it a file");
        discover(Set.of());
        assertTrue(complaint().contains("no permission"), this::complaint);
    }

    @Test
    void noZonesAreAbsenceWithARemedy() throws Exception {
        discover(Set.of());
        assertTrue(complaint().contains("class/powercap is not there"), this::complaint);
        assertTrue(complaint().contains("modprobe intel_rapl_msr"), this::complaint);
        missing.clear();
        machine.sys("class/powercap/dtpm/enabled", "1\n");
        discover(Set.of());
        assertTrue(complaint().contains("no zone of intel-rapl"), this::complaint);
        missing.clear();
        machine.proc("cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor lahf_lm\n");
        discover(Set.of());
        assertTrue(complaint().contains("virtual machine"), this::complaint);
    }

    /** What Docker leaves of it: links whose targets are masked. */
    @Test
    void hiddenZonesAreNoticed() throws Exception {
        Files.createDirectories(powercap());
        Files.createSymbolicLink(powercap().resolve("intel-rapl:0"), folder.resolve("masked"));
        discover(Set.of());
        assertTrue(complaint().contains("container") && complaint().contains("systempaths"), this::complaint);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "-5\n", "12 J\n", "99999999999999999999\n"})
    void whatIsNoNumberIsNotTakenForOne(String text) throws Exception {
        zone("intel-rapl/intel-rapl:0", "package-0", 7, 1000);
        machine.sys("devices/virtual/powercap/intel-rapl/intel-rapl:0/energy_uj", text);
        discover(Set.of());
        assertTrue(meters.isEmpty());
        assertTrue(
                complaint().contains("energy_uj holds '" + text.strip() + "', not a number of microjoules"),
                this::complaint);
    }

    @Test
    void aZoneWithoutNameCounterOrRangeIsToldApart() throws Exception {
        zone("intel-rapl/intel-rapl:0", "", 7, 1000);
        zone("intel-rapl/intel-rapl:1", "package-1", 7, 0);
        zone("intel-rapl/intel-rapl:2", "package-2", 7, 1000);
        Files.delete(powercap().resolve("intel-rapl:2/energy_uj"));
        discover(Set.of());
        assertEquals(List.of("rapl:package-1"), ids());
        assertEquals(OptionalLong.empty(), meters.getFirst().info().range(), "a range of 0 is none");
        assertEquals(2, missing.size());
        assertTrue(missing.get(0).text().contains("intel-rapl:2/energy_uj is not there"), missing::toString);
        assertTrue(missing.get(1).text().contains("intel-rapl:0/name is not readable or empty"), missing::toString);
    }

    /** The file stays open, and each reading sees what is there then. */
    @Test
    void readingsFollowTheCounterAndFailInWords() throws Exception {
        zone("intel-rapl/intel-rapl:0", "package-0", 7, 1000);
        discover(Set.of());
        PowerMeter meter = meters.getFirst();
        Path counter = powercap().resolve("intel-rapl:0/energy_uj");
        Files.writeString(counter, "9223372036854775807\n");
        DeviceException large =
                assertThrows(DeviceException.class, meter::read, "2^63 - 1 J/1e6 is beyond any counter");
        assertTrue(String.valueOf(large.getMessage()).contains("'9223372036854775807'"), large::getMessage);
        Files.writeString(counter, "123456789012345678\n");
        assertEquals(123_456_789_012_345_678L, meter.read());
        Files.writeString(counter, "12a\n");
        DeviceException e = assertThrows(DeviceException.class, meter::read);
        assertTrue(String.valueOf(e.getMessage()).contains("'12a'"), e::getMessage);
        meter.close();
        assertThrows(DeviceException.class, meter::read);
    }

    @Test
    void aMeterThatCannotBeIsRefused() {
        discover(Set.of());
        assertThrows(IllegalArgumentException.class, () -> info(0, OptionalLong.empty(), 0));
        assertThrows(IllegalArgumentException.class, () -> info(1, OptionalLong.of(0), 0));
        assertThrows(IllegalArgumentException.class, () -> info(1, OptionalLong.of(1), 0.5));
    }

    private static MeterInfo info(double unit, OptionalLong range, double averaging) {
        return new MeterInfo(
                "m",
                "cpu:0",
                Optional.empty(),
                "test",
                "nowhere",
                MeterInfo.Scope.PACKAGE,
                MeterInfo.Quantity.ENERGY,
                unit,
                range,
                averaging,
                Optional.empty(),
                java.util.OptionalDouble.empty(),
                "made up");
    }
}
