package dev.panamark.driver.cupti;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.ffi.Availability;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The host side of the real library, where there is one. Figures were measured with CUPTI 13.0 Update 1 from C
 * (API version 130001), and are compared with that release only.
 */
class CuptiHostTest {
    private static final int MEASURED = 130001;

    private static final List<String> STALLS = Stream.of(
                    "barrier",
                    "branch_resolving",
                    "dispatch_stall",
                    "drain",
                    "imc_miss",
                    "lg_throttle",
                    "long_scoreboard",
                    "math_pipe_throttle",
                    "membar",
                    "mio_throttle",
                    "misc",
                    "no_instruction",
                    "not_selected",
                    "selected",
                    "short_scoreboard",
                    "sleeping",
                    "tex_throttle",
                    "wait")
            .map(reason -> "smsp__warps_issue_stalled_" + reason + ".sum")
            .toList();

    private static final List<String> FIVE = List.of(
            "sm__cycles_elapsed.max",
            "sm__warps_active.avg.pct_of_peak_sustained_active",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
            "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio");

    private static final List<String> EIGHT = List.of(
            "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
            "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio",
            "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
            "dram__bytes_read.sum",
            "dram__bytes_write.sum",
            "lts__t_sector_hit_rate.pct",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");

    static Cupti real() {
        return switch (Cupti.find(System.getenv())) {
            case Availability.Available<Cupti>(Cupti found) -> found;
            case Availability.Unavailable<Cupti> none -> Assumptions.abort("no CUPTI on this machine: " + none.text());
        };
    }

    private static Cupti measured() {
        Cupti cupti = real();
        Assumptions.assumeTrue(
                cupti.version().number() == MEASURED,
                "CUPTI on this machine is " + cupti.version() + ", figures are of 13.0.1");
        return cupti;
    }

    /** Listed, and yet refused where the host is no Tegra. */
    private static final String OF_TEGRA = "GV11B";

    static Stream<String> chips() {
        return Stream.of(
                        "GV100 GV11B TU102 TU104 TU106 TU116 TU117 GA100 GA102 GA103 GA104 GA106 GA107 GA10B GH100 AD102 AD103 AD104"
                                .split(" "),
                        "AD106 AD107 GB100 GB102 GB110 GB10B GB202 GB203 GB205 GB206 GB207 GB20B".split(" "))
                .flatMap(Stream::of);
    }

    @Test
    void itKnowsThirtyChips() {
        List<String> known = measured().chips();
        assertEquals(30, known.size());
        assertEquals(chips().sorted().toList(), known.stream().sorted().toList());
    }

    static Stream<String> usableChips() {
        return chips().filter(chip -> !chip.equals(OF_TEGRA));
    }

    @ParameterizedTest
    @MethodSource("usableChips")
    void everyChipHasMetricsOfAllKindsAndAPlan(String chip) {
        try (CuptiHost host = measured().host(chip)) {
            for (MetricKind kind : MetricKind.values()) {
                assertFalse(host.baseMetrics(kind).isEmpty(), kind.toString());
            }
            assertEquals(
                    1,
                    host.plan(List.of("sm__cycles_elapsed.max", "sm__cycles_active.avg"))
                            .passes());
        }
    }

    @ParameterizedTest
    @CsvSource({"GH100, 3389, 205, 56", "GA100, 2876, 160, 26", "AD102, 2799, 175, 27", "GB100, 3773, 220, 72"})
    void baseMetricsByKind(String chip, int counters, int ratios, int throughputs) {
        try (CuptiHost host = measured().host(chip)) {
            assertEquals(counters, host.baseMetrics(MetricKind.COUNTER).size());
            assertEquals(ratios, host.baseMetrics(MetricKind.RATIO).size());
            assertEquals(throughputs, host.baseMetrics(MetricKind.THROUGHPUT).size());
        }
    }

    @Test
    void suffixesByKind() {
        try (CuptiHost host = measured().host("GH100")) {
            List<String> ofCounters = host.subMetrics("sm__cycles_active");
            assertEquals(44, ofCounters.size());
            assertTrue(ofCounters.containsAll(
                    List.of(".sum", ".avg", ".min", ".max", ".avg.per_cycle_active", ".sum.per_second")));
            assertEquals(ofCounters, host.subMetrics("sm__cycles_active.avg"), "a suffix changes nothing");
            assertEquals(List.of(".max_rate", ".pct", ".ratio"), host.subMetrics("lts__t_sector_hit_rate"));
            assertEquals(8, host.subMetrics("sm__throughput").size());
        }
    }

    @Test
    void propertiesAreWhatTheLibrarySays() {
        try (CuptiHost host = measured().host("GH100")) {
            assertEquals(
                    new MetricProperties(
                            MetricKind.COUNTER, "# of cycles with at least one warp in flight", "sm", "gpc_cycle"),
                    host.properties("sm__cycles_active.avg"));
            assertEquals(
                    new MetricProperties(
                            MetricKind.RATIO, "proportion of L2 sector lookups that hit", "lts", "percent"),
                    host.properties("lts__t_sector_hit_rate.pct"));
            assertEquals(
                    MetricKind.THROUGHPUT,
                    host.properties("gpu__compute_memory_throughput").kind());
        }
    }

    /** Passes as C counted them; sm__throughput alone needs most of them. */
    @ParameterizedTest
    @CsvSource({"GH100, 1, 2, 8, 4, 9", "GA100, 1, 1, 5, 4, 6", "AD102, 1, 2, 6, 4, 7", "GB100, 1, 2, 8, 4, 9"})
    void passesOfPlans(String chip, int cycles, int conflicts, int throughput, int thirteen, int fourteen) {
        try (CuptiHost host = measured().host(chip)) {
            assertEquals(
                    cycles, passes(host, "sm__cycles_elapsed.max", "sm__cycles_active.avg", "gpc__cycles_elapsed.max"));
            assertEquals(
                    conflicts,
                    passes(
                            host,
                            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                            "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"));
            assertEquals(throughput, passes(host, "sm__throughput.avg.pct_of_peak_sustained_elapsed"));
            List<String> metrics = new ArrayList<>(FIVE);
            metrics.addAll(EIGHT);
            assertEquals(thirteen, host.plan(metrics).passes());
            metrics.add("sm__throughput.avg.pct_of_peak_sustained_elapsed");
            assertEquals(fourteen, host.plan(metrics).passes());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GH100", "GA100", "AD102"})
    void eighteenReasonsForStallsNeedFivePasses(String chip) {
        try (CuptiHost host = measured().host(chip)) {
            assertEquals(18, STALLS.size());
            assertEquals(5, host.plan(STALLS).passes());
        }
    }

    @Test
    void fiveMetricsOfASharedMemoryKernelNeedOnePassOfGh100() {
        try (CuptiHost host = measured().host("GH100")) {
            MetricPlan plan = host.plan(FIVE);
            assertEquals(1, plan.passes());
            assertEquals("GH100", plan.chip());
            assertEquals(FIVE, plan.metrics());
            assertTrue(plan.config().isReadOnly());
        }
    }

    private static int passes(CuptiHost host, String... metrics) {
        return host.plan(List.of(metrics)).passes();
    }

    /** An object of CUPTI's keeps metrics of before and is of no use after a wrong name; neither shows here. */
    @Test
    void onePlanDoesNotChangeTheNext() {
        try (CuptiHost host = real().host("GH100")) {
            byte[] first = host.plan(FIVE).config().toArray(ValueLayout.JAVA_BYTE);
            host.plan(List.of("sm__throughput.avg.pct_of_peak_sustained_elapsed"));
            assertThrows(UnknownMetricException.class, () -> host.plan(List.of("nonsense.sum")));
            assertArrayEquals(first, host.plan(FIVE).config().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /** An object of CUPTI's takes about a megabyte. */
    @Test
    void aThousandPlansLeaveNothingBehind() throws Exception {
        try (CuptiHost host = real().host("GH100")) {
            for (int i = 0; i < 100; i++) {
                host.plan(FIVE);
            }
            long before = ResidentMemory.bytes();
            for (int i = 0; i < 1000; i++) {
                host.plan(FIVE);
            }
            long grown = ResidentMemory.bytes() - before;
            assertTrue(grown < 200L << 20, grown + " bytes more after 1000 plans");
        }
    }

    @Test
    void aChipOfTegraIsRefusedElsewhere() {
        Cupti cupti = measured();
        Assumptions.assumeTrue(
                System.getProperty("os.arch").equals("amd64"),
                "the status was seen on x86-64; this is another machine");
        CuptiException e = assertThrows(CuptiException.class, () -> cupti.host(OF_TEGRA));
        assertEquals("CUPTI_ERROR_NOT_SUPPORTED", e.name());
        assertTrue(e.isUnsupported());
    }

    @Test
    void aChipThatItDoesNotKnowIsNamed() {
        Cupti cupti = real();
        for (String chip : List.of("gh100", "GX999")) {
            CuptiException e = assertThrows(CuptiException.class, () -> cupti.host(chip));
            assertEquals("cuptiProfilerHostInitialize", e.call());
            assertEquals(46, e.code());
            assertEquals("CUPTI_ERROR_INVALID_CHIP_NAME", e.name());
            assertEquals(
                    "cuptiProfilerHostInitialize failed with CUPTI_ERROR_INVALID_CHIP_NAME (46); chip " + chip
                            + " was asked for",
                    e.getMessage());
            assertTrue(e.isUnsupported());
        }
    }

    @Test
    void metricsThatTheChipLacks() {
        try (CuptiHost host = real().host("GA100")) {
            assertTrue(host.has("dram__bytes_read.sum"));
            assertFalse(host.has("dram__bytes_op_read.sum"));
            assertFalse(host.has("sm__ops_path_tensor_src_fp8.sum"), "that is of GH100");
            assertFalse(host.has("sm__cycles_active.nonsense"));
            assertFalse(host.has("sm__cycles_active"), "without a suffix it cannot be collected");
            assertFalse(host.has(""));
        }
    }

    @Test
    void theExceptionNamesTheMetricThatIsNone() {
        try (CuptiHost host = real().host("GH100")) {
            UnknownMetricException e = assertThrows(
                    UnknownMetricException.class,
                    () -> host.plan(List.of("sm__cycles_active.avg", "launch__registers.sum", "nonsense.sum")));
            assertEquals("launch__registers.sum", e.metric());
            assertEquals("GH100 has no metric 'launch__registers.sum'", e.getMessage());
            assertThrows(UnknownMetricException.class, () -> host.properties("nonsense"));
            assertThrows(UnknownMetricException.class, () -> host.subMetrics("nonsense"));
        }
    }

    @Test
    void aBaseNameIsAnsweredWithItsSuffixes() {
        try (CuptiHost host = real().host("GH100")) {
            UnknownMetricException e =
                    assertThrows(UnknownMetricException.class, () -> host.plan(List.of("lts__t_sector_hit_rate")));
            assertEquals("lts__t_sector_hit_rate", e.metric());
            assertEquals(
                    "metric 'lts__t_sector_hit_rate' of GH100 is collected with a suffix: .max_rate, .pct, .ratio",
                    e.getMessage());
        }
    }

    @Test
    void aPlanOfNothingIsRefused() {
        try (CuptiHost host = real().host("GH100")) {
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> host.plan(Collections.emptyList()));
            assertEquals("expected at least one metric of GH100 to plan, not none", e.getMessage());
        }
    }

    @Test
    void aClosedHostSaysSo() {
        CuptiHost host = real().host("GH100");
        host.close();
        host.close();
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> host.has("sm__cycles_active.avg"));
        assertEquals("what CUPTI knows of GH100 is closed", e.getMessage());
    }
}
