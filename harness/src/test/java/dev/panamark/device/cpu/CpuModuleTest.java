package dev.panamark.device.cpu;

import static dev.panamark.device.cpu.CpuTestDevice.message;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceException;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.Module;
import dev.panamark.device.Timer;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.kernel.Image;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuModuleTest {
    private static final String TWO = """
            #include <stdint.h>
            void one(void **args, const int64_t grid[3], int64_t first, int64_t last) {}
            void two(void **args, const int64_t grid[3], int64_t first, int64_t last) {}
            """;

    @TempDir
    Path folder;

    @Test
    void factsIdentifyTheCode() throws IOException {
        try (Device device = CpuTestDevice.open(folder, 1);
                Module module = CpuTestDevice.load(device, folder, TWO, "-DX=1")) {
            assertEquals(
                    Set.of("compiler", "flags", "source_sha256", "image_sha256"),
                    module.facts().keySet());
            assertEquals(device.info().facts().get("compiler"), module.facts().get("compiler"));
            assertTrue(module.facts().get("flags") instanceof List<?> flags && flags.contains("-DX=1"));
            assertEquals(
                    Sha256.of(TWO.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                    module.facts().get("source_sha256"));
            assertEquals(module.imageHash(), module.facts().get("image_sha256"));
            assertEquals(module.imageHash(), Sha256.of(object()));
        }
    }

    @Test
    void aPrebuiltObjectIsLoadedAsItIs() throws IOException {
        try (Device device = CpuTestDevice.open(folder, 1)) {
            CpuTestDevice.load(device, folder, TWO).close();
            Path prebuilt = Files.copy(object(), folder.resolve("mine.so"));
            try (Module module = device.load(new Image("cpu", prebuilt, List.of()))) {
                assertEquals(Set.of("image_sha256"), module.facts().keySet());
                assertEquals(Sha256.of(prebuilt), module.imageHash());
                MissingEntryException e = assertThrows(MissingEntryException.class, () -> module.entry("three"));
                assertEquals(prebuilt + " has no function 'three'; it has one, two", message(e));
            }
        }
    }

    @Test
    void whatCannotBeLoadedIsNamed() throws IOException {
        try (Device device = CpuTestDevice.open(folder, 1)) {
            DeviceException bad =
                    assertThrows(DeviceException.class, () -> CpuTestDevice.load(device, folder, "int f( {"));
            assertTrue(message(bad).contains(".c:1:"), message(bad));
            Path none = folder.resolve("none.so");
            assertTrue(message(
                            assertThrows(DeviceException.class, () -> device.load(new Image("cpu", none, List.of()))))
                    .contains("does not exist"));
            assertEquals(
                    "cpu:0 runs .c sources and .so shared objects, not k.cu",
                    message(assertThrows(
                            UnsupportedException.class,
                            () -> device.load(new Image("cpu", Path.of("k.cu"), List.of())))));
            assertEquals(
                    "cpu:0 runs images of backend cpu; k.c is for cuda",
                    message(assertThrows(
                            UnsupportedException.class,
                            () -> device.load(new Image("cuda", Path.of("k.c"), List.of())))));
        }
    }

    @Test
    void theTimerSeesTheWorkAndKnowsItsResolution() throws InterruptedException {
        try (Device device = CpuTestDevice.open(folder, 1)) {
            Timer timer = CpuTestDevice.timer(device);
            assertEquals("System.nanoTime", timer.clock());
            double resolution = timer.resolution();
            assertTrue(resolution >= 1e-9 && resolution < 1e-3, () -> "resolution " + resolution);
            boolean[] ran = new boolean[1];
            double seconds = timer.time(() -> {
                long end = System.nanoTime() + 3_000_000;
                while (System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
                ran[0] = true;
            });
            assertTrue(ran[0]);
            assertFalse(seconds < 3e-3, () -> "the work takes 3 ms at least, and " + seconds + " s were seen");
        }
    }

    private Path object() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("cache"))) {
            return files.filter(p -> p.toString().endsWith(".so")).findFirst().orElseThrow();
        }
    }
}
