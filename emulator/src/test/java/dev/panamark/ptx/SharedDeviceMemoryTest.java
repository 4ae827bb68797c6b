package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory of which somebody else hands out the addresses. */
class SharedDeviceMemoryTest {
    private static final long END = DeviceMemory.LOWEST + (1L << 20);

    @TempDir
    Path folder;

    /** Hands out 256 bytes at a time, thrice. */
    private static final class Owner implements DeviceMemory.Allocator {
        private final Map<Long, Long> given = new TreeMap<>();

        @Override
        public OptionalLong allocate(long bytes) {
            if (given.size() == 3) {
                return OptionalLong.empty();
            }
            long at = DeviceMemory.LOWEST + 4096L * given.size();
            given.put(at, at + bytes);
            return OptionalLong.of(at);
        }

        @Override
        public void free(long address) {
            if (given.remove(address) == null) {
                throw new IllegalArgumentException("not mine");
            }
        }

        @Override
        public Map<Long, Long> ranges() {
            return given;
        }
    }

    private Path file() throws IOException {
        Path file = folder.resolve("memory");
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(END);
        }
        return file;
    }

    @Test
    void addressesAndBoundsAreTheOwners() throws IOException {
        Owner owner = new Owner();
        owner.allocate(100);
        try (DeviceMemory memory = DeviceMemory.over(file(), END, owner)) {
            long first = DeviceMemory.LOWEST;
            assertArrayEquals(new long[] {first, first + 100}, memory.allocation(first + 99));
            assertEquals(0, memory.allocation(first + 100).length);
            long second = memory.allocate(64);
            assertEquals(first + 4096, second);
            assertArrayEquals(new long[] {second, second + 64}, memory.allocation(second));

            owner.allocate(8);
            assertEquals(0, memory.allocation(first + 8192).length, "not told yet");
            memory.refresh();
            assertArrayEquals(new long[] {first + 8192, first + 8200}, memory.allocation(first + 8192));
            assertThrows(OutOfDeviceMemory.class, () -> memory.allocate(1));

            memory.free(second);
            assertEquals(0, memory.allocation(second).length);
            assertThrows(IllegalArgumentException.class, () -> memory.free(second));
        }
    }

    @Test
    void namesStayWithWhatWasAllocatedUnderThem() throws IOException {
        Owner owner = new Owner();
        try (DeviceMemory memory = DeviceMemory.over(file(), END, owner)) {
            long first = memory.allocate(100, "input");
            long second = memory.allocate(64);
            memory.refresh();
            assertEquals("byte 99 of 'input' of 100 bytes", memory.within(first + 99));
            assertEquals(
                    "byte 0 of the allocation of 64 bytes at 0x" + Long.toHexString(second), memory.within(second));

            // The owner takes it back and hands other memory out in its place.
            owner.given.remove(first);
            owner.given.put(first, first + 80);
            memory.refresh();
            assertEquals("byte 0 of the allocation of 80 bytes at 0x" + Long.toHexString(first), memory.within(first));
        }
    }

    @Test
    void bytesAreThoseOfTheFile() throws IOException {
        Owner owner = new Owner();
        Path file = file();
        try (DeviceMemory memory = DeviceMemory.over(file, END, owner)) {
            long address = memory.allocate(64);
            memory.at(address, 64).set(ValueLayout.JAVA_BYTE, 5, (byte) 77);
            try (RandomAccessFile read = new RandomAccessFile(file.toFile(), "r")) {
                read.seek(address + 5);
                assertEquals(77, read.read());
            }
        }
    }

    @Test
    void aFileThatCannotBeMappedIsNamed() {
        Path none = folder.resolve("none");
        UncheckedIOException e =
                assertThrows(UncheckedIOException.class, () -> DeviceMemory.over(none, END, new Owner()));
        assertEquals("cannot map " + END + " bytes of device memory of " + none, e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> DeviceMemory.over(none, DeviceMemory.LOWEST, new Owner()));
    }
}
