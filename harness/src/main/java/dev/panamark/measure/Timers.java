package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.device.Timer;
import dev.panamark.device.UnsupportedException;

/** Clocks of devices that are to be timed. */
final class Timers {
    private Timers() {}

    /**
     * The device's clock.
     *
     * @throws UnsupportedException where it has none
     */
    static Timer of(Device device) {
        return device.timer().orElseThrow(UnsupportedException::new);
    }
}
