package dev.panamark.device.cuda;

import static dev.panamark.device.cuda.HardwareCounter.CONFLICTS;
import static dev.panamark.device.cuda.HardwareCounter.CONFLICTS_ATOMIC;
import static dev.panamark.device.cuda.HardwareCounter.CONFLICTS_COPY;
import static dev.panamark.device.cuda.HardwareCounter.CONFLICTS_LOAD;
import static dev.panamark.device.cuda.HardwareCounter.CONFLICTS_MATRIX;
import static dev.panamark.device.cuda.HardwareCounter.CONFLICTS_STORE;
import static dev.panamark.device.cuda.HardwareCounter.CYCLES_ELAPSED;
import static dev.panamark.device.cuda.HardwareCounter.DRAM_READ;
import static dev.panamark.device.cuda.HardwareCounter.DRAM_WRITTEN;
import static dev.panamark.device.cuda.HardwareCounter.L2_HITS;
import static dev.panamark.device.cuda.HardwareCounter.L2_MISSES;
import static dev.panamark.device.cuda.HardwareCounter.REQUESTS_ATOMIC;
import static dev.panamark.device.cuda.HardwareCounter.REQUESTS_LOAD;
import static dev.panamark.device.cuda.HardwareCounter.REQUESTS_REDUCE;
import static dev.panamark.device.cuda.HardwareCounter.REQUESTS_STORE;
import static dev.panamark.device.cuda.HardwareCounter.SECTORS_ATOMIC;
import static dev.panamark.device.cuda.HardwareCounter.SECTORS_LOAD;
import static dev.panamark.device.cuda.HardwareCounter.SECTORS_REDUCE;
import static dev.panamark.device.cuda.HardwareCounter.SECTORS_STORE;
import static dev.panamark.device.cuda.HardwareCounter.SHARED_REQUESTS;
import static dev.panamark.device.cuda.HardwareCounter.SHARED_WAVEFRONTS;
import static dev.panamark.device.cuda.HardwareCounter.SHARED_WAVEFRONTS_OF_INSTRUCTIONS;
import static dev.panamark.device.cuda.HardwareCounter.TENSOR_ACTIVE_PERCENT;
import static dev.panamark.device.cuda.HardwareCounter.THREAD_INSTRUCTIONS;
import static dev.panamark.device.cuda.HardwareCounter.WARPS_ACTIVE_PERCENT;

import dev.panamark.device.Profile;
import dev.panamark.ffi.Availability;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** What NVIDIA's counters say in terms of Panamark's metrics. */
final class CounterFormulas {
    private static final List<HardwareCounter> SECTORS =
            List.of(SECTORS_LOAD, SECTORS_STORE, SECTORS_REDUCE, SECTORS_ATOMIC);
    private static final List<HardwareCounter> REQUESTS =
            List.of(REQUESTS_LOAD, REQUESTS_STORE, REQUESTS_REDUCE, REQUESTS_ATOMIC);
    private static final double PERCENT = 100;

    /** Counters of one figure may be read in different passes, whose lengths differ by this much at most. */
    private static final double MOST_PERCENT = 101;

    private final Map<HardwareCounter, Double> read;
    private final String chip;
    private final SequencedMap<String, Availability<Profile.Count>> counts = new LinkedHashMap<>();

    private CounterFormulas(Map<HardwareCounter, Double> read, String chip) {
        this.read = Map.copyOf(read);
        this.chip = chip;
    }

    /**
     * All metrics that the counters give.
     *
     * @param read what they showed; those that the chip lacks are not in it
     * @param chip for reasons: {@code GA100}
     */
    static SequencedMap<String, Availability<Profile.Count>> of(Map<HardwareCounter, Double> read, String chip) {
        CounterFormulas formulas = new CounterFormulas(read, chip);
        formulas.percentage("occupancy/achieved", WARPS_ACTIVE_PERCENT);
        formulas.shared();
        formulas.stalls();
        formulas.plain("executed/instructions", THREAD_INSTRUCTIONS);
        formulas.flops();
        formulas.percentage("tensor/active", TENSOR_ACTIVE_PERCENT);
        formulas.ratio("global/sectors_per_request", SECTORS, REQUESTS, "no access to global memory");
        formulas.ratio("l2/hit_rate", List.of(L2_HITS), List.of(L2_HITS, L2_MISSES), "no access to the L2 cache");
        formulas.plain("dram/read", DRAM_READ);
        formulas.plain("dram/written", DRAM_WRITTEN);
        return formulas.counts;
    }

