package dev.panamark.driver.hip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.ffi.Availability;
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
class HipFaultTest {
    /** What reaches each function. */
    private static final Map<HipFunction, Consumer<Bench>> ACTIONS = actions();

    /**
     * Whether there is a runtime, and the words of other statuses: their own become something else. The old properties are
     * asked for only where there are no new ones.
     */
    private static final Set<HipFunction> APART = EnumSet.of(
            HipFunction.INIT,
            HipFunction.GET_ERROR_NAME,
            HipFunction.GET_ERROR_STRING,
            HipFunction.GET_DEVICE_PROPERTIES);

    private static Map<HipFunction, Consumer<Bench>> actions() {
        Map<HipFunction, Consumer<Bench>> all = new EnumMap<>(HipFunction.class);
        all.put(HipFunction.RUNTIME_GET_VERSION, b -> b.driver().version());
        all.put(HipFunction.GET_DEVICE_COUNT, b -> b.driver().deviceCount());
        all.put(HipFunction.DEVICE_GET, b -> b.driver().device(0));
        all.put(HipFunction.DEVICE_GET_NAME, b -> b.context().device().name());
        all.put(HipFunction.DEVICE_GET_UUID, b -> b.context().device().uuid());
        all.put(
                HipFunction.DEVICE_GET_ATTRIBUTE,
                b -> b.context().device().attribute(DeviceAttribute.MULTIPROCESSOR_COUNT));
        all.put(HipFunction.DEVICE_TOTAL_MEM, b -> b.context().device().totalMemory());
        all.put(HipFunction.DEVICE_GET_PCI_BUS_ID, b -> b.context().device().pciBusId());
        all.put(
                HipFunction.GET_DEVICE_PROPERTIES_R0600,
                b -> b.context().device().target());
        all.put(HipFunction.SET_DEVICE, b -> b.context().makeCurrent());
        all.put(HipFunction.GET_DEVICE, b -> b.context().isCurrent());
        all.put(HipFunction.DEVICE_RESET, b -> b.context().device().reset());
        all.put(HipFunction.DEVICE_SYNCHRONIZE, b -> b.context().synchronize());
        all.put(HipFunction.MODULE_LOAD_DATA, b -> b.context().load(BareCode.of(BareCode.GFX942)));
        all.put(HipFunction.MODULE_UNLOAD, b -> b.module().close());
        all.put(HipFunction.MODULE_GET_FUNCTION, b -> b.module().kernel("scale"));
        all.put(HipFunction.MODULE_GET_GLOBAL, b -> b.module().global("table"));
        all.put(HipFunction.FUNC_GET_ATTRIBUTE, b -> b.kernel().attribute(FunctionAttribute.NUM_REGS));
        all.put(HipFunction.OCCUPANCY_MAX_ACTIVE_BLOCKS, b -> b.kernel().maxActiveBlocks(64, 0));
        all.put(HipFunction.LAUNCH_KERNEL, b -> b.launch(Bench.shape(1, 64, 0)).launch());
        all.put(
                HipFunction.LAUNCH_COOPERATIVE_KERNEL,
                b -> b.launch(Bench.cooperative(4)).launch());
        all.put(HipFunction.MEM_GET_INFO, b -> b.context().memoryInfo());
        all.put(HipFunction.MALLOC, b -> b.context().allocate(16));
        all.put(HipFunction.FREE, b -> b.memory().close());
        all.put(HipFunction.HOST_MALLOC, b -> b.context().allocateHost(16));
        all.put(HipFunction.HOST_FREE, b -> b.context().allocateHost(16).close());
        all.put(
                HipFunction.HOST_GET_DEVICE_POINTER,
                b -> b.context().allocateHost(16).deviceAddress());
        all.put(HipFunction.MEMCPY_HTOD, b -> b.memory().upload(0, b.host(16)));
        all.put(HipFunction.MEMCPY_DTOH, b -> b.memory().download(0, b.host(16)));
        all.put(HipFunction.MEMCPY_DTOD, b -> b.memory().copy(0, b.memory(), 64, 16));
        all.put(HipFunction.MEMCPY_HTOD_ASYNC, b -> b.stream().upload(b.memory(), 0, b.host(16)));
        all.put(HipFunction.MEMCPY_DTOH_ASYNC, b -> b.stream().download(b.memory(), 0, b.host(16)));
        all.put(HipFunction.MEMCPY_DTOD_ASYNC, b -> b.stream().copy(b.memory(), 0, b.memory(), 64, 16));
        all.put(HipFunction.MEMSET_D8, b -> b.memory().fill(0, 16, (byte) 1));
        all.put(HipFunction.MEMSET_D32, b -> b.memory().fillWords(0, 4, 1));
        all.put(HipFunction.MEMSET_D8_ASYNC, b -> b.stream().fill(b.memory(), 0, 16, (byte) 1));
        all.put(HipFunction.MEMSET_D32_ASYNC, b -> b.stream().fillWords(b.memory(), 0, 4, 1));
        all.put(HipFunction.STREAM_CREATE, b -> b.context().createStream());
        all.put(HipFunction.STREAM_DESTROY, b -> b.stream().close());
        all.put(HipFunction.STREAM_QUERY, b -> b.stream().isDone());
        all.put(HipFunction.STREAM_SYNCHRONIZE, b -> b.stream().synchronize());
        all.put(
                HipFunction.STREAM_WAIT_EVENT,
                b -> b.stream().waitFor(b.context().createEvent(true)));
        all.put(HipFunction.STREAM_WAIT_VALUE_32, b -> waitForValue(b));
        all.put(
                HipFunction.STREAM_WRITE_VALUE_32,
                b -> b.stream().writeValue(b.memory().address(), 5));
        all.put(HipFunction.STREAM_BEGIN_CAPTURE, b -> b.stream().beginCapture());
        all.put(HipFunction.STREAM_END_CAPTURE, b -> graph(b));
        all.put(HipFunction.EVENT_CREATE, b -> b.context().createEvent(true));
        all.put(HipFunction.EVENT_RECORD, b -> b.context().createEvent(true).record(b.stream()));
        all.put(HipFunction.EVENT_QUERY, b -> b.context().createEvent(true).isReached());
        all.put(
                HipFunction.EVENT_SYNCHRONIZE,
                b -> b.context().createEvent(true).synchronize());
        all.put(HipFunction.EVENT_ELAPSED_TIME, b -> elapsed(b));
        all.put(HipFunction.EVENT_DESTROY, b -> b.context().createEvent(true).close());
        all.put(HipFunction.GRAPH_INSTANTIATE, b -> graph(b).instantiate());
        all.put(HipFunction.GRAPH_UPLOAD, b -> graph(b).instantiate().upload(b.stream()));
        all.put(HipFunction.GRAPH_LAUNCH, b -> graph(b).instantiate().launch(b.stream()));
        all.put(HipFunction.GRAPH_EXEC_DESTROY, b -> graph(b).instantiate().close());
        all.put(HipFunction.GRAPH_DESTROY, b -> graph(b).close());
        return all;
    }

