package dev.panamark.device.hip;

import java.util.Arrays;
import java.util.List;

/**
 * The counters that are read, by the names that ROCm's profiler gives them (rocprofiler-sdk 1.0.0, counter_defs.yaml). Shares
 * are those that ROCm derives: it divides by the largest {@code GRBM_GUI_ACTIVE} of the XCDs, so no number of XCDs comes in.
 */
enum RocprofCounter {
    /** 100 * sum(SQ_LDS_BANK_CONFLICT) / max(GRBM_GUI_ACTIVE) / CU_NUM. */
    LDS_BANK_CONFLICT("LDSBankConflict", 0, true),
    LDS_INSTRUCTIONS("SQ_INSTS_LDS", 0, false),
    /** 400 * sum(SQ_WAVE_CYCLES) / max(GRBM_GUI_ACTIVE) / CU_NUM / 32. */
    OCCUPANCY("OccupancyPercent", 1, true),
    /** 100 * sum(SQ_VALU_MFMA_BUSY_CYCLES) / (max(GRBM_GUI_ACTIVE) * SIMD_NUM). */
    MFMA_UTIL("MfmaUtil", 2, true),
    MFMA_F16("SQ_INSTS_VALU_MFMA_MOPS_F16", 3, false),
    MFMA_BF16("SQ_INSTS_VALU_MFMA_MOPS_BF16", 3, false),
    MFMA_F32("SQ_INSTS_VALU_MFMA_MOPS_F32", 3, false),
    MFMA_F64("SQ_INSTS_VALU_MFMA_MOPS_F64", 3, false),
    /** From CDNA3 on; in a run of its own, as a name that a chip does not know spoils the others of its run. */
    MFMA_F8("SQ_INSTS_VALU_MFMA_MOPS_F8", 4, false),
    /** KiB. */
    FETCHED("FETCH_SIZE", 5, false),
    /** KiB. */
    WRITTEN("WRITE_SIZE", 6, false),
    L2_HITS("TCC_HIT_sum", 7, false),
    L2_MISSES("TCC_MISS_sum", 7, false);

    private final String metric;
    private final int run;
    private final boolean percentage;

    RocprofCounter(String metric, int run, boolean percentage) {
        this.metric = metric;
        this.run = run;
        this.percentage = percentage;
    }

    String metric() {
        return metric;
    }

    /** Of the time in which the GPU worked, so that the mean over launches is weighted with their times. */
    boolean isPercentage() {
        return percentage;
    }

    /** Runs of a process that all of them take: a run counts what fits into one pass. */
    static int runs() {
        return Arrays.stream(values()).mapToInt(counter -> counter.run).max().orElseThrow() + 1;
    }

    static List<RocprofCounter> ofRun(int run) {
        return Arrays.stream(values()).filter(counter -> counter.run == run).toList();
    }
}
