package dev.panamark.driver.cupti;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.compile.Subprocess;
import dev.panamark.driver.cuda.FakeDriver;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.cupti.CUpti_Profiler_GetCounterAvailability_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_ConfigAddMetrics_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_EvaluateToGpuValues_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_GetNumOfPasses_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Host_Initialize_Params;
import dev.panamark.raw.cupti.CUpti_Profiler_Initialize_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_Enable_Params;
import dev.panamark.raw.cupti.CUpti_RangeProfiler_Start_Params;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the fake refuses that the wrappers never ask of it; a wrapper that began to would be found out by it. */
class FakeCuptiTest {
    private static final int INVALID_PARAMETER = 1;
    private static final int INVALID_OPERATION = 7;

    @TempDir
    Path folder;

    private final Arena arena = Arena.ofAuto();
    private CuptiBench bench;
    private CuptiCalls calls;

    @BeforeEach
    void start() {
        bench = new CuptiBench("");
        calls = new CuptiCalls(SharedLibrary.open(bench.cupti().file()));
    }

    @AfterEach
    void end() {
        bench.close();
    }

    static Stream<CuptiFunction> withStructures() {
        return CuptiFunctionTest.withStructures();
    }

    @ParameterizedTest
    @MethodSource("withStructures")
    void anotherSizeThanTheHeadersIsRefused(CuptiFunction function) {
        for (long wrong : new long[] {function.size() + 1, function.size() - 1, 0}) {
            MemorySegment parameters = CuptiCalls.parameters(function, arena);
            CUpti_Profiler_Initialize_Params.structSize(parameters, wrong);
            assertEquals(INVALID_PARAMETER, calls.status(function, parameters), "structSize " + wrong);
        }
        assertEquals(INVALID_PARAMETER, calls.status(function, MemorySegment.NULL));
    }

    private MemorySegment host(String chip, MemorySegment availability, int expected) {
        MemorySegment parameters = CuptiCalls.parameters(CuptiFunction.HOST_INITIALIZE, arena);
        CUpti_Profiler_Host_Initialize_Params.pChipName(parameters, arena.allocateFrom(chip));
        CUpti_Profiler_Host_Initialize_Params.pCounterAvailabilityImage(parameters, availability);
        assertEquals(expected, calls.status(CuptiFunction.HOST_INITIALIZE, parameters));
        return CUpti_Profiler_Host_Initialize_Params.pHostObject(parameters);
    }

    @Test
    void anImageThatIsNoneOfItsIsRefused() {
        host("GH100", arena.allocate(64), INVALID_PARAMETER);
        MemorySegment passes = CuptiCalls.parameters(CuptiFunction.HOST_GET_NUM_OF_PASSES, arena);
        CUpti_Profiler_Host_GetNumOfPasses_Params.configImageSize(passes, 256);
        CUpti_Profiler_Host_GetNumOfPasses_Params.pConfigImage(passes, arena.allocate(256, 8));
        assertEquals(INVALID_PARAMETER, calls.status(CuptiFunction.HOST_GET_NUM_OF_PASSES, passes));
    }

