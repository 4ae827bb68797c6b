package dev.panamark.driver.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.ffi.Availability;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every function that is wrapped, failing in every way that a script can make it fail. */
class CudaFaultTest {
    /** What reaches each function. */
    private static final Map<CudaFunction, Consumer<Bench>> ACTIONS = actions();

    /** Their statuses become something else: whether there is a driver, and the words of other statuses. */
    private static final Set<CudaFunction> APART =
            EnumSet.of(CudaFunction.INIT, CudaFunction.GET_ERROR_NAME, CudaFunction.GET_ERROR_STRING);

    private static final String H100 = "device h100-sxm\n";

    private static Map<CudaFunction, Consumer<Bench>> actions() {
        Map<CudaFunction, Consumer<Bench>> all = new EnumMap<>(CudaFunction.class);
        all.put(CudaFunction.DRIVER_GET_VERSION, b -> b.driver().version());
        all.put(CudaFunction.DEVICE_GET_COUNT, b -> b.driver().deviceCount());
        all.put(CudaFunction.DEVICE_GET, b -> b.driver().device(0));
        all.put(CudaFunction.DEVICE_GET_NAME, b -> b.context().device().name());
        all.put(CudaFunction.DEVICE_GET_UUID, b -> b.context().device().uuid());
        all.put(
                CudaFunction.DEVICE_GET_ATTRIBUTE,
                b -> b.context().device().attribute(DeviceAttribute.MULTIPROCESSOR_COUNT));
        all.put(CudaFunction.DEVICE_TOTAL_MEM, b -> b.context().device().totalMemory());
        all.put(CudaFunction.DEVICE_GET_PCI_BUS_ID, b -> b.context().device().pciBusId());
        all.put(
                CudaFunction.DEVICE_PRIMARY_CTX_RETAIN,
                b -> b.context().device().retainPrimaryContext().close());
        all.put(CudaFunction.DEVICE_PRIMARY_CTX_RELEASE, b -> b.context().close());
        all.put(CudaFunction.DEVICE_PRIMARY_CTX_RESET, b -> b.context().device().resetPrimaryContext());
        all.put(CudaFunction.CTX_SET_CURRENT, b -> b.context().makeCurrent());
        all.put(CudaFunction.CTX_GET_CURRENT, b -> b.context().isCurrent());
        all.put(CudaFunction.CTX_SYNCHRONIZE, b -> b.context().synchronize());
        all.put(CudaFunction.MODULE_LOAD_DATA_EX, b -> b.context().load(Bench.PTX.getBytes(StandardCharsets.US_ASCII)));
        all.put(CudaFunction.MODULE_UNLOAD, b -> b.module().close());
        all.put(CudaFunction.MODULE_GET_FUNCTION, b -> b.module().kernel("scale"));
        all.put(CudaFunction.MODULE_GET_GLOBAL, b -> b.module().global("table"));
        all.put(CudaFunction.FUNC_GET_ATTRIBUTE, b -> b.kernel().attribute(FunctionAttribute.NUM_REGS));
        all.put(
                CudaFunction.FUNC_SET_ATTRIBUTE,
                b -> b.kernel().setAttribute(FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 100_000));
        all.put(CudaFunction.FUNC_LOAD, b -> b.kernel().load());
        all.put(CudaFunction.FUNC_GET_PARAM_INFO, b -> b.kernel().parameter(0));
        all.put(CudaFunction.OCCUPANCY_MAX_ACTIVE_BLOCKS, b -> b.kernel().maxActiveBlocks(64, 0));
        all.put(CudaFunction.OCCUPANCY_MAX_ACTIVE_CLUSTERS, b -> b.kernel().maxActiveClusters(Bench.clusters()));
        all.put(
                CudaFunction.OCCUPANCY_MAX_POTENTIAL_CLUSTER_SIZE,
                b -> b.kernel().maxClusterSize(Bench.shape()));
        all.put(CudaFunction.MEM_GET_INFO, b -> b.context().memoryInfo());
        all.put(CudaFunction.MEM_ALLOC, b -> b.context().allocate(16));
        all.put(CudaFunction.MEM_FREE, b -> b.memory().close());
        all.put(CudaFunction.MEM_HOST_ALLOC, b -> b.context().allocateHost(16));
        all.put(CudaFunction.MEM_FREE_HOST, b -> b.context().allocateHost(16).close());
        all.put(
                CudaFunction.MEM_HOST_GET_DEVICE_POINTER,
                b -> b.context().allocateHost(16).deviceAddress());
        all.put(CudaFunction.MEMCPY_HTOD, b -> b.memory().upload(0, b.host(16)));
        all.put(CudaFunction.MEMCPY_DTOH, b -> b.memory().download(0, b.host(16)));
        all.put(CudaFunction.MEMCPY_DTOD, b -> b.memory().copy(0, b.memory(), 64, 16));
        all.put(CudaFunction.MEMCPY_HTOD_ASYNC, b -> b.stream().upload(b.memory(), 0, b.host(16)));
        all.put(CudaFunction.MEMCPY_DTOH_ASYNC, b -> b.stream().download(b.memory(), 0, b.host(16)));
        all.put(CudaFunction.MEMCPY_DTOD_ASYNC, b -> b.stream().copy(b.memory(), 0, b.memory(), 64, 16));
        all.put(CudaFunction.MEMSET_D8, b -> b.memory().fill(0, 16, (byte) 1));
        all.put(CudaFunction.MEMSET_D32, b -> b.memory().fillWords(0, 4, 1));
        all.put(CudaFunction.MEMSET_D8_ASYNC, b -> b.stream().fill(b.memory(), 0, 16, (byte) 1));
        all.put(CudaFunction.MEMSET_D32_ASYNC, b -> b.stream().fillWords(b.memory(), 0, 4, 1));
        all.put(CudaFunction.STREAM_CREATE, b -> b.context().createStream());
        all.put(CudaFunction.STREAM_DESTROY, b -> b.stream().close());
        all.put(CudaFunction.STREAM_QUERY, b -> b.stream().isDone());
        all.put(CudaFunction.STREAM_SYNCHRONIZE, b -> b.stream().synchronize());
        all.put(
                CudaFunction.STREAM_WAIT_EVENT,
                b -> b.stream().waitFor(b.context().createEvent(true)));
        all.put(CudaFunction.STREAM_WAIT_VALUE_32, b -> {
            b.memory().fillWords(0, 1, 5);
            b.stream().waitForValue(b.memory().address(), 5);
        });
        all.put(
                CudaFunction.STREAM_WRITE_VALUE_32,
                b -> b.stream().writeValue(b.memory().address(), 5));
        all.put(CudaFunction.STREAM_BEGIN_CAPTURE, b -> b.stream().beginCapture());
        all.put(CudaFunction.STREAM_END_CAPTURE, CudaFaultTest::graph);
        all.put(CudaFunction.EVENT_CREATE, b -> b.context().createEvent(true));
        all.put(CudaFunction.EVENT_RECORD, b -> b.context().createEvent(true).record(b.stream()));
        all.put(CudaFunction.EVENT_QUERY, b -> b.context().createEvent(true).isReached());
        all.put(
                CudaFunction.EVENT_SYNCHRONIZE,
                b -> b.context().createEvent(true).synchronize());
        all.put(CudaFunction.EVENT_ELAPSED_TIME, b -> {
            CudaEvent event = b.context().createEvent(true);
            event.record(b.stream());
            event.synchronize();
            event.secondsSince(event);
        });
        all.put(CudaFunction.EVENT_DESTROY, b -> b.context().createEvent(true).close());
        all.put(CudaFunction.GRAPH_INSTANTIATE, b -> graph(b).instantiate());
        all.put(CudaFunction.GRAPH_UPLOAD, b -> graph(b).instantiate().upload(b.stream()));
        all.put(CudaFunction.GRAPH_LAUNCH, b -> graph(b).instantiate().launch(b.stream()));
        all.put(CudaFunction.GRAPH_EXEC_DESTROY, b -> graph(b).instantiate().close());
        all.put(CudaFunction.GRAPH_DESTROY, b -> graph(b).close());
        all.put(CudaFunction.LAUNCH_KERNEL, b -> b.launch(Bench.shape()).launch());
        all.put(CudaFunction.LAUNCH_KERNEL_EX, b -> b.launch(Bench.clusters()).launch());
        all.put(
                CudaFunction.LAUNCH_COOPERATIVE_KERNEL,
                b -> b.launch(Bench.cooperative()).launch());
        all.put(CudaFunction.TENSOR_MAP_ENCODE_TILED, b -> map(b).encode(b.context(), b.arena()));
        return all;
    }

