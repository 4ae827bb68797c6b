package dev.panamark.measure;

import dev.panamark.device.Counted;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.check.Poison;
import dev.panamark.kernel.fill.Filler;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;

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
 * @param counted what its second pass did, on a device that counts launches and cannot time them
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
        Optional<Counted> counted,
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
            // What a counting device does with the same inputs does not change, and what is unwritten showed before.
            List<Runnable> passes =
                    counted.isPresent() ? List.of(prepared::pass) : List.of(prepared::pass, prepared::pass);
            return validation.validate(prepared, others, passes, evidence);
        }
    }

    @Override
    public void close() {
        prepared.close();
        arena.close();
    }
}
