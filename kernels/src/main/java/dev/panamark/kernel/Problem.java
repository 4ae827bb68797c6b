package dev.panamark.kernel;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/**
 * One value for every axis of a kernel: what is measured in one row.
 *
 * @param values by axis name, in the order of the kernel file
 */
public record Problem(SequencedMap<String, Value> values) {
    /** Copies, keeping the order. */
    public Problem {
        values = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(values));
    }

    /** {@code name=value} pairs with spaces between. */
    @Override
    public String toString() {
        return values.entrySet().stream()
                .map(e -> e.getKey() + "=" + e.getValue())
                .collect(Collectors.joining(" "));
    }
}