    private static Consumer<Bench> action(CudaFunction function) {
        return Objects.requireNonNull(ACTIONS.get(function));
    }

    private static CudaGraph graph(Bench b) {
        b.stream().beginCapture();
        b.stream().fill(b.memory(), 0, 16, (byte) 3);
        return b.stream().endCapture();
    }

    static TensorMap map(Bench b) {
        return new TensorMap(
                TensorMap.Type.FLOAT16,
                b.memory().address(),
                List.of(64L, 16L),
                List.of(128L),
                List.of(64, 8),
                List.of(1, 1),
                TensorMap.Swizzle.B128,
                TensorMap.Promotion.NONE,
                false);
    }

    @Test
    void everyFunctionIsTried() {
        Set<CudaFunction> tried = EnumSet.copyOf(ACTIONS.keySet());
        tried.addAll(APART);
        assertEquals(EnumSet.allOf(CudaFunction.class), tried);
    }

    static Stream<Arguments> failures() {
        // The name and value are those of cuda.h.
        Map<Integer, String> statuses =
                Map.of(2, "CUDA_ERROR_OUT_OF_MEMORY", 201, "CUDA_ERROR_INVALID_CONTEXT", 999, "CUDA_ERROR_UNKNOWN");
        return ACTIONS.keySet().stream()
                .flatMap(f -> statuses.entrySet().stream().map(s -> Arguments.of(f, s.getKey(), s.getValue())));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aStatusNamesItsCall(CudaFunction function, int status, String name) {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, H100);
        Consumer<Bench> action = action(function);
        fail(fake, function, "fail", status);
        CudaException e = assertThrows(CudaException.class, () -> action.accept(bench));
        assertEquals(function.documented(), e.call());
        assertEquals(status, e.code());
        assertEquals(name, e.name());
        assertFalse(e.driverText().isEmpty());
        String message = String.valueOf(e.getMessage());
        assertTrue(
                message.startsWith(
                        function.documented() + " failed with " + name + " (" + status + "): " + e.driverText()),
                message);
    }

