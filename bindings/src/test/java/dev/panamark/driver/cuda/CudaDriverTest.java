package dev.panamark.driver.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.fake.FakeLibrary;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CudaDriverTest {
    private static final String BOX = """
            device h100-sxm
            device a100-sxm-80
            device rtx-4090     # three kinds in one machine
            name GeForce, renamed
            memory 8589934592
            attribute 16 64
            """;

    private static Availability.Unavailable<CudaDriver> none(Availability<CudaDriver> found) {
        return switch (found) {
            case Availability.Available<CudaDriver>(CudaDriver driver) -> fail(driver.file() + " was found");
            case Availability.Unavailable<CudaDriver> none -> none;
        };
    }

    @Test
    void theVersionIsTheDriversOwn() {
        CudaDriver driver = FakeDriver.current().start("driver 12.4\ndevice h100-sxm\n");
        assertEquals(new CudaVersion(12, 4), driver.version());
        assertEquals("12.4", driver.version().toString());
        assertEquals(FakeDriver.current().file().toString(), driver.file());
    }

    @Test
    void devicesAreDescribed() {
        CudaDriver driver = FakeDriver.current().start(BOX);
        assertEquals(3, driver.deviceCount());
        CudaDevice a100 = driver.device(1);
        // Figures of NVIDIA's data sheet of the A100 SXM4 80 GB, as the script's preset has them.
        assertEquals("NVIDIA A100-SXM4-80GB", a100.name());
        assertEquals(80L << 30, a100.totalMemory());
        assertEquals(108, a100.attribute(DeviceAttribute.MULTIPROCESSOR_COUNT));
        assertEquals(8, a100.attribute(DeviceAttribute.COMPUTE_CAPABILITY_MAJOR));
        assertEquals(0, a100.attribute(DeviceAttribute.CLUSTER_LAUNCH));
        assertEquals(163 << 10, a100.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
        CudaDevice last = driver.device(2);
        assertEquals("GeForce, renamed", last.name());
        assertEquals(8L << 30, last.totalMemory());
        assertEquals(64, last.attribute(DeviceAttribute.MULTIPROCESSOR_COUNT));
        assertFalse(last.uuid().equals(a100.uuid()));
        assertEquals("0000:21:00.0", last.pciBusId());
    }

    /** Bytes in the order of the text form: the fake's are 17 times the place, and a number of the device. */
    @Test
    void theUuidIsReadAsNvidiaWritesIt() {
        CudaDevice h100 = FakeDriver.current().start("device h100-sxm\n").device(0);
        assertEquals("8495a6b7-c8d9-eafb-0c1d-2e3f50617283", h100.uuid().toString());
    }

    @Test
    void aDeviceThatIsNotThereIsNamed() {
        CudaDriver driver = FakeDriver.current().start(BOX);
        CudaException e = assertThrows(CudaException.class, () -> driver.device(3));
        assertEquals(
                "cuDeviceGet failed with CUDA_ERROR_INVALID_DEVICE (101): there is no device of this ordinal;"
                        + " device 3 was asked for",
                e.getMessage());
    }

    /** The fake heeds ordinals in CUDA_VISIBLE_DEVICES as drivers do: others are as if they were not there. */
    @Test
    void hiddenDevicesAreNotSeen() {
        FakeDriver fake = FakeDriver.current();
        try {
            FakeLibrary.environment("CUDA_VISIBLE_DEVICES", "2,0");
            CudaDriver driver = fake.start(BOX);
            assertEquals(2, driver.deviceCount());
            assertEquals("GeForce, renamed", driver.device(0).name());
            assertEquals("NVIDIA H100 80GB HBM3", driver.device(1).name());
            FakeLibrary.environment("CUDA_VISIBLE_DEVICES", "-1");
            fake.reset(BOX);
            assertTrue(none(fake.find()).reasons().getFirst().contains("CUDA_ERROR_NO_DEVICE"));
        } finally {
            FakeLibrary.environment("CUDA_VISIBLE_DEVICES", "");
        }
    }

    @Test
    void noDeviceIsAnAbsence() {
        FakeDriver fake = FakeDriver.current();
        fake.reset("");
        Availability.Unavailable<CudaDriver> none = none(fake.find());
        assertEquals(
                List.of(fake.file() + ": cuInit failed with CUDA_ERROR_NO_DEVICE (100): there is no device"),
                none.reasons());
        assertTrue(none.remedy().contains("CUDA_VISIBLE_DEVICES"), none.remedy());
    }

    @ParameterizedTest
    @CsvSource({
        "34, CUDA_ERROR_STUB_LIBRARY, stubs",
        "46, CUDA_ERROR_DEVICE_UNAVAILABLE, compute mode",
        "802, CUDA_ERROR_SYSTEM_NOT_READY, nvidia-fabricmanager",
        "803, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, reboot",
        "804, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, cuda/compat",
        "999, CUDA_ERROR_UNKNOWN, /dev/nvidia*"
    })
    void eachFailureOfInitHasItsRemedy(int status, String name, String remedy) {
        FakeDriver fake = FakeDriver.current();
        fake.reset("device h100-sxm\nfail cuInit 1 " + status + "\n");
        Availability.Unavailable<CudaDriver> none = none(fake.find());
        assertTrue(none.reasons().getFirst().contains("cuInit failed with " + name + " (" + status + ")"), none.text());
        assertTrue(none.remedy().contains(remedy), none.remedy());
    }

    @Test
    void aFileThatIsNotThereIsTheOnlyReason(@TempDir Path folder) {
        Path file = folder.resolve("libcuda.so.1");
        Availability.Unavailable<CudaDriver> none = none(CudaDriver.find(Map.of(CudaDriver.VARIABLE, file.toString())));
        assertEquals(List.of(CudaDriver.VARIABLE + "=" + file + " is not there"), none.reasons());
        assertTrue(none.remedy().contains("unset " + CudaDriver.VARIABLE), none.remedy());
    }

    @Test
    void aFileThatIsNoLibraryIsAReason(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("libcuda.so.1"), "text");
        Availability.Unavailable<CudaDriver> none = none(CudaDriver.find(Map.of(CudaDriver.VARIABLE, file.toString())));
        assertTrue(none.reasons().getFirst().contains("file too short"), none.text());
    }

    @Test
    void anotherLibraryIsNoDriver() {
        Availability.Unavailable<CudaDriver> none = none(CudaDriver.find(Map.of(CudaDriver.VARIABLE, "libc.so.6")));
        assertTrue(none.reasons().getFirst().endsWith("libc.so.6 has no cuInit, so it is no CUDA driver"), none.text());
    }

    @Test
    void aScriptThatCannotBeReadNamesItsLine() {
        FakeDriver fake = FakeDriver.current();
        assertEquals(
                "line 2 of the script, 'device z9': no statement that fake.h describes",
                fake.problem("# machines\ndevice z9\n"));
        assertFalse(fake.problem("fail cuInit zero 1").isEmpty());
        assertFalse(fake.problem("memory 1").isEmpty(), "there is no device yet that has memory");
        assertTrue(fake.problem("kernel k params 4096").isEmpty());
        assertFalse(fake.problem("kernel k params 4096,1").isEmpty());
        assertFalse(fake.problem("kernel k params 0").isEmpty());
        assertFalse(fake.problem("kernel k params 4294967295,8").isEmpty());
        assertFalse(fake.problem("kernel k params -8").isEmpty());
    }

    @Test
    void memoryIsNotMadeLessThanIsAllocated() {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, "device h100-sxm\n");
        long used = bench.context().memoryInfo().total()
                - bench.context().memoryInfo().free();
        assertFalse(fake.more("memory " + (used - 1)).isEmpty());
        assertEquals("", fake.more("memory " + used));
        assertEquals(0, bench.context().memoryInfo().free());
    }

    @Test
    void whatIsToldLastOfAKernelHolds() {
        Bench bench = new Bench(FakeDriver.current(), "device h100-sxm\nkernel scale regs 40\nkernel scale regs 50\n");
        assertEquals(50, bench.kernel().attribute(FunctionAttribute.NUM_REGS));
    }

    /** 2^32 bytes and more of parameters, which 32 bits would count as few. */
    @Test
    void parametersBeyondTheMostAreRefused() {
        Bench bench = new Bench(FakeDriver.current(), "device h100-sxm\n");
        for (String size : List.of("4097", "4294967295", "4294967296", "18446744073709551615")) {
            byte[] image = Bench.PTX
                    .replace("scale_param_2[16]", "scale_param_2[" + size + "]")
                    .getBytes(StandardCharsets.US_ASCII);
            CudaException e =
                    assertThrows(CudaException.class, () -> bench.context().load(image), size);
            assertEquals("CUDA_ERROR_INVALID_PTX", e.name());
        }
    }

    /** The word tile2 is no use of tile, nor is my_tile. */
    @Test
    void aVariableIsUsedWhereItsWholeNameIs() {
        Bench bench = new Bench(FakeDriver.current(), "device h100-sxm\n");
        String image = Bench.PTX
                .replace(".visible .entry", ".shared .align 4 .b8 til[512];\n.visible .entry")
                .replace("ret;", "mov.u32 my_til, til2; ret;");
        CudaKernel kernel =
                bench.context().load(image.getBytes(StandardCharsets.US_ASCII)).kernel("scale");
        assertEquals(4096, kernel.attribute(FunctionAttribute.SHARED_SIZE_BYTES));
    }
}