    private void shared() {
        plain("shared/requests", SHARED_REQUESTS);
        plain("shared/wavefronts", SHARED_WAVEFRONTS);
        plain("shared/instruction_wavefronts", SHARED_WAVEFRONTS_OF_INSTRUCTIONS);
        if (has("shared/conflicts", CONFLICTS)) {
            SequencedMap<String, Double> kinds = new LinkedHashMap<>();
            part(kinds, "load", CONFLICTS_LOAD);
            part(kinds, "store", CONFLICTS_STORE);
            part(kinds, "atomic", CONFLICTS_ATOMIC);
            part(kinds, "copy", CONFLICTS_COPY);
            part(kinds, "matrix", CONFLICTS_MATRIX);
            put("shared/conflicts", value(CONFLICTS), CONFLICTS.metric(), true, kinds);
        }
        if (has("shared/ideal", SHARED_WAVEFRONTS, CONFLICTS)) {
            ideal();
        }
        share("shared/conflict_cycles_share", CONFLICTS, CYCLES_ELAPSED);
    }

    /** Counters of different passes may contradict each other, which no figure made of them would show. */
    private void ideal() {
        if (value(CONFLICTS) > value(SHARED_WAVEFRONTS)) {
            missing(
                    "shared/ideal",
                    CONFLICTS.metric() + " (" + value(CONFLICTS) + ") is above " + SHARED_WAVEFRONTS.metric() + " ("
                            + value(SHARED_WAVEFRONTS) + "), of which it is a part");
        } else {
            put(
                    "shared/ideal",
                    value(SHARED_WAVEFRONTS) - value(CONFLICTS),
                    SHARED_WAVEFRONTS.metric() + " - " + CONFLICTS.metric(),
                    false,
                    new LinkedHashMap<>());
        }
    }

    /** A part of something: more than all of it cannot be. */
    private void share(String path, HardwareCounter part, HardwareCounter all) {
        if (has(path, part, all) && value(part) > value(all)) {
            missing(path, part.metric() + " (" + value(part) + ") is above " + all.metric() + " (" + value(all) + ")");
        } else {
            ratio(path, List.of(part), List.of(all), all.metric() + " is 0");
        }
    }

    /** Shares of the warp-cycles in which a warp did not issue. */
    private void stalls() {
        List<HardwareCounter> there =
                HardwareCounter.stalls().stream().filter(read::containsKey).toList();
        for (HardwareCounter stall : HardwareCounter.stalls()) {
            String path = "stall/" + stall.reason();
            if (has(path, stall)) {
                double all = sum(there);
                if (all == 0) {
                    missing(path, "no warp stalled");
                } else {
                    put(
                            path,
                            value(stall) / all,
                            stall.metric() + " / the sum of smsp__warps_issue_stalled_*.sum but selected",
                            false,
                            new LinkedHashMap<>());
                }
            }
        }
    }

    /** Packed instructions of half precision work on two numbers; a fused multiply-add is two operations. */
    private void flops() {
        SequencedMap<String, Double> classes = new LinkedHashMap<>();
        List<String> formula = new ArrayList<>();
        fma(classes, formula, "fma_f32", 1, HardwareCounter.FADD, HardwareCounter.FMUL, HardwareCounter.FFMA);
        fma(classes, formula, "fma_f16", 2, HardwareCounter.HADD, HardwareCounter.HMUL, HardwareCounter.HFMA);
        fma(classes, formula, "fma_f64", 1, HardwareCounter.DADD, HardwareCounter.DMUL, HardwareCounter.DFMA);
        tensor(
                classes,
                formula,
                "tensor_f16",
                HardwareCounter.TENSOR_F16,
                HardwareCounter.TENSOR_F16_F16,
                HardwareCounter.TENSOR_F16_F32);
        tensor(classes, formula, "tensor_bf16", HardwareCounter.TENSOR_BF16);
        tensor(classes, formula, "tensor_tf32", HardwareCounter.TENSOR_TF32);
        tensor(classes, formula, "tensor_f64", HardwareCounter.TENSOR_F64);
        tensor(
                classes,
                formula,
                "tensor_f8",
                HardwareCounter.TENSOR_F8,
                HardwareCounter.TENSOR_F4_F6_F8_F16,
                HardwareCounter.TENSOR_F4_F6_F8_F32,
                HardwareCounter.TENSOR_F4);
        if (classes.isEmpty()) {
            missing("executed/flops", "none of its counters is there");
            return;
        }
        double all = classes.values().stream().mapToDouble(d -> d).sum();
        classes.values().removeIf(v -> v == 0);
        put("executed/flops", all, String.join(" + ", formula), false, classes);
    }