    @Test
    void theImageOfTheCountersIsOfTheSizeThatWasTold() {
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            MemorySegment image = profiler.counterAvailability();
            MemorySegment parameters = CuptiCalls.parameters(CuptiFunction.PROFILER_GET_COUNTER_AVAILABILITY, arena);
            CUpti_Profiler_GetCounterAvailability_Params.ctx(
                    parameters, bench.context().handle());
            CUpti_Profiler_GetCounterAvailability_Params.counterAvailabilityImageSize(parameters, image.byteSize() - 8);
            CUpti_Profiler_GetCounterAvailability_Params.pCounterAvailabilityImage(parameters, arena.allocate(64, 8));
            assertEquals(INVALID_PARAMETER, calls.status(CuptiFunction.PROFILER_GET_COUNTER_AVAILABILITY, parameters));
        }
    }

    /** As the real one was found to be. */
    @Test
    void anObjectIsOfNoUseAfterANameThatIsNone() {
        MemorySegment object = host("GH100", MemorySegment.NULL, 0);
        assertEquals(0, add(object, "sm__cycles_elapsed.max"));
        assertEquals(INVALID_PARAMETER, add(object, "sm__cycles_elapsed"));
        assertEquals(999, add(object, "sm__cycles_elapsed.max"));
    }

    private int add(MemorySegment object, String metric) {
        MemorySegment parameters = CuptiCalls.parameters(CuptiFunction.HOST_CONFIG_ADD_METRICS, arena);
        CUpti_Profiler_Host_ConfigAddMetrics_Params.pHostObject(parameters, object);
        CUpti_Profiler_Host_ConfigAddMetrics_Params.ppMetricNames(parameters, CuptiCalls.texts(List.of(metric), arena));
        CUpti_Profiler_Host_ConfigAddMetrics_Params.numMetrics(parameters, 1);
        return calls.status(CuptiFunction.HOST_CONFIG_ADD_METRICS, parameters);
    }

    @Test
    void whatAnotherPlanCollectedIsNotEvaluated() {
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context());
                CuptiHost host = bench.cupti().host("GH100")) {
            CounterData data =
                    profiler.collect(host.plan(List.of("sm__cycles_elapsed.max")), "both", bench::both, () -> {});
            MemorySegment parameters = CuptiCalls.parameters(CuptiFunction.HOST_EVALUATE_TO_GPU_VALUES, arena);
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.pHostObject(
                    parameters, host("GH100", MemorySegment.NULL, 0));
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.pCounterDataImage(parameters, data.image());
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.counterDataImageSize(
                    parameters, data.image().byteSize());
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.ppMetricNames(
                    parameters, CuptiCalls.texts(List.of("sm__cycles_elapsed.avg"), arena));
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.numMetrics(parameters, 1);
            CUpti_Profiler_Host_EvaluateToGpuValues_Params.pMetricValues(parameters, arena.allocate(8, 8));
            assertEquals(INVALID_PARAMETER, calls.status(CuptiFunction.HOST_EVALUATE_TO_GPU_VALUES, parameters));
        }
    }

    private MemorySegment enable(int expected) {
        MemorySegment parameters = CuptiCalls.parameters(CuptiFunction.RANGE_PROFILER_ENABLE, arena);
        CUpti_RangeProfiler_Enable_Params.ctx(parameters, bench.context().handle());
        assertEquals(expected, calls.status(CuptiFunction.RANGE_PROFILER_ENABLE, parameters));
        return CUpti_RangeProfiler_Enable_Params.pRangeProfilerObject(parameters);
    }

    private int call(CuptiFunction function, MemorySegment object) {
        MemorySegment parameters = CuptiCalls.parameters(function, arena);
        CUpti_RangeProfiler_Start_Params.pRangeProfilerObject(parameters, object);
        return calls.status(function, parameters);
    }

    @Test
    void callsThatAreOutOfOrderAreRefused() {
        enable(15); // not initialized
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            MemorySegment object = enable(0);
            enable(INVALID_OPERATION);
            assertEquals(INVALID_OPERATION, call(CuptiFunction.RANGE_PROFILER_START, object), "before SetConfig");
            assertEquals(INVALID_OPERATION, call(CuptiFunction.RANGE_PROFILER_POP_RANGE, object), "before PushRange");
            assertEquals(INVALID_OPERATION, call(CuptiFunction.RANGE_PROFILER_STOP, object), "before Start");
            assertEquals(INVALID_OPERATION, call(CuptiFunction.RANGE_PROFILER_DECODE_DATA, object), "before Stop");
            assertEquals(INVALID_PARAMETER, call(CuptiFunction.RANGE_PROFILER_PUSH_RANGE, object), "without a name");
            assertEquals(
                    INVALID_OPERATION,
                    calls.status(
                            CuptiFunction.PROFILER_DE_INITIALIZE,
                            CuptiCalls.parameters(CuptiFunction.PROFILER_DE_INITIALIZE, arena)),
                    "while it is enabled");
            assertEquals(0, call(CuptiFunction.RANGE_PROFILER_DISABLE, object));
            assertEquals(INVALID_PARAMETER, call(CuptiFunction.RANGE_PROFILER_DISABLE, object), "it is gone");
            assertEquals("GH100", profiler.chip());
        }
    }

    @Test
    void whatIsNotGivenBackIsCounted() {
        long before = bench.fake().open();
        RangeProfiler profiler = bench.cupti().profiler(bench.context());
        CuptiHost host = bench.cupti().host("GH100");
        MemorySegment object = enable(0);
        assertEquals(before + 3, bench.fake().open());
        assertEquals(0, call(CuptiFunction.RANGE_PROFILER_DISABLE, object));
        host.close();
        profiler.close();
        assertEquals(before, bench.fake().open());
    }

    /** In a process of its own, which it ends; that the real one crashes there was seen without a driver. */
    @Test
    void aCallOnTheDevicesSideBeforeCuInitEndsTheProcess() throws Exception {
        HostCompiler compiler = switch (HostCompiler.find(System.getenv())) {
            case Availability.Available<HostCompiler>(HostCompiler found) -> found;
            case Availability.Unavailable<HostCompiler> none ->
                Assumptions.abort("no C compiler on this machine: " + none.text());
        };
        Path source = Files.writeString(folder.resolve("early.c"), """
                #include <dlfcn.h>
                #include <stdio.h>
                int main(int count, char **words) {
                  void *library = dlopen(words[1], RTLD_NOW);
                  int (*function)(void *) = (int (*)(void *))dlsym(library, words[2]);
                  size_t parameters[16] = {32};
                  return count == 3 && function ? function(parameters) : 2;
                }
                """);
        Path program = folder.resolve("early");
        Subprocess subprocess = new Subprocess(
                Map.of("PATH", System.getenv("PATH"), "PANAMARK_FAKE_SCRIPT", "device h100-sxm"),
                Duration.ofMinutes(1));
        Subprocess.Ended compiled = subprocess.run(
                List.of(compiler.path().toString(), "-o", program.toString(), source.toString(), "-ldl"), folder, "");
        assertTrue(compiled.ok(), compiled.err());
        String file =
                FakeDriver.current().file().resolveSibling("libcupti.so.13").toString();
        Subprocess.Ended ended =
                subprocess.run(List.of(program.toString(), file, "cuptiDeviceGetChipName"), folder, "");
        assertEquals(128 + 6, ended.exit(), "SIGABRT: " + ended.err());
        assertEquals(
                "panamark fake CUPTI: cuptiDeviceGetChipName was called before cuInit, which crashes the real one",
                ended.err().strip());
    }
}
