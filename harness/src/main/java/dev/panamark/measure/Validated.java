package dev.panamark.measure;

import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.check.Poison;
import dev.panamark.kernel.fill.Filler;
import java.lang.foreign.Arena;

/**
 * A kernel on the device that gave the right output, and what is needed to time it and to judge it again. Closing it
 * frees its memory.
 *
 * @param prepared the kernel with its buffers
 * @param arena of the inputs
 * @param inputs that the device holds
 * @param metrics of its row
 * @param validation judges its outputs
 * @param evidence keeps what was wrong
 * @param before what the first validation found
 * @param seconds that it took, filling the inputs included
 */
record Validated(
        Prepared prepared,
        Arena arena,
        Inputs inputs,
        RowMetrics metrics,
        Validation validation,
        Validation.Evidence evidence,
        Validation.Outcome before,
        double seconds)
        implements AutoCloseable {
    /** Any other seed than that of the first inputs will do. */
    private static final long OTHER = 0x5DEECE66DL;

    /** Inputs as they were, outputs that no launch before can have left right. */
    void poison() {
        prepared.upload(inputs);
        prepared.poison(Poison.A.value());
    }

    /** What the timed launches left. */
    Validation.Outcome afterTiming() {
        return validation.afterTiming(prepared, inputs, before.expected(), evidence);
    }

    /** Another validation, on inputs that no launch has seen. */
    Validation.Outcome again() {
        try (Arena fresh = Arena.ofShared()) {
            Inputs others = Filler.fill(prepared.instance(), inputs.seed() ^ OTHER, fresh);
            return validation.validate(prepared, others, false, evidence);
        }
    }

    @Override
    public void close() {
        prepared.close();
        arena.close();
    }
}
