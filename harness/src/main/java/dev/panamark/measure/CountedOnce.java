package dev.panamark.measure;

import dev.panamark.device.Counted;
import dev.panamark.device.Device;
import dev.panamark.device.LaunchCounter;
import dev.panamark.device.UnsupportedException;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.fill.Filler;
import java.lang.foreign.Arena;

/** What one pass over a kernel's steps does, whether its output is right or not. */
public final class CountedOnce {
    /** Outputs and scratch begin as NaNs of every floating-point type. */
    private static final byte POISON = (byte) 0xff;

    private CountedOnce() {}

    /**
     * Runs the steps once.
     *
     * @param seed of the inputs
     * @throws UnsupportedException where the device cannot run this, or counts nothing
     * @throws dev.panamark.device.DeviceException where the code does not compile or a launch fails
     */
    public static Counted of(Device device, Instance instance, long seed) {
        LaunchCounter counter = switch (device.counter()) {
            case Availability.Available<LaunchCounter>(LaunchCounter there) -> there;
            case Availability.Unavailable<LaunchCounter> none -> throw new UnsupportedException(none.text());
        };
        try (Arena arena = Arena.ofShared();
                Prepared prepared = new Prepared(device, instance)) {
            Inputs inputs = Filler.fill(instance, seed, arena);
            prepared.upload(inputs);
            prepared.poison(POISON);
            return counter.count(prepared::pass);
        }
    }
}
