package dev.panamark.driver.host;

import static dev.panamark.driver.host.TestCompiler.message;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class HostMemoryTest {

    @Test
    void memoryIsBoundedAlignedAndGoneWhenClosed() {
        HostMemory memory = HostMemory.map(10_001);
        MemorySegment segment = memory.segment();
        assertEquals(10_001, segment.byteSize());
        assertEquals(0, segment.address() % 4096);
        segment.set(ValueLayout.JAVA_BYTE, 10_000, (byte) 7);
        assertEquals(7, segment.get(ValueLayout.JAVA_BYTE, 10_000));
        assertThrows(IndexOutOfBoundsException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 10_001));
        memory.close();
        memory.close();
        assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void whatTheSystemRefusesIsAnErrorWithItsNumber() {
        HostLibraryException e = assertThrows(HostLibraryException.class, () -> HostMemory.map(1L << 62));
        assertTrue(message(e).startsWith("mmap of 4611686018427387904 bytes failed with errno 12"));
        assertThrows(IllegalArgumentException.class, () -> HostMemory.map(0));
    }
}
