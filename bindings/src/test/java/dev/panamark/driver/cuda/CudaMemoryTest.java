package dev.panamark.driver.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;

class CudaMemoryTest {
    private static final String H100 = "device h100-sxm\n";

    @Test
    void whatIsUploadedComesBack() {
        Bench bench = new Bench(FakeDriver.current(), H100);
        MemorySegment bytes = bench.host(256);
        bench.memory().fill(0, 4096, (byte) 9);
        bench.memory().upload(100, bytes);
        bench.memory().copy(1000, bench.memory(), 100, 256);
        MemorySegment back = bench.arena().allocate(258);
        bench.memory().download(999, back);
        assertEquals(9, back.get(ValueLayout.JAVA_BYTE, 0));
        assertEquals(-1, back.asSlice(1, 256).mismatch(bytes));
        assertEquals(9, back.get(ValueLayout.JAVA_BYTE, 257));
    }

    @Test
    void streamsCopyAndFillToo() {
        Bench bench = new Bench(FakeDriver.current(), H100);
        MemorySegment bytes = bench.host(64);
        bench.stream().fill(bench.memory(), 0, 4096, (byte) 7);
        bench.stream().fillWords(bench.memory(), 512, 2, 0x01020304);
        bench.stream().upload(bench.memory(), 0, bytes);
        bench.stream().copy(bench.memory(), 256, bench.memory(), 0, 64);
        MemorySegment back = bench.arena().allocate(1024);
        bench.stream().download(bench.memory(), 0, back);
        bench.stream().synchronize();
        assertEquals(-1, back.asSlice(0, 64).mismatch(bytes));
        assertEquals(-1, back.asSlice(256, 64).mismatch(bytes));
        assertEquals(0x01020304, back.get(ValueLayout.JAVA_INT_UNALIGNED, 512));
        assertEquals(0x01020304, back.get(ValueLayout.JAVA_INT_UNALIGNED, 516));
        assertEquals(0x07070707, back.get(ValueLayout.JAVA_INT_UNALIGNED, 520));
    }

