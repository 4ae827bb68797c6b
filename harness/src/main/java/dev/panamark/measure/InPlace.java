package dev.panamark.measure;

import dev.panamark.device.Device;

/** Launches that spoil their own inputs, which have to be there again before each. */
final class InPlace extends Pass {
    private final Runnable restoring;

    InPlace(Device device, Runnable[] steps, Runnable restoring) {
        super(device, steps);
        this.restoring = restoring;
    }

    @Override
    public void restore() {
        restoring.run();
    }

    @Override
    public boolean needsRestore() {
        return true;
    }
}
