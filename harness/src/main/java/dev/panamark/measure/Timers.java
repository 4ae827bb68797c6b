package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.device.Timer;
import dev.panamark.device.UnsupportedException;
import dev.panamark.ffi.Availability;

/** Clocks of devices that are to be timed. */
final class Timers {
    private Timers() {}

    /**
     * The device's clock.
     *
     * @throws UnsupportedException where it has none
     */
    static Timer of(Device device) {
        return switch (device.timer()) {
            case Availability.Available<Timer>(Timer timer) -> timer;
            case Availability.Unavailable<Timer> none -> throw new UnsupportedException(none.text());
        };
    }
}
