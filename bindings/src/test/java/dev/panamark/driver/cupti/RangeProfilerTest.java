package dev.panamark.driver.cupti;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaDriver;
import dev.panamark.driver.cuda.CudaException;
import dev.panamark.ffi.Availability;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Collections on the fake device. */
class RangeProfilerTest {
    private final List<CuptiBench> benches = new ArrayList<>();

    private CuptiBench bench(String statements) {
        CuptiBench bench = new CuptiBench(statements);
        benches.add(bench);
        return bench;
    }

    @AfterEach
    void everythingWasGivenBack() {
        for (CuptiBench bench : benches) {
            bench.close();
            assertEquals(0, bench.fake().open());
        }
    }

    private static MetricPlan plan(CuptiBench bench) {
        try (CuptiHost host = bench.cupti().host("GH100")) {
            return host.plan(CuptiBench.METRICS);
        }
    }

    /** By hand of the script: 1024 + 96 bytes, 12 + 0 conflicts; of the others the last launch's. */
    private static final double[] BOTH = {5000, 1120, 87.5, 12};

    @Test
    void aWholeCollection() {
        CuptiBench bench = bench("");
        List<String> order = new ArrayList<>();
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context());
                CuptiHost host = bench.cupti().host(profiler.chip(), profiler.counterAvailability())) {
            assertEquals("GH100", profiler.chip());
            assertEquals(Availability.of("CUDA device 0"), profiler.support());
            profiler.probe();
            MetricPlan plan = host.plan(CuptiBench.METRICS);
            assertEquals(2, plan.passes());
            CounterData data = profiler.collect(
                    plan,
                    "both",
                    () -> {
                        order.add("pass");
                        bench.both();
                    },
                    () -> order.add("between"));
            assertEquals(List.of("pass", "between", "pass"), order);
            assertEquals(2, data.passes());
            assertEquals("both", data.range());
            assertEquals(plan, data.plan());
            assertArrayEquals(BOTH, host.evaluate(data, 0, CuptiBench.METRICS));
            assertArrayEquals(
                    new double[] {12, 5000},
                    host.evaluate(data, 0, List.of("l1tex__conflicts.sum", "sm__cycles_elapsed.max")));
        }
    }

    @Test
    void twoCollectionsOneAfterTheOther() {
        CuptiBench bench = bench("");
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context());
                CuptiHost host = bench.cupti().host("GH100")) {
            CounterData first = profiler.collect(plan(bench), "both", bench::both, () -> {});
            MetricPlan other = host.plan(List.of("sm__throughput.avg.pct_of_peak_sustained_elapsed"));
            CounterData second = profiler.collect(other, "first", bench::onlyFirst, () -> {});
            assertArrayEquals(new double[] {50}, host.evaluate(second, 0, other.metrics()));
            assertArrayEquals(BOTH, host.evaluate(first, 0, CuptiBench.METRICS), "it outlives the collection");
        }
        try (RangeProfiler again = bench.cupti().profiler(bench.context());
                CuptiHost host = bench.cupti().host("GH100")) {
            CounterData third = again.collect(plan(bench), "first", bench::onlyFirst, () -> {});
            assertArrayEquals(new double[] {5000, 1024, 87.5, 12}, host.evaluate(third, 0, CuptiBench.METRICS));
        }
    }

    /** A kernel takes 1 us here, and twice that and 10 us more while the profiler is enabled (fake.h). */
    @Test
    void kernelsAreSlowerOnlyWhileACollectionRuns() {
        CuptiBench bench = bench("call 0\n");
        long[] during = new long[1];
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            MetricPlan plan = plan(bench);
            assertEquals(1_000, timeOf(bench));
            profiler.collect(plan, "first", () -> during[0] = timeOf(bench), () -> {});
            assertEquals(12_000, during[0]);
            assertEquals(1_000, timeOf(bench));
        }
    }

    private static long timeOf(CuptiBench bench) {
        long start = bench.fake().now();
        bench.onlyFirst();
        return bench.fake().now() - start;
    }

    @Test
    void countersThatTheUserMayNotReadComeWithTheRemedy() {
        CuptiBench bench = bench("counters off\n");
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            assertInstanceOf(Availability.Available.class, profiler.support(), "the device could");
            CuptiException e = assertThrows(CuptiException.class, profiler::probe);
            assertEquals(
                    "cuptiRangeProfilerEnable failed with CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35): the user may not read "
                            + "counters; CUDA device 0",
                    e.getMessage());
            assertTrue(e.isOfPermission());
            assertTrue(e.remedy().contains("NVreg_RestrictProfilingToAdminUsers=0"), e.remedy());
            MetricPlan plan = plan(bench);
            CuptiException again =
                    assertThrows(CuptiException.class, () -> profiler.collect(plan, "both", bench::both, () -> {}));
            assertEquals(35, again.code());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "architecture 1, the architecture is not supported, 7.5",
        "sli 1, SLI is not supported, turn SLI off",
        "vgpu 2, 'the virtual GPU is supported, but counters are turned off', enable_profiling=1",
        "confidential 1, confidential computing is not supported, confidential computing mode",
        "cmp 1, the mining processor is not supported, CMP",
        "wsl 0, WSL is something that CUPTI knows nothing of, WSL 2"
    })
    void aDeviceThatIsNotSupportedIsNamedByItsPart(String part, String reason, String remedy) {
        CuptiBench bench = bench("support " + part + "\n");
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            Availability.Unavailable<?> none = assertInstanceOf(Availability.Unavailable.class, profiler.support());
            assertEquals(List.of("CUPTI cannot read counters of CUDA device 0: " + reason), none.reasons());
            assertTrue(none.remedy().contains(remedy), none.remedy());
        }
    }

    @Test
    void everyPartThatIsNotSupportedIsNamed() {
        CuptiBench bench = bench("support vgpu 1\nsupport wsl 1\n");
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            Availability.Unavailable<?> none = assertInstanceOf(Availability.Unavailable.class, profiler.support());
            assertEquals(
                    List.of(
                            "CUPTI cannot read counters of CUDA device 0: the virtual GPU is not supported",
                            "CUPTI cannot read counters of CUDA device 0: WSL is not supported"),
                    none.reasons());
            assertTrue(none.remedy().contains("hypervisor"), "that of the first: " + none.remedy());
        }
    }

    @Test
    void passesThatDoNotEndAreGivenUp() {
        CuptiBench bench = bench("replays 50\n");
        List<String> passes = new ArrayList<>();
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            MetricPlan plan = plan(bench);
            CollectionException e = assertThrows(
                    CollectionException.class,
                    () -> profiler.collect(
                            plan,
                            "both",
                            () -> {
                                passes.add("pass");
                                bench.both();
                            },
                            () -> {}));
            assertEquals(
                    "CUPTI planned 2 passes and asks for more after 4; report it with the versions of CUPTI and the driver",
                    e.getMessage());
            assertEquals(4, passes.size());
        }
    }

    @Test
    void aPassMoreThanPlannedIsDone() {
        CuptiBench bench = bench("replays 3\n");
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            assertEquals(
                    3,
                    profiler.collect(plan(bench), "both", bench::both, () -> {}).passes());
        }
    }

    @Test
    void aRangeThatWasDroppedIsNoResult() {
        CuptiBench bench = bench("dropped 1\n");
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            MetricPlan plan = plan(bench);
            CollectionException e = assertThrows(
                    CollectionException.class, () -> profiler.collect(plan, "both", bench::both, () -> {}));
            assertTrue(
                    String.valueOf(e.getMessage())
                            .startsWith("CUPTI dropped the range (it says 1), so nothing was counted"),
                    e.getMessage());
        }
    }

    @Test
    void passesThatDifferAreNoResult() {
        CuptiBench bench = bench("");
        int[] pass = {0};
        assertDecodingFails(bench, () -> {
            if (pass[0]++ == 0) {
                bench.both();
            } else {
                bench.onlyFirst();
            }
        });
    }

    @Test
    void aPassThatLaunchesNothingIsNoResult() {
        assertDecodingFails(bench(""), () -> {});
    }

    private static void assertDecodingFails(CuptiBench bench, Runnable pass) {
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            MetricPlan plan = plan(bench);
            CuptiException e =
                    assertThrows(CuptiException.class, () -> profiler.collect(plan, "range", pass, () -> {}));
            assertEquals("cuptiRangeProfilerDecodeData", e.call());
        }
    }

    /** The pass's own failure comes out, with what failed because of it suppressed, and the profiler is disabled. */
    @Test
    void aKernelThatFaultsEndsTheCollection() {
        CuptiBench bench = bench("fault second 2 700\n");
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            MetricPlan plan = plan(bench);
            CudaException e =
                    assertThrows(CudaException.class, () -> profiler.collect(plan, "both", bench::both, () -> {}));
            assertEquals(700, e.code());
            assertTrue(e.isFatal());
            assertEquals(
                    List.of("cuptiRangeProfilerPopRange", "cuptiRangeProfilerStop"),
                    List.of(e.getSuppressed()).stream()
                            .map(suppressed -> ((CuptiException) suppressed).call())
                            .toList());
            assertEquals(1, bench.fake().calls("cuptiRangeProfilerDisable"));
        }
        assertEquals(1, bench.fake().calls("cuptiProfilerDeInitialize"));
        bench.fake().reset(CuptiBench.SCRIPT); // a broken device gives nothing back
        benches.clear();
    }

    /** Whatever the caller's own work throws. */
    @Test
    void aPassThatThrowsIsUnwound() {
        CuptiBench bench = bench("");
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context())) {
            MetricPlan plan = plan(bench);
            AssertionError own = new AssertionError("the caller's");
            AssertionError e = assertThrows(
                    AssertionError.class,
                    () -> profiler.collect(
                            plan,
                            "both",
                            () -> {
                                throw own;
                            },
                            () -> {}));
            assertEquals(own, e);
            assertEquals(0, e.getSuppressed().length);
            for (String function :
                    Set.of("cuptiRangeProfilerPopRange", "cuptiRangeProfilerStop", "cuptiRangeProfilerDisable")) {
                assertEquals(1, bench.fake().calls(function), function);
            }
        }
    }

    @Test
    void aPlanOfAnotherChipIsRefused() {
        CuptiBench bench = bench("device a100-sxm-80\nmetric sm__cycles_elapsed.max 1\n");
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context());
                CuptiHost other = bench.cupti().host("GA100")) {
            MetricPlan plan = other.plan(List.of("sm__cycles_elapsed.max"));
            IllegalArgumentException e = assertThrows(
                    IllegalArgumentException.class, () -> profiler.collect(plan, "both", bench::both, () -> {}));
            assertEquals("expected a plan of GH100, not of GA100", e.getMessage());
            assertEquals(0, bench.fake().calls("cuptiRangeProfilerEnable"));
        }
    }

    @Test
    void dataOfAnotherChipOrMetricIsNotEvaluated() {
        CuptiBench bench = bench("device a100-sxm-80\nmetric sm__cycles_elapsed.max 1\n");
        try (RangeProfiler profiler = bench.cupti().profiler(bench.context());
                CuptiHost host = bench.cupti().host("GH100");
                CuptiHost other = bench.cupti().host("GA100")) {
            CounterData data = profiler.collect(plan(bench), "both", bench::both, () -> {});
            IllegalArgumentException ofChip = assertThrows(
                    IllegalArgumentException.class, () -> other.evaluate(data, 0, List.of("sm__cycles_elapsed.max")));
            assertEquals("expected what was collected on GA100, not on GH100, to evaluate", ofChip.getMessage());
            IllegalArgumentException ofMetric = assertThrows(
                    IllegalArgumentException.class, () -> host.evaluate(data, 0, List.of("sm__cycles_elapsed.avg")));
            assertEquals(
                    "metric 'sm__cycles_elapsed.avg' was not collected; 4 were: "
                            + String.join(", ", CuptiBench.METRICS),
                    ofMetric.getMessage());
            assertThrows(IllegalArgumentException.class, () -> host.evaluate(data, 0, List.of()));
            CuptiException ofRange =
                    assertThrows(CuptiException.class, () -> host.evaluate(data, 1, List.of("sm__cycles_elapsed.max")));
            assertTrue(String.valueOf(ofRange.getMessage()).contains("; range 1, sm__cycles_elapsed.max of GH100"));
        }
    }

    @Test
    void aContextThatIsNotCurrentIsRefused() throws Exception {
        CuptiBench bench = bench("");
        CudaContext context = bench.context();
        try (RangeProfiler profiler = bench.cupti().profiler(context)) {
            String message = CompletableFuture.supplyAsync(
                            () -> assertThrows(IllegalStateException.class, profiler::chip))
                    .get()
                    .getMessage();
            assertEquals(
                    "expected the context of CUDA device 0 to be current on this thread; call makeCurrent() of it before",
                    message);
        }
    }

    @Test
    void aContextClosesItsProfilerFirst() {
        CuptiBench bench = bench("");
        RangeProfiler profiler = bench.cupti().profiler(bench.context());
        bench.close();
        assertEquals(1, bench.fake().calls("cuptiProfilerDeInitialize"));
        profiler.close();
        assertEquals(1, bench.fake().calls("cuptiProfilerDeInitialize"), "once");
    }

    /** The real CUPTI beside the fake driver: it looks for a driver of its own, and says that there is none. */
    @Test
    void aRealCuptiThatFindsNoDriverRefusesBeforeItCouldCrash() {
        Cupti real = CuptiHostTest.real();
        Assumptions.assumeTrue(
                CudaDriver.find(Map.of()) instanceof Availability.Unavailable<CudaDriver>, "this machine has a driver");
        CuptiBench bench = bench("");
        CuptiException e = assertThrows(CuptiException.class, () -> real.profiler(bench.context()));
        assertEquals("cuptiProfilerInitialize", e.call());
        assertEquals(999, e.code());
    }
}
