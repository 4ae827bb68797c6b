package dev.panamark.kernel;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A quantity that a kernel is measured at several values of.
 *
 * @param name as in the kernel file
 * @param values defaults
 * @param perBackend defaults of backends that have their own ({@code cpu}, {@code emu}, {@code cuda}, {@code hip})
 */
public record Axis(String name, List<Value> values, Map<String, List<Value>> perBackend) {
    /** Copies, keeping the order. */
    public Axis {
        values = List.copyOf(values);
        perBackend = Collections.unmodifiableMap(new LinkedHashMap<>(perBackend));
    }

    /** The defaults on a backend. */
    public List<Value> valuesOn(String backend) {
        return perBackend.getOrDefault(backend, values);
    }

    /** What kind of value it takes: "whole numbers", "numbers", "words" or "true or false". */
    String kind() {
        return AxisValues.kind(values);
    }
}
