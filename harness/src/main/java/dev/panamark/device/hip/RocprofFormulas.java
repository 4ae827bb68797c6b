package dev.panamark.device.hip;

import dev.panamark.device.Profile;
import dev.panamark.ffi.Availability;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** What ROCm's counters say in terms of Panamark's metrics. */
final class RocprofFormulas {
    private static final double PERCENT = 100;

    /** Counters of matrix operations count them by so many (rocprofiler-sdk, counter_defs.yaml: MfmaFlops). */
    private static final double MOPS = 512;

    private static final double KIBI = 1024;

    /** What AMD's counters do not tell, and why. */
    private static final Map<String, String> NOT_COUNTED = Map.of(
            "shared/wavefronts", "AMD counts cycles of bank conflicts, not passes over the banks",
            "shared/ideal", "AMD counts cycles of bank conflicts, not passes over the banks",
            "shared/conflicts", "AMD counts cycles of bank conflicts, not passes over the banks",
            "shared/instruction_wavefronts", "AMD counts cycles of bank conflicts, not passes over the banks",
            "global/sectors_per_request", "AMD's caches have lines of 64 and 128 bytes, and no sectors",
            "executed/flops", "AMD counts instructions of wavefronts, and not which of their lanes were active",
            "executed/instructions", "AMD counts instructions of wavefronts, and not which of their lanes were active",
            "stall/short_scoreboard", "AMD counts no stalls by reason",
            "stall/mio_throttle", "AMD counts no stalls by reason");

    private final Map<RocprofCounter, Double> read;
    private final Map<RocprofCounter, String> failures;
    private final SequencedMap<String, Availability<Profile.Count>> counts = new LinkedHashMap<>();

    private RocprofFormulas(Map<RocprofCounter, Double> read, Map<RocprofCounter, String> failures) {
        this.read = Map.copyOf(read);
        this.failures = Map.copyOf(failures);
    }

    /**
     * All metrics that the counters give.
     *
     * @param read what they showed
     * @param failures why others showed nothing
     */
    static SequencedMap<String, Availability<Profile.Count>> of(
            Map<RocprofCounter, Double> read, Map<RocprofCounter, String> failures) {
        RocprofFormulas formulas = new RocprofFormulas(read, failures);
        formulas.scaled("occupancy/achieved", RocprofCounter.OCCUPANCY, 1 / PERCENT, " / 100");
        formulas.scaled("shared/requests", RocprofCounter.LDS_INSTRUCTIONS, 1, "");
        formulas.scaled("shared/conflict_cycles_share", RocprofCounter.LDS_BANK_CONFLICT, 1 / PERCENT, " / 100");
        formulas.matrix();
        formulas.hits();
        formulas.scaled("dram/read", RocprofCounter.FETCHED, KIBI, " * 1024");
        formulas.scaled("dram/written", RocprofCounter.WRITTEN, KIBI, " * 1024");
        NOT_COUNTED.forEach((path, why) -> formulas.missing(path, why));
        return formulas.counts;
    }

    private void matrix() {
        if (!has("tensor/active", RocprofCounter.MFMA_UTIL)) {
            return;
        }
        SequencedMap<String, Double> flops = new LinkedHashMap<>();
        Map<String, RocprofCounter> types = new LinkedHashMap<>();
        types.put("flops_f16", RocprofCounter.MFMA_F16);
        types.put("flops_bf16", RocprofCounter.MFMA_BF16);
        types.put("flops_f32", RocprofCounter.MFMA_F32);
        types.put("flops_f64", RocprofCounter.MFMA_F64);
        types.put("flops_f8", RocprofCounter.MFMA_F8);
        types.forEach((name, counter) -> {
            Double counted = read.get(counter);
            if (counted != null) {
                flops.put(name, MOPS * counted);
            }
        });
        put(
                "tensor/active",
                value(RocprofCounter.MFMA_UTIL) / PERCENT,
                RocprofCounter.MFMA_UTIL.metric() + " / 100; flops: 512 * SQ_INSTS_VALU_MFMA_MOPS_*",
                true,
                flops);
    }

    private void hits() {
        if (has("l2/hit_rate", RocprofCounter.L2_HITS, RocprofCounter.L2_MISSES)) {
            double all = value(RocprofCounter.L2_HITS) + value(RocprofCounter.L2_MISSES);
            if (all == 0) {
                missing("l2/hit_rate", "no access to the L2 cache");
            } else {
                put(
                        "l2/hit_rate",
                        value(RocprofCounter.L2_HITS) / all,
                        "TCC_HIT_sum / (TCC_HIT_sum + TCC_MISS_sum)",
                        false,
                        new LinkedHashMap<>());
            }
        }
    }

    private void scaled(String path, RocprofCounter counter, double factor, String words) {
        if (has(path, counter)) {
            put(path, value(counter) * factor, counter.metric() + words, true, new LinkedHashMap<>());
        }
    }

    /** Whether all are there; otherwise the metric says which is not. */
    private boolean has(String path, RocprofCounter... counters) {
        for (RocprofCounter counter : List.of(counters)) {
            if (!read.containsKey(counter)) {
                missing(path, failures.getOrDefault(counter, "rocprofv3 did not tell " + counter.metric()));
                return false;
            }
            if (counter.isPercentage() && value(counter) > PERCENT) {
                missing(path, counter.metric() + " was read as " + value(counter));
                return false;
            }
        }
        return true;
    }

    private double value(RocprofCounter counter) {
        return read.getOrDefault(counter, Double.NaN);
    }

    private void missing(String path, String why) {
        counts.put(path, Availability.missing(why, "Other metrics do not need it."));
    }

    private void put(String path, double value, String formula, boolean plain, SequencedMap<String, Double> parts) {
        counts.put(path, Availability.of(new Profile.Count(value, formula, plain, parts)));
    }
}
