package dev.panamark.kernel;

import java.util.Map;

/**
 * The host's copy of everything that a kernel reads: one tensor for every input and inout.
 *
 * @param tensors by buffer name
 * @param seed that they were made from
 */
public record Inputs(Map<String, Tensor> tensors, long seed) {
    /** Copies the map, not the memory. */
    public Inputs {
        tensors = Map.copyOf(tensors);
    }

    /** The tensor of this name. */
    public Tensor get(String name) {
        Tensor t = tensors.get(name);
        if (t == null) {
            throw new IllegalArgumentException("no input '" + name + "'; there are " + tensors.keySet());
        }
        return t;
    }
}
