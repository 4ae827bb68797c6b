package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.device.LaunchExplainer;
import dev.panamark.device.UnsupportedException;
import dev.panamark.finding.Explanation;
import dev.panamark.kernel.Instance;

/** What holds one pass over a kernel's steps back. */
public final class ExplainedOnce {
    private ExplainedOnce() {}

    /**
     * Runs the steps once.
     *
     * @param seed of the inputs
     * @throws UnsupportedException where the device cannot run this, or explains nothing
     * @throws dev.panamark.device.DeviceException where the code does not compile or a launch fails
     */
    public static Explanation of(Device device, Instance instance, long seed) {
        LaunchExplainer explainer = device.launchExplainer().orElseThrow(UnsupportedException::new);
        return OnePass.with(device, instance, seed, (prepared, inputs, arena) -> explainer.explain(prepared::pass));
    }
}
