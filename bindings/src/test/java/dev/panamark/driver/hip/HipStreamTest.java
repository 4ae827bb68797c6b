package dev.panamark.driver.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HipStreamTest {
    /** The script gives 5,000 ns to the kernel, and each call 100 ns. */
    @Test
    void eventsTellTheTimeOfWhatIsBetween() {
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X);
        HipEvent start = bench.context().createEvent(true);
        HipEvent end = bench.context().createEvent(true);
        HipLaunch launch = bench.launch(Bench.shape(3, 64, 0));
        start.record(bench.stream());
        launch.launch();
        launch.launch();
        end.record(bench.stream());
        assertFalse(end.isReached());
        assertEquals(
                "hipErrorNotReady",
                assertThrows(HipException.class, () -> end.secondsSince(start)).name());
        end.synchronize();
        assertTrue(end.isReached());
        // The first launch was put in 100 ns after the first event; a 32-bit number of milliseconds has 7 digits.
        assertEquals(10_100e-9, end.secondsSince(start), 1e-12);
        HipEvent without = bench.context().createEvent(false);
        without.record(bench.stream());
        without.synchronize();
        assertEquals(
                400,
                assertThrows(HipException.class, () -> without.secondsSince(start))
                        .code());
    }

    @Test
    void aStreamIsDoneWhenItsWorkIs() {
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X);
        assertTrue(bench.stream().isDone());
        bench.launch(Bench.shape(1, 64, 0)).launch();
        assertFalse(bench.stream().isDone());
        bench.context().synchronize();
        assertTrue(bench.stream().isDone());
    }

    @Test
    @Timeout(60)
    void aStreamWaitsForAnEventAndForAValue() {
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X);
        HipStream other = bench.context().createStream();
        HipEvent event = bench.context().createEvent(false);
        HipHostMemory word = bench.context().allocateHost(4);
        word.segment().set(ValueLayout.JAVA_INT, 0, 0);
        other.waitForValue(word.deviceAddress(), 3);
        event.record(other);
        bench.stream().waitFor(event);
        bench.stream().fill(bench.memory(), 0, 16, (byte) 5);
        assertFalse(bench.stream().isDone());
        word.segment().set(ValueLayout.JAVA_INT, 0, 4);
        bench.stream().synchronize();
        assertTrue(other.isDone());
        bench.stream().writeValue(word.deviceAddress(), 9);
        bench.stream().synchronize();
        assertEquals(9, word.segment().get(ValueLayout.JAVA_INT, 0));
    }

    @Test
    void aGraphDoesItsWorkEachTimeItIsLaunched() {
        FakeHip fake = FakeHip.current();
        Bench bench = new Bench(fake, Bench.MI300X);
        bench.memory().fill(0, 4096, (byte) 0);
        bench.stream().beginCapture();
        bench.stream().fill(bench.memory(), 0, 16, (byte) 3);
        bench.stream().copy(bench.memory(), 64, bench.memory(), 0, 16);
        bench.launch(Bench.shape(1, 64, 0)).launch();
        HipGraph graph = bench.stream().endCapture();
        MemorySegment back = Arena.ofAuto().allocate(16);
        bench.memory().download(64, back);
        assertEquals(0, back.get(ValueLayout.JAVA_BYTE, 0), "collecting does nothing");
        HipGraphExec ready = graph.instantiate();
        graph.close();
        ready.upload(bench.stream());
        for (int i = 0; i < 2; i++) {
            bench.memory().fill(0, 4096, (byte) 0);
            ready.launch(bench.stream());
            bench.stream().synchronize();
            bench.memory().download(64, back);
            assertEquals(3, back.get(ValueLayout.JAVA_BYTE, 15));
        }
    }

    @Test
    void whatACaptureForbidsEndsIt() {
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X);
        bench.stream().beginCapture();
        assertEquals(
                "hipErrorStreamCaptureUnsupported",
                assertThrows(HipException.class, () -> bench.context().allocate(16))
                        .name());
        assertThrows(HipException.class, () -> bench.stream().synchronize());
        assertEquals(
                "hipErrorStreamCaptureInvalidated",
                assertThrows(HipException.class, () -> bench.stream().endCapture())
                        .name());
        bench.stream().synchronize();
    }

    /** Between two allocations is nobody's memory, and an address is a multiple of the word. */
    @Test
    void anAddressOfNobodyIsRefused() {
        Bench bench = new Bench(FakeHip.current(), Bench.MI300X);
        long end = bench.memory().address() + bench.memory().size();
        bench.stream().writeValue(end - 4, 1);
        for (long address : new long[] {end, end - 3, 0, 8}) {
            HipException e = assertThrows(
                    HipException.class, () -> bench.stream().writeValue(address, 1), Long.toHexString(address));
            assertEquals("hipErrorInvalidValue", e.name());
        }
    }
}
