package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.fill.Filler;
import java.lang.foreign.Arena;

/** A kernel's steps made ready for one pass: inputs filled, outputs and scratch poisoned. */
final class OnePass {
    /** NaNs of every floating-point type. */
    private static final byte POISON = (byte) 0xff;

    private OnePass() {}

    /** What is done with it. */
    interface Use<T> {
        T on(Prepared prepared, Inputs inputs, Arena arena);
    }

    /**
     * Makes it ready and gives it back afterwards.
     *
     * @param seed of the inputs
     */
    static <T> T with(Device device, Instance instance, long seed, Use<T> use) {
        try (Arena arena = Arena.ofShared();
                Prepared prepared = new Prepared(device, instance)) {
            Inputs inputs = Filler.fill(instance, seed, arena);
            prepared.upload(inputs);
            prepared.poison(POISON);
            return use.on(prepared, inputs, arena);
        }
    }
}
