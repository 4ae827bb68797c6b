package dev.panamark.device.cpu;

import static dev.panamark.device.cpu.CpuTestDevice.ONE;
import static dev.panamark.device.cpu.CpuTestDevice.message;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceBuffer;
import dev.panamark.device.Module;
import dev.panamark.device.UnsupportedException;
import dev.panamark.kernel.Argument;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuBufferTest {
    private static final String POKE = """
            #include <stdint.h>
            void poke(void **args, const int64_t grid[3], int64_t first, int64_t last) {
                uint8_t *p = *(uint8_t **) args[0];
                int64_t at = *(int64_t *) args[1], count = *(int64_t *) args[2];
                for (int64_t i = at; i < at + count; i++) p[i] = 0;
            }
            """;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 4096, 1_048_576, 1_048_577, 5_000_003})
    void whatIsUploadedComesBackWholeAndNothingMore(long size) {
        byte[] data = new byte[(int) size];
        new SplittableRandom(size).nextBytes(data);
        try (Device device = CpuTestDevice.open(folder, 3);
                DeviceBuffer buffer = device.allocate("b", size)) {
            assertEquals(size, buffer.size());
            buffer.upload(MemorySegment.ofArray(data));
            byte[] back = new byte[(int) size];
            buffer.download(MemorySegment.ofArray(back));
            assertArrayEquals(data, back);
            assertEquals(Optional.empty(), buffer.damage());

            buffer.fill((byte) 0x5a);
            buffer.download(MemorySegment.ofArray(back));
            for (byte b : back) {
                assertEquals(0x5a, b);
            }
            assertEquals(Optional.empty(), buffer.damage());
        }
    }

    @Test
    void memoryOfOneThreadIsCopiedByThatThread() {
        byte[] data = new byte[3 << 20];
        new SplittableRandom(1).nextBytes(data);
        try (Device device = CpuTestDevice.open(folder, 4);
                DeviceBuffer buffer = device.allocate("b", data.length);
                Arena confined = Arena.ofConfined()) {
            MemorySegment host = confined.allocate(data.length).copyFrom(MemorySegment.ofArray(data));
            buffer.upload(host);
            host.fill((byte) 0);
            buffer.download(host);
            assertArrayEquals(data, host.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
        }
    }

    /** The kernel writes zeros, which the pattern has none of. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0    | 1003 | ",
                "1003 | 1    | 1 byte past its end, the first at +0",
                "1007 | 12   | 12 bytes past its end, the first at +4",
                "-4   | 4    | 4 bytes before its start, the last at -1",
                "-96  | 32   | 32 bytes before its start, the last at -65",
                "-2   | 1006 | 2 bytes before its start, the last at -1; 1 byte past its end, the first at +0",
                "5098 | 1    | 1 byte past its end, the first at +4095"
            })
    void writesPastEitherEndAreCountedAndPlaced(long at, long count, String damage) throws IOException {
        try (Device device = CpuTestDevice.open(folder, 2);
                Module module = CpuTestDevice.load(device, folder, POKE);
                DeviceBuffer buffer = device.allocate("b", 1003)) {
            module.entry("poke")
                    .bind(
                            List.of(
                                    new Argument.BufferAddress("b"),
                                    new Argument.Scalar("i64", at, 8),
                                    new Argument.Scalar("i64", count, 8)),
                            Map.of("b", buffer))
                    .launch(ONE, ONE, 0);
            assertEquals(Optional.ofNullable(damage), buffer.damage());
        }
    }

    @Test
    void bufferBeyondTheMachinesMemoryIsRefusedBeforeItIsMapped() throws IOException {
        SyntheticMachine machine = new SyntheticMachine(folder.resolve("machine"));
        machine.proc("meminfo", "MemTotal: 4000 kB\nMemAvailable: 1000 kB\n");
        try (Device device = CpuTestDevice.open(folder, 1, machine.roots());
                DeviceBuffer other = device.allocate("other", 1)) {
            DeviceBuffer first = device.allocate("first", 599_999);
            assertEquals(1, other.size());
            assertEquals(599_999, first.size());
            UnsupportedException e = assertThrows(UnsupportedException.class, () -> device.allocate("second", 600_000));
            // 1000 KiB less the first two.
            assertEquals(
                    "buffer 'second' takes 600000 bytes, and cpu:0 has 424000 bytes of memory left; "
                            + "choose a smaller problem or free memory",
                    message(e));
            first.close();
            DeviceBuffer second = device.allocate("second", 600_000);
            assertEquals(600_000, second.size());
            second.close();
            assertThrows(UnsupportedException.class, () -> device.allocate("huge", Long.MAX_VALUE));
        }
    }

    @Test
    void wrongSizesAndClosedBuffersAreNamed() {
        try (Device device = CpuTestDevice.open(folder, 1)) {
            assertThrows(IllegalArgumentException.class, () -> device.allocate("b", 0));
            DeviceBuffer buffer = device.allocate("b", 8);
            assertEquals(
                    "upload of buffer 'b': expected host memory of at least 8 bytes, not 7",
                    message(assertThrows(
                            IllegalArgumentException.class, () -> buffer.upload(MemorySegment.ofArray(new byte[7])))));
            buffer.close();
            buffer.close();
            assertEquals(
                    "buffer 'b' is closed",
                    message(assertThrows(IllegalStateException.class, () -> buffer.fill((byte) 0))));
        }
    }

    @Test
    void aClosedDeviceIsNotUsed() throws IOException {
        Device device = CpuTestDevice.open(folder, 2);
        device.close();
        assertThrows(IllegalStateException.class, () -> device.allocate("b", 8));
        assertThrows(IllegalStateException.class, device::synchronize);
        assertTrue(Files.notExists(folder.resolve("cache")), "nothing was compiled");
    }
}