    private static void waitForValue(Bench b) {
        b.memory().fillWords(0, 1, 5);
        b.stream().waitForValue(b.memory().address(), 5);
    }

    private static void elapsed(Bench b) {
        HipEvent event = b.context().createEvent(true);
        event.record(b.stream());
        event.synchronize();
        event.secondsSince(event);
    }

    private static HipGraph graph(Bench b) {
        b.stream().beginCapture();
        b.stream().fill(b.memory(), 0, 16, (byte) 3);
        return b.stream().endCapture();
    }

    private static Consumer<Bench> action(HipFunction function) {
        return Objects.requireNonNull(ACTIONS.get(function));
    }

    @Test
    void everyFunctionIsTried() {
        Set<HipFunction> tried = EnumSet.copyOf(ACTIONS.keySet());
        tried.addAll(APART);
        assertEquals(EnumSet.allOf(HipFunction.class), tried);
    }

    static Stream<Arguments> failures() {
        // The name and value are those of HIP's header.
        Map<Integer, String> statuses =
                Map.of(2, "hipErrorOutOfMemory", 201, "hipErrorInvalidContext", 999, "hipErrorUnknown");
        return ACTIONS.keySet().stream()
                .flatMap(f -> statuses.entrySet().stream().map(s -> Arguments.of(f, s.getKey(), s.getValue())));
    }

