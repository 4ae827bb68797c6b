package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.device.LaunchExplainer;
import dev.panamark.device.UnsupportedException;
import dev.panamark.ffi.Availability;
import dev.panamark.finding.Explanation;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.fill.Filler;
import java.lang.foreign.Arena;

/** What holds one pass over a kernel's steps back. */
public final class ExplainedOnce {
    /** Outputs and scratch begin as NaNs of every floating-point type. */
    private static final byte POISON = (byte) 0xff;

    private ExplainedOnce() {}

    /**
     * Runs the steps once.
     *
     * @param seed of the inputs
     * @throws UnsupportedException where the device cannot run this, or explains nothing
     * @throws dev.panamark.device.DeviceException where the code does not compile or a launch fails
     */
    public static Explanation of(Device device, Instance instance, long seed) {
        LaunchExplainer explainer = switch (device.launchExplainer()) {
            case Availability.Available<LaunchExplainer>(LaunchExplainer there) -> there;
            case Availability.Unavailable<LaunchExplainer> none -> throw new UnsupportedException(none.text());
        };
        try (Arena arena = Arena.ofShared();
                Prepared prepared = new Prepared(device, instance)) {
            Inputs inputs = Filler.fill(instance, seed, arena);
            prepared.upload(inputs);
            prepared.poison(POISON);
            return explainer.explain(prepared::pass);
        }
    }
}
