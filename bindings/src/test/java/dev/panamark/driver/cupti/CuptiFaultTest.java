package dev.panamark.driver.cupti;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.cuda.FakeDriver;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every function that is wrapped, failing while metrics are listed, planned, collected and evaluated, twice. */
class CuptiFaultTest {
    /** They only tell the words of other statuses. */
    private static final Set<CuptiFunction> APART =
            EnumSet.of(CuptiFunction.GET_RESULT_STRING, CuptiFunction.GET_ERROR_MESSAGE);

    private static void everything(CuptiBench bench) {
        bench.cupti().version();
        bench.cupti().chips();
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            profiler.support();
            try (CuptiHost host = bench.cupti().host(profiler.chip(), profiler.counterAvailability())) {
                host.baseMetrics(MetricKind.COUNTER);
                host.subMetrics("sm__cycles_elapsed");
                MetricPlan plan = host.plan(CuptiBench.METRICS);
                CounterData data = profiler.collect(plan, "both", bench::both, () -> {});
                host.evaluate(data, 0, plan.metrics());
            }
        }
    }

    private static Stream<CuptiFunction> reached() {
        return Arrays.stream(CuptiFunction.values()).filter(function -> !APART.contains(function));
    }

    @Test
    void withoutAFaultEverythingIsCalledAndGivenBack() {
        CuptiBench bench = new CuptiBench("");
        everything(bench);
        everything(bench);
        reached().forEach(function -> assertTrue(bench.fake().calls(function.symbol()) >= 2, function.symbol()));
        bench.close();
        assertEquals(0, bench.fake().open());
    }

    static Stream<Arguments> failures() {
        return reached().flatMap(function -> Stream.of(Arguments.of(function, 1), Arguments.of(function, 2)));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void aStatusNamesItsCallAndEverythingIsGivenBack(CuptiFunction function, int call) {
        // The values are those of cupti_result.h.
        CuptiBench bench = new CuptiBench("fail " + function.symbol() + " " + call + " 9\n");
        CuptiException e = assertThrows(CuptiException.class, () -> {
            everything(bench);
            everything(bench);
        });
        assertEquals(function.symbol(), e.call());
        assertEquals(9, e.code());
        assertEquals("CUPTI_ERROR_HARDWARE", e.name());
        assertTrue(
                String.valueOf(e.getMessage())
                        .startsWith(function.symbol() + " failed with CUPTI_ERROR_HARDWARE (9): the counters failed"),
                e.getMessage());
        assertFalse(e.remedy().isEmpty());
        bench.close();
        // A host object that could not be given back the first time has nobody who would try again.
        assertEquals(
                function == CuptiFunction.HOST_DEINITIALIZE ? 1 : 0,
                bench.fake().open());
        everything(new CuptiBench(""));
    }

    @ParameterizedTest
    @CsvSource({
        "33, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, false, true, false",
        "35, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, true, false, false",
        "39, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, false, false, true",
        "26, CUPTI_ERROR_HARDWARE_BUSY, false, false, true",
        "40, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, true, false, false",
        "41, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, true, false, false",
        "42, CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, false, true, false",
        "43, CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, false, true, false",
        "44, CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, false, true, false",
        "45, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, false, true, false",
        "999, CUPTI_ERROR_UNKNOWN, false, false, false"
    })
    void whatForbidsCountersIsToldApart(
            int status, String name, boolean permission, boolean unsupported, boolean another) {
        CuptiBench bench = new CuptiBench("fail cuptiRangeProfilerEnable 1 " + status + "\n");
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            CuptiException e = assertThrows(CuptiException.class, profiler::probe);
            assertEquals(name, e.name());
            assertEquals(permission, e.isOfPermission());
            assertEquals(unsupported, e.isUnsupported());
            assertEquals(another, e.isOfAnotherTool());
        }
    }

    @Test
    void anUnknownStatusIsStillToldApart() {
        CuptiBench bench = new CuptiBench("fail cuptiProfilerHostGetSupportedChips 1 4711\n");
        CuptiException e =
                assertThrows(CuptiException.class, () -> bench.cupti().chips());
        assertEquals("cuptiProfilerHostGetSupportedChips failed with an unknown status (4711)", e.getMessage());
    }

    /** A status of GetMetricProperties other than that of the name is no answer. */
    @Test
    void whetherThereIsAMetricIsNotGuessed() {
        CuptiBench bench = new CuptiBench("fail cuptiProfilerHostGetMetricProperties 1 1\n");
        try (CuptiHost host = bench.cupti().host("GH100")) {
            CuptiException e = assertThrows(CuptiException.class, () -> host.has("sm__cycles_elapsed.max"));
            assertEquals(1, e.code());
            assertTrue(host.has("sm__cycles_elapsed.max"));
        }
    }

    @Test
    void statementsThatAreNoneAreRefused() {
        FakeDriver fake = FakeDriver.current();
        fake.reset("device h100-sxm\n");
        for (String statement : List.of(
                "metric sm__cycles 5",
                "metric sm__cycles.sum",
                "metric .sum 1",
                "support nothing 1",
                "support sli 4",
                "passes x")) {
            assertTrue(fake.more(statement + "\n").contains("no statement"), statement);
        }
    }
}
