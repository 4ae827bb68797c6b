package dev.panamark.driver.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class HipMemoryTest {
    @Test
    void whatIsUploadedComesBack() {
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X);
        MemorySegment bytes = bench.host(256);
        bench.memory().fill(0, 4096, (byte) 9);
        bench.memory().fillWords(512, 2, 0x01020304);
        bench.memory().upload(100, bytes);
        bench.memory().copy(1000, bench.memory(), 100, 256);
        MemorySegment back = Arena.ofAuto().allocate(1400);
        bench.memory().download(0, back);
        assertEquals(9, back.get(ValueLayout.JAVA_BYTE, 99));
        assertEquals(-1, back.asSlice(100, 256).mismatch(bytes));
        assertEquals(0x01020304, back.get(ValueLayout.JAVA_INT_UNALIGNED, 516));
        assertEquals(9, back.get(ValueLayout.JAVA_BYTE, 520));
        assertEquals(-1, back.asSlice(1000, 256).mismatch(bytes));
    }

    @Test
    void streamsCopyAndFillToo() {
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X);
        MemorySegment bytes = bench.host(64);
        bench.stream().fill(bench.memory(), 0, 4096, (byte) 7);
        bench.stream().fillWords(bench.memory(), 512, 2, 0x01020304);
        bench.stream().upload(bench.memory(), 0, bytes);
        bench.stream().copy(bench.memory(), 256, bench.memory(), 0, 64);
        MemorySegment back = Arena.ofAuto().allocate(1024);
        bench.stream().download(bench.memory(), 0, back);
        bench.stream().synchronize();
        assertEquals(-1, back.asSlice(0, 64).mismatch(bytes));
        assertEquals(-1, back.asSlice(256, 64).mismatch(bytes));
        assertEquals(0x01020304, back.get(ValueLayout.JAVA_INT_UNALIGNED, 516));
        assertEquals(0x07070707, back.get(ValueLayout.JAVA_INT_UNALIGNED, 520));
    }

    @Test
    void bytesBeyondAnEndAreRefusedBeforeTheLibrarySeesThem() {
        FakeHip fake = FakeHip.current();
        Bench bench = new Bench(fake, Bench.MI300X);
        IndexOutOfBoundsException e = assertThrows(
                IndexOutOfBoundsException.class, () -> bench.memory().upload(4095, bench.host(2)));
        assertEquals(
                "2 bytes from offset 4095 on of memory of 4096 bytes at 0x"
                        + Long.toHexString(bench.memory().address()),
                e.getMessage());
        assertThrows(IndexOutOfBoundsException.class, () -> bench.memory().fill(-1, 2, (byte) 0));
        assertThrows(IndexOutOfBoundsException.class, () -> bench.stream().fill(bench.memory(), 4096, 1, (byte) 0));
        assertThrows(IllegalArgumentException.class, () -> bench.memory().fillWords(2, 1, 0));
        assertEquals(0, fake.calls(HipFunction.MEMCPY_HTOD) + fake.calls(HipFunction.MEMSET_D8));
        assertThrows(IllegalArgumentException.class, () -> bench.context().allocate(0));
    }

    @Test
    void whatIsLeftIsTold() {
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X + "memory 10000\n");
        // 64 of the module's variable, 4096 of the bench's.
        assertEquals(
                new HipContext.MemoryInfo(10_000 - 64 - 4096, 10_000),
                bench.context().memoryInfo());
        HipException e = assertThrows(HipException.class, () -> bench.context().allocate(9000));
        assertEquals(
                "hipMalloc failed with hipErrorOutOfMemory (2): the memory of the device does not suffice;"
                        + " 9000 bytes were asked for",
                e.getMessage());
        assertTrue(e.isOfResources());
        assertFalse(e.isFatal());
    }

    @Test
    void closingTheContextGivesEverythingBack() {
        FakeHip fake = FakeHip.current();
        Bench bench = new Bench(fake, Bench.MI300X);
        HipHostMemory pinned = bench.context().allocateHost(64);
        bench.context().createEvent(true);
        assertTrue(fake.library().open() >= 5, "stream, module, memory, host memory and event");
        bench.close();
        assertEquals(0, fake.library().open());
        assertThrows(IllegalStateException.class, () -> pinned.segment().get(ValueLayout.JAVA_BYTE, 0));
        assertThrows(IllegalStateException.class, () -> bench.memory().address());
        assertThrows(IllegalStateException.class, () -> bench.kernel().function());
    }

    /** Another device is the thread's while something of the first is closed, and is so again afterwards. */
    @Test
    void closingLeavesTheThreadItsDevice() {
        FakeHip fake = FakeHip.current();
        HipDriver driver = fake.start("device mi210\ndevice mi300x\n");
        HipContext first = driver.device(0).open();
        first.makeCurrent();
        HipStream stream = first.createStream();
        HipContext second = driver.device(1).open();
        second.makeCurrent();
        stream.close();
        assertTrue(second.isCurrent());
        assertEquals(0, fake.library().open());
    }

    @Test
    void aVariableIsFound() {
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X);
        HipModule.Global table = bench.module().global("table");
        assertEquals(64, table.bytes());
        HipException e = assertThrows(HipException.class, () -> bench.module().global("tables"));
        assertTrue(e.isNotFound());
        assertTrue(String.valueOf(e.getMessage()).endsWith("; variable 'tables' was asked for"), e.getMessage());
    }

    @Test
    void whatIsNoCodeForTheDeviceIsRefused() {
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X);
        HipException other =
                assertThrows(HipException.class, () -> bench.context().load(BareCode.of(BareCode.GFX90A)));
        assertEquals("hipErrorNoBinaryForGpu", other.name());
        assertTrue(other.isOfImage());
        assertTrue(
                String.valueOf(other.getMessage()).endsWith("; an image of 384 bytes for HIP device 0"),
                other.getMessage());
        HipException text =
                assertThrows(HipException.class, () -> bench.context().load(new byte[] {1, 2}));
        assertEquals("hipErrorInvalidImage", text.name());
    }
}