    @Test
    void bytesBeyondAnEndAreRefusedBeforeTheDriverSeesThem() {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, H100);
        IndexOutOfBoundsException e = assertThrows(
                IndexOutOfBoundsException.class, () -> bench.memory().upload(4095, bench.host(2)));
        assertEquals(
                "2 bytes from offset 4095 on of memory of 4096 bytes at 0x"
                        + Long.toHexString(bench.memory().address()),
                e.getMessage());
        assertThrows(IndexOutOfBoundsException.class, () -> bench.memory().fill(-1, 2, (byte) 0));
        assertThrows(IllegalArgumentException.class, () -> bench.memory().fillWords(2, 1, 0));
        assertEquals(0, fake.calls(CudaFunction.MEMCPY_HTOD));
        assertEquals(0, fake.calls(CudaFunction.MEMSET_D8));
        assertThrows(IllegalArgumentException.class, () -> bench.context().allocate(0));
    }

    @Test
    void freeMemoryIsCounted() {
        Bench bench = new Bench(FakeDriver.current(), H100 + "memory 1000000\n");
        long before = bench.context().memoryInfo().free();
        CudaMemory more = bench.context().allocate(5000);
        assertEquals(before - 5000, bench.context().memoryInfo().free());
        assertEquals(1_000_000, bench.context().memoryInfo().total());
        more.close();
        more.close();
        assertEquals(before, bench.context().memoryInfo().free());
        assertEquals(1, bench.fake().calls(CudaFunction.MEM_FREE));
        IllegalStateException e = assertThrows(IllegalStateException.class, more::address);
        assertTrue(String.valueOf(e.getMessage()).endsWith("is closed"), e.getMessage());
    }

    @Test
    void hostMemoryEndsWithItsHandle() {
        Bench bench = new Bench(FakeDriver.current(), H100);
        CudaHostMemory host = bench.context().allocateHost(64);
        MemorySegment segment = host.segment();
        segment.fill((byte) 3);
        assertEquals(64, segment.byteSize());
        assertEquals(segment.address(), host.deviceAddress(), "the fake has one address for both sides");
        host.close();
        assertThrows(IllegalStateException.class, () -> segment.get(ValueLayout.JAVA_BYTE, 0));
        assertThrows(IllegalStateException.class, host::deviceAddress);
    }

    /** What runs launches maps the fake's file, in which a device address is an offset. */
    @Test
    void anAddressIsAnOffsetInTheFakesFile() throws Exception {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, H100);
        bench.memory().upload(0, bench.host(16));
        try (FileChannel file = FileChannel.open(
                        Path.of("/proc/self/fd/" + fake.memoryFile()),
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
                Arena arena = Arena.ofConfined()) {
            // Addresses of the first device end at 2^30 + 2^38; only what is touched takes room.
            MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, (1L << 30) + (1L << 38), arena);
            long address = bench.memory().address();
            assertEquals(-1, mapped.asSlice(address, 16).mismatch(bench.host(16)));
            mapped.set(ValueLayout.JAVA_BYTE, address + 3, (byte) 99);
        }
        MemorySegment back = bench.arena().allocate(16);
        bench.memory().download(0, back);
        assertEquals(99, back.get(ValueLayout.JAVA_BYTE, 3));
    }

    @Test
    void devicesHaveAddressesOfTheirOwn() {
        CudaDriver driver = FakeDriver.current().start(H100 + "device a100-sxm-80\n");
        try (CudaContext first = driver.device(0).retainPrimaryContext();
                CudaContext second = driver.device(1).retainPrimaryContext()) {
            first.makeCurrent();
            long on0 = first.allocate(16).address();
            second.makeCurrent();
            assertTrue(second.isCurrent());
            long on1 = second.allocate(16).address();
            assertNotEquals(on0, on1);
        }
    }

    @Test
    void everythingIsGivenBackOnce() {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, H100);
        bench.context().createEvent(false);
        bench.context().allocateHost(8);
        CudaMemory last = bench.context().allocate(8);
        assertEquals(8, fake.open(), "context, stream, module, its variable, memory, event, host memory, memory");
        bench.close();
        bench.close();
        assertEquals(0, fake.open());
        assertEquals(1, fake.calls(CudaFunction.DEVICE_PRIMARY_CTX_RELEASE));
        assertEquals(1, fake.calls(CudaFunction.STREAM_DESTROY));
        assertThrows(IllegalStateException.class, last::address);
        assertThrows(IllegalStateException.class, () -> bench.context().allocate(8));
        assertThrows(IllegalStateException.class, () -> bench.stream().synchronize());
        assertThrows(IllegalStateException.class, () -> bench.kernel().load());
    }

    @Test
    void aThreadWithoutTheContextIsToldSo() throws Exception {
        Bench bench = new Bench(FakeDriver.current(), H100);
        CudaException[] thrown = new CudaException[1];
        Thread other = new Thread(() -> thrown[0] =
                assertThrows(CudaException.class, () -> bench.memory().fill(0, 1, (byte) 0)));
        other.start();
        other.join();
        assertEquals("CUDA_ERROR_INVALID_CONTEXT", thrown[0].name());
    }

    @Test
    void variablesOfAModuleAreFound() {
        Bench bench = new Bench(FakeDriver.current(), H100);
        CudaModule.Global table = bench.module().global("table");
        assertEquals(64, table.bytes());
        assertTrue(table.address() >= 1L << 30, "device addresses of the fake begin at 1 GiB");
        CudaException e = assertThrows(CudaException.class, () -> bench.module().global("chair"));
        assertEquals("CUDA_ERROR_NOT_FOUND", e.name());
        assertTrue(String.valueOf(e.getMessage()).endsWith("; variable 'chair' was asked for"), e.getMessage());
    }

    @Test
    void imagesThatAreNoneAreRefused() {
        Bench bench = new Bench(FakeDriver.current(), H100);
        CudaException text = assertThrows(
                CudaException.class, () -> bench.context().load("not PTX".getBytes(StandardCharsets.US_ASCII)));
        assertEquals("CUDA_ERROR_INVALID_IMAGE", text.name());
        byte[] newer = Bench.PTX.replace("sm_80", "sm_100").getBytes(StandardCharsets.US_ASCII);
        CudaException target =
                assertThrows(CudaException.class, () -> bench.context().load(newer));
        assertTrue(target.isOfImage());
        assertTrue(
                String.valueOf(target.getMessage()).contains("for sm_100 and newer; this device is sm_90"),
                target.getMessage());
    }

    @Test
    void memoryIsGivenBackByAThreadWithAnotherContext() {
        CudaDriver driver = FakeDriver.current().start(H100 + "device a100-sxm-80\n");
        try (CudaContext first = driver.device(0).retainPrimaryContext();
                CudaContext second = driver.device(1).retainPrimaryContext()) {
            first.makeCurrent();
            long before = first.memoryInfo().free();
            CudaMemory memory = first.allocate(16);
            second.makeCurrent();
            memory.close();
            assertTrue(second.isCurrent());
            first.makeCurrent();
            assertEquals(before, first.memoryInfo().free());
        }
    }

    @Test
    void hostMemoryThatTheDriverRefusedIsGivenBackByTheNextClosing() {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, H100 + "fail cuMemFreeHost 1 1\n");
        CudaHostMemory host = bench.context().allocateHost(64);
        long open = fake.open();
        assertEquals(1, assertThrows(CudaException.class, host::close).code());
        assertEquals(open, fake.open());
        host.close();
        assertEquals(open - 1, fake.open());
        host.close();
        assertEquals(2, fake.calls(CudaFunction.MEM_FREE_HOST));
    }

    @Test
    void aTensorMapOfAClosedContextIsRefused() {
        Bench bench = new Bench(FakeDriver.current(), H100);
        TensorMap map = new TensorMap(
                TensorMap.Type.FLOAT32,
                bench.memory().address(),
                List.of(16L),
                List.of(),
                List.of(16),
                List.of(1),
                TensorMap.Swizzle.NONE,
                TensorMap.Promotion.NONE,
                false);
        assertEquals(TensorMap.BYTES, map.encode(bench.context(), bench.arena()).byteSize());
        bench.close();
        assertThrows(IllegalStateException.class, () -> map.encode(bench.context(), bench.arena()));
    }
}
