package dev.panamark.measure;

import dev.panamark.device.Counted;
import dev.panamark.device.Device;
import dev.panamark.device.LaunchCounter;
import dev.panamark.device.UnsupportedException;
import dev.panamark.kernel.Instance;

/** What one pass over a kernel's steps does, whether its output is right or not. */
public final class CountedOnce {
    private CountedOnce() {}

    /**
     * Runs the steps once.
     *
     * @param seed of the inputs
     * @throws UnsupportedException where the device cannot run this, or counts nothing
     * @throws dev.panamark.device.DeviceException where the code does not compile or a launch fails
     */
    public static Counted of(Device device, Instance instance, long seed) {
        LaunchCounter counter = device.counter().orElseThrow(UnsupportedException::new);
        return OnePass.with(device, instance, seed, (prepared, inputs, arena) -> counter.count(prepared::pass));
    }
}
