package dev.panamark.kernel;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * What one pass over all steps has to do, for one set of inputs.
 *
 * @param flops floating-point operations by class (unit and type: {@code fma_f32}, {@code tensor_f16})
 * @param reads bytes that must be read from device memory, each counted once
 * @param writes bytes that must be written
 * @param tokens tokens that pass through, where the kernel file says so
 */
public record Work(SequencedMap<String, Double> flops, double reads, double writes, Optional<Tokens> tokens) {

    /** Copies, keeping the order. */
    public Work {
        flops = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(flops));
    }

    /**
     * Tokens of one pass.
     *
     * @param count how many
     * @param kind {@code prefill}, {@code decode} or {@code moved}
     */
    public record Tokens(double count, String kind) {}

    /** Operations of all classes. */
    public double allFlops() {
        return flops.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** Bytes read and written. */
    public double bytes() {
        return reads + writes;
    }
}
