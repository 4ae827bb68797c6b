package dev.panamark.kernel;

import java.util.Map;
import java.util.Optional;

/**
 * What a kernel's outputs are compared with.
 *
 * @param reference name of a reference of {@code dev.panamark.kernel.reference}
 * @param against name of another kernel, where there is no reference
 * @param oracle whether this kernel only serves as the truth for others: nothing checks it, so it is never timed
 * @param conventions what the kernel family leaves open: scale, causal alignment, window, layout, granularity
 * @param buffers names that the reference uses, to names in the kernel file, where they differ
 */
public record Check(
        Optional<String> reference,
        Optional<String> against,
        boolean oracle,
        Map<String, Value> conventions,
        Map<String, String> buffers) {
    /** For a kernel that is checked itself. */
    public Check(
            Optional<String> reference,
            Optional<String> against,
            Map<String, Value> conventions,
            Map<String, String> buffers) {
        this(reference, against, false, conventions, buffers);
    }

    /** Copies. */
    public Check {
        conventions = Map.copyOf(conventions);
        buffers = Map.copyOf(buffers);
    }
}