    /** The next call of the function. */
    private static void fail(FakeHip fake, HipFunction function, String verb, int status) {
        fake.library().add(verb + " " + function.symbol() + " " + (fake.calls(function) + 1) + " " + status + "\n");
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aStatusNamesItsCall(HipFunction function, int status, String name) {
        FakeHip fake = FakeHip.current();
        Bench bench = new Bench(fake, Bench.MI300X);
        Consumer<Bench> action = action(function);
        fail(fake, function, "fail", status);
        HipException e = assertThrows(HipException.class, () -> action.accept(bench));
        assertEquals(function.symbol(), e.call());
        assertEquals(status, e.code());
        assertEquals(name, e.name());
        assertFalse(e.driverText().isEmpty());
        String message = String.valueOf(e.getMessage());
        assertTrue(
                message.startsWith(function.symbol() + " failed with " + name + " (" + status + "): " + e.driverText()),
                message);
    }

    static Set<HipFunction> reached() {
        return ACTIONS.keySet();
    }

    @ParameterizedTest
    @MethodSource("reached")
    void withoutAFaultItIsCalledAndSucceeds(HipFunction function) {
        FakeHip fake = FakeHip.current();
        Bench bench = new Bench(fake, Bench.MI300X);
        long before = fake.calls(function);
        action(function).accept(bench);
        assertTrue(fake.calls(function) > before);
    }

    /** HIP 5.2 stands for all that lack something; which functions came later is in the library's version script. */
    @ParameterizedTest
    @MethodSource("reached")
    void anOldReleaseLacksOnlyWhatCameLater(HipFunction function) {
        FakeHip fake = FakeHip.ofRelease(50200000);
        Bench bench = new Bench(fake, Bench.MI300X);
        Availability<HipFunction> has = bench.driver().has(function);
        if (function.since().compareTo(new HipVersion(5, 2)) <= 0) {
            assertEquals(Availability.of(function), has);
            action(function).accept(bench);
            assertTrue(fake.calls(function) > 0);
            return;
        }
        String lacking = "HIP 5.2 (" + fake.file() + ") has no " + function.symbol() + ", which came with HIP "
                + function.since();
        String remedy = "Install ROCm " + function.since() + " or newer";
        assertEquals(new Availability.Unavailable<HipFunction>(List.of(lacking), remedy), has);
        if (function == HipFunction.GET_DEVICE_PROPERTIES_R0600) {
            action(function).accept(bench);
            assertEquals(1, fake.calls(HipFunction.GET_DEVICE_PROPERTIES), "the old layout is there instead");
            return;
        }
        MissingHipFunctionException e = assertThrows(
                MissingHipFunctionException.class, () -> action(function).accept(bench));
        assertEquals(lacking + ". " + remedy, e.getMessage());
        assertEquals(function, e.function());
    }

    @Test
    void theOldPropertiesFailByTheirName() {
        FakeHip fake = FakeHip.ofRelease(50200000);
        Bench bench = new Bench(fake, Bench.MI300X);
        fail(fake, HipFunction.GET_DEVICE_PROPERTIES, "fail", 999);
        HipException e =
                assertThrows(HipException.class, () -> bench.context().device().target());
        assertEquals("hipGetDeviceProperties", e.call());
    }

    /** What tells of the runtime and its devices goes on; everything that is done on the device fails. */
    private static final Set<HipFunction> OF_NO_CONTEXT = EnumSet.of(
            HipFunction.RUNTIME_GET_VERSION,
            HipFunction.GET_DEVICE_COUNT,
            HipFunction.DEVICE_GET,
            HipFunction.DEVICE_GET_NAME,
            HipFunction.DEVICE_GET_UUID,
            HipFunction.DEVICE_GET_ATTRIBUTE,
            HipFunction.DEVICE_TOTAL_MEM,
            HipFunction.DEVICE_GET_PCI_BUS_ID,
            HipFunction.GET_DEVICE_PROPERTIES_R0600,
            HipFunction.SET_DEVICE,
            HipFunction.GET_DEVICE,
            HipFunction.DEVICE_RESET);

    @ParameterizedTest
    @MethodSource("reached")
    void aBrokenDeviceFailsWhateverNeedsIt(HipFunction function) {
        FakeHip fake = FakeHip.current();
        Bench bench = new Bench(fake, Bench.MI300X);
        fail(fake, HipFunction.STREAM_QUERY, "fatal", 700);
        HipException first =
                assertThrows(HipException.class, () -> bench.stream().isDone());
        assertTrue(first.isFatal());
        assertEquals("hipErrorIllegalAddress", first.name());
        if (OF_NO_CONTEXT.contains(function)) {
            action(function).accept(bench);
            assertTrue(fake.calls(function) > 0);
        } else {
            HipException e =
                    assertThrows(HipException.class, () -> action(function).accept(bench));
            assertEquals(700, e.code());
        }
    }

    @Test
    void aLostDeviceFailsEveryCallFromThenOn() {
        FakeHip fake = FakeHip.current();
        Bench bench = new Bench(fake, Bench.MI300X);
        fake.library().add("fatal * 1 719\n");
        assertEquals(
                719,
                assertThrows(HipException.class, () -> bench.stream().synchronize())
                        .code());
        HipException closing = assertThrows(HipException.class, bench::close);
        assertEquals(719, closing.code());
        assertEquals(2, closing.getSuppressed().length, "stream, module and memory could not be given back");
    }

    /** The launch itself succeeds: what a kernel does shows in a later call. */
    @Test
    void aKernelThatFaultsShowsInALaterCall() {
        FakeHip fake = FakeHip.current();
        Bench bench = new Bench(fake, Bench.MI300X + "fault scale 2 700\n");
        HipLaunch launch = bench.launch(Bench.shape(1, 64, 0));
        launch.launch();
        bench.stream().synchronize();
        launch.launch();
        HipException e = assertThrows(HipException.class, () -> bench.stream().synchronize());
        assertEquals("hipStreamSynchronize", e.call());
        assertEquals(700, e.code());
        assertTrue(e.isFatal());
    }

    @Test
    @Timeout(60)
    void aHungCallReturnsOnlyAfterAReset() throws Exception {
        FakeHip fake = FakeHip.current();
        Bench bench = new Bench(fake, Bench.MI300X + "hang hipStreamSynchronize 1\n");
        CompletableFuture<HipException> hung = CompletableFuture.supplyAsync(
                () -> assertThrows(HipException.class, () -> bench.stream().synchronize()));
        while (fake.calls(HipFunction.STREAM_SYNCHRONIZE) == 0) {
            Thread.onSpinWait();
        }
        assertFalse(hung.isDone());
        fake.library().reset(Bench.MI300X);
        assertEquals(999, hung.get(30, TimeUnit.SECONDS).code());
    }

    /** The library calls every number that it does not know hipErrorUnknown, which is one of its own. */
    @Test
    void anUnknownStatusIsStillToldApart() {
        FakeHip fake = FakeHip.current();
        Bench bench = new Bench(fake, Bench.MI300X);
        fail(fake, HipFunction.DEVICE_SYNCHRONIZE, "fail", 12345);
        HipException e = assertThrows(HipException.class, () -> bench.context().synchronize());
        assertEquals(
                "hipDeviceSynchronize failed with an unknown status (12345): the library has no words for it",
                e.getMessage());
    }
}
