package dev.panamark.device.profile;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * What devices of one design have in common.
 *
 * @param name as in the data: {@code gh100}
 * @param vendor {@code NVIDIA} or {@code AMD}
 * @param unit {@code SM} or {@code CU}
 * @param target of the compiler: {@code sm_90}, {@code gfx942}
 * @param rates operations per clock of one unit, by class: {@code tensor_f16}, {@code fma_f32}; a fused multiply-add
 *     is two operations
 * @param limits of one unit: {@code shared_per_unit} (B), {@code shared_per_block} (B), {@code registers_per_unit},
 *     {@code registers_per_thread}, {@code warps}, {@code warp_width}, {@code threads}, {@code blocks}, {@code banks},
 *     {@code bank_bytes} (B), and where known {@code shared_reserved_per_block} (B), {@code shared_granule} (B), {@code
 *     register_granule} (per warp), {@code partitions}
 */
public record Architecture(
        String name,
        String vendor,
        String unit,
        String target,
        SequencedMap<String, Figure> rates,
        SequencedMap<String, Figure> limits) {
    /** Copies, keeping the order. */
    public Architecture {
        rates = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(rates));
        limits = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(limits));
    }

    /**
     * Operations per clock of one unit.
     *
     * @param operation a class of {@link #rates}, or a class of kernel files whose type names a format: {@code
     *     tensor_e4m3} has the rate of {@code tensor_f8}. Sums of f16, {@code _acc16}, have that of f32 sums where
     *     no other is in the data
     */
    public Figure rate(String operation) {
        String canonical = canonical(operation);
        Figure rate = rates.getOrDefault(canonical, rates.get(canonical.replaceFirst("_acc16$", "")));
        return rate == null ? Figure.missing("FLOP/clk", "no rate of " + operation + " is known for " + name) : rate;
    }

    /** FP8 runs at one rate, whatever its format. */
    static String canonical(String operation) {
        return operation.replaceFirst("_(e4m3|e5m2)(fnuz|fn)?(?=_|$)", "_f8");
    }
}
