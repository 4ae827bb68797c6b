package dev.panamark.driver.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Streams, events and graphs; times are those that the script gives to kernels, on the fake's virtual clock. */
class CudaStreamTest {
    private static final String TIMED = "device h100-sxm\nduration scale 250000\nduration * 7\ncall 100\n";

    @Test
    void eventsMeasureTheWorkBetweenThem() {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, TIMED);
        CudaEvent start = bench.context().createEvent(true);
        CudaEvent end = bench.context().createEvent(true);
        CudaLaunch launch = bench.launch(Bench.shape());
        start.record(bench.stream());
        for (int i = 0; i < 4; i++) {
            launch.launch();
        }
        end.record(bench.stream());
        long before = fake.now();
        assertFalse(end.isReached());
        assertFalse(bench.stream().isDone());
        CudaException early = assertThrows(CudaException.class, () -> end.secondsSince(start));
        assertEquals("CUDA_ERROR_NOT_READY", early.name());
        end.synchronize();
        assertTrue(end.isReached());
        // Four launches of 250 us, queued one behind the other; the first begins one call of 100 ns after the event.
        // The
        // driver rounds to 24 bits.
        assertEquals(1000.1e-6, end.secondsSince(start), 1000.1e-6 / (1 << 24));
        assertTrue(fake.now() - before > 900_000, "waiting takes the time that the device needs");
        assertTrue(bench.stream().isDone());
    }

    @Test
    void anEventWithoutTimeHasNone() {
        Bench bench = new Bench(FakeDriver.current(), TIMED);
        CudaEvent start = bench.context().createEvent(false);
        CudaEvent end = bench.context().createEvent(true);
        start.record(bench.stream());
        end.record(bench.stream());
        end.synchronize();
        assertEquals(
                "CUDA_ERROR_INVALID_HANDLE",
                assertThrows(CudaException.class, () -> end.secondsSince(start)).name());
    }

    @Test
    void timesHaveTheScriptsResolution() {
        Bench bench = new Bench(FakeDriver.current(), "device h100-sxm\nduration scale 1499\ncall 0\nresolution 500\n");
        CudaEvent start = bench.context().createEvent(true);
        CudaEvent end = bench.context().createEvent(true);
        start.record(bench.stream());
        bench.launch(Bench.shape()).launch();
        end.record(bench.stream());
        end.synchronize();
        assertEquals(1e-6, end.secondsSince(start), 1e-12);
    }

    @Test
    void aStreamWaitsForTheOther() {
        Bench bench = new Bench(FakeDriver.current(), TIMED);
        CudaStream second = bench.context().createStream();
        CudaEvent start = bench.context().createEvent(true);
        CudaEvent between = bench.context().createEvent(true);
        CudaEvent end = bench.context().createEvent(true);
        start.record(second);
        bench.launch(Bench.shape()).launch();
        between.record(bench.stream());
        second.waitFor(between);
        end.record(second);
        end.synchronize();
        assertTrue(end.secondsSince(start) >= 250e-6);
        assertEquals(0, end.secondsSince(between));
    }

    /** So that a launch's own way to the device is not in what is measured. */
    @Test
    void aGateHoldsWorkBackUntilItsValueIsThere() {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, TIMED);
        CudaHostMemory gate = bench.context().allocateHost(4);
        gate.segment().set(ValueLayout.JAVA_INT, 0, 0);
        CudaEvent start = bench.context().createEvent(true);
        CudaEvent end = bench.context().createEvent(true);
        bench.stream().waitForValue(gate.deviceAddress(), 1);
        start.record(bench.stream());
        bench.launch(Bench.shape()).launch();
        end.record(bench.stream());
        fake.advance(5_000_000_000L);
        assertFalse(bench.stream().isDone());
        assertFalse(start.isReached());
        gate.segment().set(ValueLayout.JAVA_INT, 0, 1);
        end.synchronize();
        assertEquals(250e-6, end.secondsSince(start), 250e-6 / (1 << 24));
    }

    @Test
    void aStreamOpensTheGateOfTheOther() {
        Bench bench = new Bench(FakeDriver.current(), TIMED);
        CudaStream second = bench.context().createStream();
        bench.memory().fillWords(0, 1, 0);
        bench.stream().waitForValue(bench.memory().address(), 3);
        bench.stream().fill(bench.memory(), 64, 1, (byte) 8);
        assertFalse(bench.stream().isDone());
        second.writeValue(bench.memory().address(), 4);
        bench.stream().synchronize();
        assertEquals(4, word(bench, 0));
        assertEquals(8, word(bench, 64) & 0xff);
    }

    private static int word(Bench bench, long offset) {
        var word = bench.arena().allocate(ValueLayout.JAVA_INT);
        bench.memory().download(offset, word);
        return word.get(ValueLayout.JAVA_INT, 0);
    }

    @Test
    void aGraphDoesItsWorkAtEachLaunch() {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, TIMED);
        bench.memory().fillWords(0, 8, 0);
        CudaLaunch launch = bench.launch(Bench.shape());
        bench.stream().beginCapture();
        launch.launch();
        bench.stream().fillWords(bench.memory(), 16, 1, 5);
        launch.launch();
        CudaGraph graph = bench.stream().endCapture();
        assertEquals(0, word(bench, 16), "collected, not done");
        CudaGraphExec executable = graph.instantiate();
        graph.close();
        executable.upload(bench.stream());
        CudaEvent start = bench.context().createEvent(true);
        CudaEvent end = bench.context().createEvent(true);
        start.record(bench.stream());
        executable.launch(bench.stream());
        executable.launch(bench.stream());
        end.record(bench.stream());
        end.synchronize();
        assertEquals(5, word(bench, 16));
        assertTrue(end.secondsSince(start) > 4 * 250e-6, "two launches in each of two launches of the graph");
        executable.close();
        bench.close();
        assertEquals(0, fake.open());
    }

    @Test
    void collectingEndsWhereItIsWaitedFor() {
        Bench bench = new Bench(FakeDriver.current(), TIMED);
        bench.stream().beginCapture();
        CudaException e = assertThrows(CudaException.class, () -> bench.stream().synchronize());
        assertEquals("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", e.name());
        assertThrows(CudaException.class, () -> bench.context().allocate(16));
        CudaException end =
                assertThrows(CudaException.class, () -> bench.stream().endCapture());
        assertEquals("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", end.name());
        assertTrue(bench.stream().isDone());
    }

    /** The word is zero until somebody writes it; nobody does. */
    @Test
    @Timeout(60)
    void workThatWaitsGoesWithItsContext() {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, TIMED + "fault scale 1 700\n");
        bench.memory().fill(0, 4, (byte) 0);
        bench.stream().waitForValue(bench.memory().address(), 1);
        bench.launch(Bench.shape()).launch();
        bench.close();
        try (CudaContext next = bench.driver().device(0).retainPrimaryContext()) {
            next.makeCurrent();
            next.synchronize();
        }
    }

    @Test
    @Timeout(60)
    void workForHostMemoryThatIsFreedTouchesItNoMore() {
        Bench bench = new Bench(FakeDriver.current(), TIMED);
        CudaHostMemory word = bench.context().allocateHost(4096);
        word.segment().fill((byte) 0);
        bench.stream().waitForValue(word.deviceAddress(), 1);
        bench.stream().download(bench.memory(), 0, word.segment());
        assertFalse(bench.stream().isDone());
        word.close();
        bench.stream().synchronize();
        assertTrue(bench.stream().isDone());
    }

    @Test
    @Timeout(60)
    void waitingEndsWhenTheDeviceBreaks() throws Exception {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, TIMED);
        CudaEvent behind = bench.context().createEvent(false);
        bench.memory().fill(0, 4, (byte) 0);
        bench.stream().waitForValue(bench.memory().address(), 1);
        behind.record(bench.stream());
        CompletableFuture<CudaException> stream = waiting(bench, bench.stream()::synchronize);
        CompletableFuture<CudaException> event = waiting(bench, behind::synchronize);
        while (fake.calls(CudaFunction.STREAM_SYNCHRONIZE) == 0 || fake.calls(CudaFunction.EVENT_SYNCHRONIZE) == 0) {
            Thread.onSpinWait();
        }
        fake.add("fatal cuMemGetInfo 1 719\n");
        assertThrows(CudaException.class, () -> bench.context().memoryInfo());
        assertEquals(719, stream.get(30, TimeUnit.SECONDS).code());
        assertEquals(719, event.get(30, TimeUnit.SECONDS).code());
    }

    private static CompletableFuture<CudaException> waiting(Bench bench, Executable call) {
        // On a thread each: a pool may have no second one.
        return CompletableFuture.supplyAsync(
                () -> {
                    bench.context().makeCurrent();
                    return assertThrows(CudaException.class, call);
                },
                task -> Thread.ofPlatform().daemon().start(task));
    }
}
