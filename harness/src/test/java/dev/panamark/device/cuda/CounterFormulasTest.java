package dev.panamark.device.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.Profile;
import dev.panamark.ffi.Availability;
import dev.panamark.result.Tags;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Metrics from counters that were made up; what they come to was calculated by hand. */
class CounterFormulasTest {
    private final Map<HardwareCounter, Double> read = new EnumMap<>(HardwareCounter.class);

    CounterFormulasTest() {
        for (HardwareCounter counter : HardwareCounter.values()) {
            read.put(counter, 0.0);
        }
    }

    private Availability<Profile.Count> of(String path) {
        return Objects.requireNonNull(CounterFormulas.of(read, "GA100").get(path), path);
    }

    private Profile.Count count(String path) {
        return of(path).orElseThrow(why -> new IllegalStateException(path + ": " + why));
    }

    private String reason(String path) {
        return ((Availability.Unavailable<Profile.Count>) of(path)).reasons().getFirst();
    }

    @Test
    void everyPathIsAMetric() {
        CounterFormulas.of(read, "GA100")
                .keySet()
                .forEach(path -> assertTrue(Tags.of(path).isPresent(), path));
    }

    @Test
    void percentagesAreShares() {
        read.put(HardwareCounter.WARPS_ACTIVE_PERCENT, 37.5);
        read.put(HardwareCounter.TENSOR_ACTIVE_PERCENT, 62.0);
        assertEquals(0.375, count("occupancy/achieved").value());
        assertEquals(0.62, count("tensor/active").value());
        assertEquals(
                "sm__warps_active.avg.pct_of_peak_sustained_active / 100",
                count("occupancy/achieved").formula());
    }

    @Test
    void conflictsAreToldByKind() {
        read.put(HardwareCounter.SHARED_WAVEFRONTS, 1000.0);
        read.put(HardwareCounter.CONFLICTS, 640.0);
        read.put(HardwareCounter.CONFLICTS_LOAD, 600.0);
        read.put(HardwareCounter.CONFLICTS_STORE, 40.0);
        read.put(HardwareCounter.SHARED_WAVEFRONTS_OF_INSTRUCTIONS, 998.0);
        read.put(HardwareCounter.SHARED_REQUESTS, 350.0);
        read.put(HardwareCounter.CYCLES_ELAPSED, 12800.0);
        read.remove(HardwareCounter.CONFLICTS_MATRIX);
        assertEquals(640, count("shared/conflicts").value());
        assertEquals(
                Map.of("load", 600.0, "store", 40.0, "atomic", 0.0, "copy", 0.0),
                count("shared/conflicts").parts());
        assertEquals(1000, count("shared/wavefronts").value());
        assertEquals(998, count("shared/instruction_wavefronts").value());
        assertEquals(350, count("shared/requests").value());
        assertEquals(360, count("shared/ideal").value());
        assertEquals(0.05, count("shared/conflict_cycles_share").value());
    }

    @Test
    void whatCannotBeIsNotShown() {
        read.put(HardwareCounter.SHARED_WAVEFRONTS, 100.0);
        read.put(HardwareCounter.CONFLICTS, 101.0);
        read.put(HardwareCounter.CYCLES_ELAPSED, 50.0);
        read.put(HardwareCounter.WARPS_ACTIVE_PERCENT, 130.0);
        for (String path : List.of("shared/ideal", "shared/conflict_cycles_share")) {
            assertTrue(
                    reason(path).contains("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum (101.0) is above"), path);
        }
        assertEquals(
                "sm__warps_active.avg.pct_of_peak_sustained_active was read as 130.0", reason("occupancy/achieved"));
    }

    @Test
    void stallsAreSharesOfAllThatAreThere() {
        read.put(HardwareCounter.STALLED_SHORT_SCOREBOARD, 300.0);
        read.put(HardwareCounter.STALLED_MIO_THROTTLE, 150.0);
        read.put(HardwareCounter.STALLED_WAIT, 150.0);
        read.remove(HardwareCounter.STALLED_GMMA);
        assertEquals(0.5, count("stall/short_scoreboard").value());
        assertEquals(0.25, count("stall/mio_throttle").value());
        assertEquals(0, count("stall/barrier").value());
        assertEquals("GA100 has no counter smsp__warps_issue_stalled_gmma.sum", reason("stall/gmma"));
    }

    /** 10 + 20 + 2 * 30 of single, 2 * (1 + 2 + 2 * 3) of half precision, 500 of tensor cores. */
    @Test
    void operationsAreCountedByClass() {
        read.put(HardwareCounter.FADD, 10.0);
        read.put(HardwareCounter.FMUL, 20.0);
        read.put(HardwareCounter.FFMA, 30.0);
        read.put(HardwareCounter.HADD, 1.0);
        read.put(HardwareCounter.HMUL, 2.0);
        read.put(HardwareCounter.HFMA, 3.0);
        read.put(HardwareCounter.TENSOR_F16_F32, 500.0);
        Profile.Count flops = count("executed/flops");
        assertEquals(90 + 18 + 500, flops.value());
        assertEquals(new LinkedHashMap<>(Map.of("fma_f32", 90.0, "fma_f16", 18.0, "tensor_f16", 500.0)), flops.parts());
        assertTrue(flops.formula().contains("4 * smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"), flops::formula);
    }

    @Test
    void ratiosAreOfSums() {
        read.put(HardwareCounter.SECTORS_LOAD, 4000.0);
        read.put(HardwareCounter.SECTORS_STORE, 800.0);
        read.put(HardwareCounter.REQUESTS_LOAD, 1000.0);
        read.put(HardwareCounter.REQUESTS_STORE, 200.0);
        read.put(HardwareCounter.L2_HITS, 30.0);
        read.put(HardwareCounter.L2_MISSES, 90.0);
        assertEquals(4, count("global/sectors_per_request").value());
        assertEquals(0.25, count("l2/hit_rate").value());
    }

    @Test
    void whatWasNotUsedHasAReasonAndNoZero() {
        for (String path : List.of("global/sectors_per_request", "l2/hit_rate", "stall/wait")) {
            assertTrue(reason(path).startsWith("no "), () -> reason(path));
        }
        read.put(HardwareCounter.DRAM_READ, Double.NaN);
        assertEquals("dram__bytes_read.sum was read as NaN", reason("dram/read"));
    }
}
