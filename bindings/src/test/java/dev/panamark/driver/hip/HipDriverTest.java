package dev.panamark.driver.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.fake.FakeLibrary;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HipDriverTest {
    private static final String BOX = """
            device mi300x
            device mi210
            device mi355x       # three kinds in one machine
            name Instinct, renamed
            memory 8589934592
            attribute 63 64
            attribute 10017 99000
            """;

    private static Availability.Unavailable<HipDriver> none(Availability<HipDriver> found) {
        return switch (found) {
            case Availability.Available<HipDriver>(HipDriver driver) -> fail(driver.file() + " was found");
            case Availability.Unavailable<HipDriver> none -> none;
        };
    }

    @Test
    void theVersionIsTheLibrarysOwn() {
        HipDriver driver = FakeHip.current().start("driver 6.2\ndevice mi210\n");
        assertEquals(new HipVersion(6, 2), driver.version());
        assertEquals("6.2", driver.version().toString());
        assertEquals(FakeHip.current().file().toString(), driver.file());
        // As Debian's 5.2.3 was seen to tell it.
        assertEquals(new HipVersion(5, 2), HipVersion.of(50221153));
    }

    @Test
    void devicesAreDescribed() {
        HipDriver driver = FakeHip.current().start(BOX);
        assertEquals(3, driver.deviceCount());
        HipDevice mi210 = driver.device(1);
        // Figures of AMD's data sheet of the MI210, as the script's preset has them.
        assertEquals("AMD Instinct MI210", mi210.name());
        assertEquals(64L << 30, mi210.totalMemory());
        assertEquals(104, mi210.attribute(DeviceAttribute.MULTIPROCESSOR_COUNT));
        assertEquals(64, mi210.attribute(DeviceAttribute.WARP_SIZE));
        assertEquals(64 << 10, mi210.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
        assertEquals("0000:73:00.0", mi210.pciBusId());
        HipDevice last = driver.device(2);
        assertEquals("Instinct, renamed", last.name());
        assertEquals(8L << 30, last.totalMemory());
        assertEquals(64, last.attribute(DeviceAttribute.MULTIPROCESSOR_COUNT));
        assertEquals(99_000, last.attribute(DeviceAttribute.WALL_CLOCK_RATE));
        assertEquals(160 << 10, last.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK));
        assertFalse(last.uuid().equals(mi210.uuid()));
        assertTrue(mi210.uuid().matches("GPU-[0-9a-f]{16}"), mi210.uuid());
    }

    /** 6.x has two layouts of the properties, and the old one under the plain name; 5.x has only that. */
    @ParameterizedTest
    @ValueSource(ints = {50200000, 60300000, 70000000})
    void theTargetIsReadByTheLayoutOfTheRelease(int release) {
        FakeHip fake = FakeHip.ofRelease(release);
        HipDriver driver = fake.start("device mi250x-die\ndevice mi355x\n");
        assertEquals("gfx90a:sramecc+:xnack-", driver.device(0).target());
        assertEquals("gfx950", driver.device(1).processor());
        boolean current = release >= 60000000;
        assertEquals(current ? 2 : 0, fake.calls(HipFunction.GET_DEVICE_PROPERTIES_R0600));
        assertEquals(current ? 0 : 2, fake.calls(HipFunction.GET_DEVICE_PROPERTIES));
    }

    @Test
    void aDeviceThatIsNotThereIsNamed() {
        HipDriver driver = FakeHip.current().start(BOX);
        HipException e = assertThrows(HipException.class, () -> driver.device(3));
        assertEquals(
                "hipDeviceGet failed with hipErrorInvalidDevice (101): there is no device of this ordinal;"
                        + " device 3 was asked for",
                e.getMessage());
    }

    @Test
    void hiddenDevicesAreNotSeen() {
        FakeHip fake = FakeHip.current();
        try {
            FakeLibrary.environment("HIP_VISIBLE_DEVICES", "2,0");
            HipDriver driver = fake.start(BOX);
            assertEquals(2, driver.deviceCount());
            assertEquals("Instinct, renamed", driver.device(0).name());
            HipContext context = driver.device(1).open();
            context.makeCurrent();
            assertTrue(context.isCurrent());
            assertFalse(driver.device(0).open().isCurrent());
        } finally {
            FakeLibrary.environment("HIP_VISIBLE_DEVICES", "");
        }
    }

    /** A thread that has chosen no device works on the first. */
    @Test
    void theFirstDeviceIsEveryThreadsAtFirst() {
        HipDriver driver = FakeHip.current().start(BOX);
        assertTrue(driver.device(0).open().isCurrent());
    }

    @Test
    void noDeviceIsAnAbsence(@TempDir Path root) {
        FakeHip fake = FakeHip.current();
        fake.library().reset("");
        Availability.Unavailable<HipDriver> none =
                none(HipDriver.find(Map.of(HipDriver.VARIABLE, fake.file().toString()), root));
        assertEquals(
                List.of(fake.file() + ": hipInit failed with hipErrorInvalidDevice (101): there is no device of this"
                        + " ordinal"),
                none.reasons());
        assertTrue(none.remedy().startsWith("There is no /dev/kfd: load the kernel module amdgpu"), none.remedy());
    }

    @Test
    void noDeviceIsAnAbsenceInWhicheverWayItIsTold(@TempDir Path root) throws IOException {
        FakeHip fake = FakeHip.current();
        Files.createDirectories(root.resolve("dev"));
        Files.createFile(root.resolve("dev/kfd"));
        for (String call : List.of("hipInit", "hipGetDeviceCount")) {
            for (int status : new int[] {100, 101}) {
                fake.library().reset("device mi210\nfail " + call + " 1 " + status + "\n");
                Map<String, String> env =
                        Map.of(HipDriver.VARIABLE, fake.file().toString(), "ROCR_VISIBLE_DEVICES", "7");
                Availability.Unavailable<HipDriver> none = none(HipDriver.find(env, root));
                assertTrue(none.reasons().getFirst().contains(call + " failed with hipError"), none.text());
                assertTrue(none.remedy().contains("unset ROCR_VISIBLE_DEVICES=7"), none.remedy());
            }
        }
    }

    @Test
    void aDeviceFileThatMayNotBeOpenedIsToldSo(@TempDir Path root) throws IOException {
        Path kfd = Files.createFile(Files.createDirectories(root.resolve("dev")).resolve("kfd"));
        assertTrue(kfd.toFile().setReadable(false) && kfd.toFile().setWritable(false));
        Assumptions.assumeFalse(Files.isReadable(kfd), "root may open every file");
        assertTrue(DeviceRemedy.of(Map.of(), root).contains("groups render and video"));
    }

    @Test
    void withoutAnythingElseRocminfoIsAsked(@TempDir Path root) throws IOException {
        Files.createFile(Files.createDirectories(root.resolve("dev")).resolve("kfd"));
        assertTrue(DeviceRemedy.of(Map.of(), root).startsWith("Check that rocminfo lists a GPU"));
    }

    @ParameterizedTest
    @CsvSource({"35, hipErrorInsufficientDriver, kernel module", "999, hipErrorUnknown, rocminfo"})
    void eachFailureOfInitHasItsRemedy(int status, String name, String remedy) {
        FakeHip fake = FakeHip.current();
        fake.library().reset("device mi210\nfail hipInit 1 " + status + "\n");
        Availability.Unavailable<HipDriver> none = none(fake.find());
        assertTrue(
                none.reasons().getFirst().contains("hipInit failed with " + name + " (" + status + ")"), none.text());
        assertTrue(none.remedy().contains(remedy), none.remedy());
    }

    @Test
    void aFileThatIsNotThereIsTheOnlyReason(@TempDir Path folder) {
        Path file = folder.resolve("libamdhip64.so");
        Availability.Unavailable<HipDriver> none = none(HipDriver.find(Map.of(HipDriver.VARIABLE, file.toString())));
        assertEquals(List.of(HipDriver.VARIABLE + "=" + file + " is not there"), none.reasons());
        assertTrue(none.remedy().contains("unset " + HipDriver.VARIABLE), none.remedy());
    }

    @Test
    void anotherLibraryIsNoRuntime() {
        Availability.Unavailable<HipDriver> none = none(HipDriver.find(Map.of(HipDriver.VARIABLE, "libc.so.6")));
        assertTrue(
                none.reasons().getFirst().endsWith("libc.so.6 has no hipInit, so it is no HIP runtime"), none.text());
    }

    @Test
    void aScriptThatCannotBeReadNamesItsLine() {
        FakeLibrary fake = FakeHip.current().library();
        assertEquals(
                "line 2 of the script, 'device h100-sxm': no statement that fake.h describes",
                fake.problem("# machines\ndevice h100-sxm\n"));
        assertFalse(fake.problem("device mi210\nattribute 9999 1").isEmpty());
        assertFalse(fake.problem("device mi210\nhost /nowhere/kernels.so").isEmpty());
        assertFalse(fake.problem("ptx 8.4").isEmpty(), "there is no PTX here");
    }

    /** Debian's, which has been seen to end hipInit with 101 and to print nothing where there is no device. */
    @Test
    void theRealRuntimeWithoutADeviceIsAnAbsence() {
        Path library = Path.of("/usr/lib/x86_64-linux-gnu/libamdhip64.so.5");
        Assumptions.assumeTrue(Files.exists(library), "no " + library + " on this machine (libamdhip64-5 of Debian)");
        Assumptions.assumeFalse(Files.exists(Path.of("/dev/kfd")), "this machine may have a device");
        Availability.Unavailable<HipDriver> none = none(HipDriver.find(Map.of(HipDriver.VARIABLE, library.toString())));
        // Its words for a status are the status's name.
        assertEquals(
                List.of(library + ": hipInit failed with hipErrorInvalidDevice (101): hipErrorInvalidDevice"),
                none.reasons());
        assertTrue(none.remedy().startsWith("There is no /dev/kfd"), none.remedy());
    }
}
