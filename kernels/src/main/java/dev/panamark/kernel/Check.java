package dev.panamark.kernel;

import java.util.Map;
import java.util.Optional;

/**
 * What a kernel's outputs are compared with.
 *
 * @param reference name of a reference of {@code dev.panamark.kernel.reference}
 * @param against name of another kernel, where there is no reference
 * @param conventions what the kernel family leaves open: scale, causal alignment, window, layout, granularity
 * @param buffers names that the reference uses, to names in the kernel file, where they differ
 */
public record Check(
        Optional<String> reference,
        Optional<String> against,
        Map<String, Value> conventions,
        Map<String, String> buffers) {
    /** Copies. */
    public Check {
        conventions = Map.copyOf(conventions);
        buffers = Map.copyOf(buffers);
    }
}