    /** The next call of the function, under whichever of its names it is made. */
    private static void fail(FakeDriver fake, CudaFunction function, String verb, int status) {
        long next = fake.calls(function) + 1;
        function.symbols().forEach(s -> fake.add(verb + " " + s + " " + next + " " + status + "\n"));
    }

    static Set<CudaFunction> reached() {
        return ACTIONS.keySet();
    }

    @ParameterizedTest
    @MethodSource("reached")
    void withoutAFaultItIsCalledAndSucceeds(CudaFunction function) {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, H100);
        long before = fake.calls(function);
        action(function).accept(bench);
        assertEquals(before + 1, fake.calls(function));
        assertEquals(0, fake.oldAbiCalls());
    }

    /** What cannot be reached without it either. */
    private static final Set<CudaFunction> OF_EXECUTABLE_GRAPHS =
            EnumSet.of(CudaFunction.GRAPH_UPLOAD, CudaFunction.GRAPH_LAUNCH, CudaFunction.GRAPH_EXEC_DESTROY);

    /** A driver of CUDA 11.2 stands for all that lack something; which functions came later is in cudaTypedefs.h. */
    @ParameterizedTest
    @MethodSource("reached")
    void anOldDriverLacksOnlyWhatCameLater(CudaFunction function) {
        FakeDriver fake = FakeDriver.ofRelease(11020);
        Bench bench = new Bench(fake, H100);
        CudaFunction needed = OF_EXECUTABLE_GRAPHS.contains(function) ? CudaFunction.GRAPH_INSTANTIATE : function;
        boolean there = needed.since().compareTo(new CudaVersion(11, 2)) <= 0;
        Availability<CudaFunction> has = bench.driver().has(needed);
        if (there) {
            assertEquals(Availability.of(needed), has);
            action(function).accept(bench);
            assertTrue(fake.calls(function) > 0);
            return;
        }
        String expected = "the CUDA driver 11.2 (" + fake.file() + ") has no " + needed.documented()
                + ", which came with CUDA " + needed.since();
        MissingCudaFunctionException e = assertThrows(
                MissingCudaFunctionException.class, () -> action(function).accept(bench));
        assertEquals(expected, e.getMessage());
        assertEquals(needed, e.function());
        assertEquals(
                new Availability.Unavailable<CudaFunction>(
                        List.of(expected), "Install a driver of CUDA " + needed.since() + " or newer"),
                has);
    }

    @ParameterizedTest
    @MethodSource("reached")
    void aBrokenContextFailsWhateverNeedsIt(CudaFunction function) {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, H100);
        fail(fake, CudaFunction.STREAM_QUERY, "fatal", 700);
        CudaException first =
                assertThrows(CudaException.class, () -> bench.stream().isDone());
        assertTrue(first.isFatal());
        assertEquals("CUDA_ERROR_ILLEGAL_ADDRESS", first.name());
        boolean asksTheDevice = Set.of(
                        CudaFunction.DRIVER_GET_VERSION,
                        CudaFunction.DEVICE_GET_COUNT,
                        CudaFunction.DEVICE_GET,
                        CudaFunction.DEVICE_GET_NAME,
                        CudaFunction.DEVICE_GET_UUID,
                        CudaFunction.DEVICE_GET_ATTRIBUTE,
                        CudaFunction.DEVICE_TOTAL_MEM,
                        CudaFunction.DEVICE_GET_PCI_BUS_ID,
                        CudaFunction.DEVICE_PRIMARY_CTX_RESET,
                        CudaFunction.CTX_SET_CURRENT,
                        CudaFunction.CTX_GET_CURRENT)
                .contains(function);
        if (asksTheDevice) {
            action(function).accept(bench);
            assertTrue(fake.calls(function) > 0);
        } else {
            CudaException e =
                    assertThrows(CudaException.class, () -> action(function).accept(bench));
            assertEquals(700, e.code());
        }
    }

    @Test
    void aLostDeviceFailsEveryCallFromThenOn() {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, H100);
        fake.add("fatal * 1 719\n");
        assertEquals(
                719,
                assertThrows(CudaException.class, () -> bench.stream().synchronize())
                        .code());
        assertEquals(
                719,
                assertThrows(CudaException.class, () -> bench.context().allocate(1))
                        .code());
        CudaException closing = assertThrows(CudaException.class, bench::close);
        assertEquals(719, closing.code());
        assertEquals(2, closing.getSuppressed().length, "stream, module and memory could not be given back");
    }

    /** The launch itself succeeds, as on a real device: what a kernel does shows in a later call. */
    @Test
    void aKernelThatFaultsShowsInALaterCall() {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, H100 + "fault scale 2 700\n");
        CudaLaunch launch = bench.launch(Bench.shape());
        launch.launch();
        bench.stream().synchronize();
        launch.launch();
        CudaException e = assertThrows(CudaException.class, () -> bench.stream().synchronize());
        assertEquals("cuStreamSynchronize", e.call());
        assertEquals(700, e.code());
        assertTrue(e.isFatal());
    }

    @Test
    @Timeout(60)
    void aHungCallReturnsOnlyAfterAReset() throws Exception {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, H100 + "hang cuStreamSynchronize 1\n");
        CompletableFuture<CudaException> hung = CompletableFuture.supplyAsync(() -> {
            bench.context().makeCurrent();
            return assertThrows(CudaException.class, () -> bench.stream().synchronize());
        });
        while (fake.calls(CudaFunction.STREAM_SYNCHRONIZE) == 0) {
            Thread.onSpinWait();
        }
        assertFalse(hung.isDone());
        fake.reset(H100);
        assertEquals(999, hung.get(30, TimeUnit.SECONDS).code());
    }

    @Test
    void outOfMemorySaysHowMuchWasAsked() {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, H100 + "memory 10000\n");
        assertEquals(10000, bench.context().device().totalMemory());
        CudaException e =
                assertThrows(CudaException.class, () -> bench.context().allocate(9000));
        assertEquals(
                "cuMemAlloc failed with CUDA_ERROR_OUT_OF_MEMORY (2): the memory of the device does not suffice;"
                        + " 9000 bytes were asked for",
                e.getMessage());
        assertTrue(e.isOfResources());
        assertFalse(e.isFatal());
        bench.close();
    }

    @Test
    void anOldDriverRefusesNewPtxInItsCompilersWords() {
        FakeDriver fake = FakeDriver.ofRelease(11020);
        Bench bench = new Bench(fake, H100);
        byte[] image = Bench.PTX.replace(".version 7.0", ".version 8.0").getBytes(StandardCharsets.US_ASCII);
        CudaException e =
                assertThrows(CudaException.class, () -> bench.context().load(image));
        assertEquals(222, e.code());
        assertEquals("CUDA_ERROR_UNSUPPORTED_PTX_VERSION", e.name());
        assertTrue(e.isOfImage());
        assertTrue(
                String.valueOf(e.getMessage())
                        .endsWith("; the compiler said: the text is of PTX 8.0; this driver takes versions up to 7.2"),
                e.getMessage());
    }

    @Test
    void anUnknownStatusIsStillToldApart() {
        FakeDriver fake = FakeDriver.current();
        Bench bench = new Bench(fake, H100);
        fail(fake, CudaFunction.CTX_SYNCHRONIZE, "fail", 12345);
        CudaException e =
                assertThrows(CudaException.class, () -> bench.context().synchronize());
        assertEquals(
                "cuCtxSynchronize failed with an unknown status (12345): the driver has no words for it",
                e.getMessage());
    }
}