    private void fma(
            Map<String, Double> classes,
            List<String> formula,
            String name,
            int width,
            HardwareCounter add,
            HardwareCounter multiply,
            HardwareCounter fused) {
        if (read.keySet().containsAll(List.of(add, multiply, fused))) {
            classes.put(name, width * (value(add) + value(multiply) + 2 * value(fused)));
            String times = width == 1 ? "" : width + " * ";
            formula.add(times + add.metric());
            formula.add(times + multiply.metric());
            formula.add(2 * width + " * " + fused.metric());
        }
    }

    private void tensor(Map<String, Double> classes, List<String> formula, String name, HardwareCounter... counters) {
        List<HardwareCounter> there =
                Arrays.stream(counters).filter(read::containsKey).toList();
        if (!there.isEmpty()) {
            classes.put(name, sum(there));
            there.forEach(counter -> formula.add(counter.metric()));
        }
    }

    private void plain(String path, HardwareCounter counter) {
        if (has(path, counter)) {
            put(path, value(counter), counter.metric(), true, new LinkedHashMap<>());
        }
    }

    private void percentage(String path, HardwareCounter counter) {
        if (has(path, counter)) {
            if (value(counter) > MOST_PERCENT) {
                missing(path, counter.metric() + " was read as " + value(counter));
                return;
            }
            put(path, value(counter) / PERCENT, counter.metric() + " / 100", true, new LinkedHashMap<>());
        }
    }

    private void ratio(String path, List<HardwareCounter> above, List<HardwareCounter> below, String none) {
        List<HardwareCounter> all = new ArrayList<>(above);
        all.addAll(below);
        if (!has(path, all.toArray(HardwareCounter[]::new))) {
            return;
        }
        if (sum(below) == 0) {
            missing(path, none);
            return;
        }
        put(path, sum(above) / sum(below), text(above) + " / " + text(below), false, new LinkedHashMap<>());
    }

    private static String text(List<HardwareCounter> counters) {
        String sum = counters.stream().map(HardwareCounter::metric).collect(Collectors.joining(" + "));
        return counters.size() == 1 ? sum : "(" + sum + ")";
    }

    private void part(Map<String, Double> parts, String name, HardwareCounter counter) {
        Double value = read.get(counter);
        if (value != null) {
            parts.put(name, value);
        }
    }

    private double sum(List<HardwareCounter> counters) {
        return counters.stream().mapToDouble(this::value).sum();
    }

    private double value(HardwareCounter counter) {
        return read.getOrDefault(counter, Double.NaN);
    }

    /** Whether all are there and are numbers; otherwise the metric says which is not. */
    private boolean has(String path, HardwareCounter... counters) {
        for (HardwareCounter counter : counters) {
            Double value = read.get(counter);
            if (value == null) {
                missing(path, chip + " has no counter " + counter.metric());
                return false;
            }
            if (!Double.isFinite(value)) {
                missing(path, counter.metric() + " was read as " + value);
                return false;
            }
        }
        return true;
    }

    private void missing(String path, String why) {
        counts.put(path, Availability.missing(why, "Other metrics do not need it."));
    }

    private void put(String path, double value, String formula, boolean plain, SequencedMap<String, Double> parts) {
        counts.put(path, Availability.of(new Profile.Count(value, formula, plain, parts)));
    }
}
