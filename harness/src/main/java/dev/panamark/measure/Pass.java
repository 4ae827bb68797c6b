package dev.panamark.measure;

import dev.panamark.device.Device;

/** Launches that follow each other and are timed as one. Allocates nothing a launch. */
class Pass implements Subject {
    private final Device device;
    private final Runnable[] steps;
    private int passes;
    private final Runnable work = this::work;

    Pass(Device device, Runnable[] steps) {
        this.device = device;
        this.steps = steps;
    }

    @Override
    public void restore() {}

    @Override
    public boolean needsRestore() {
        return false;
    }

    @Override
    public final double time(int launches) {
        passes = launches;
        return device.timer().time(work);
    }

    private void work() {
        for (int i = passes; i > 0; i--) {
            for (Runnable step : steps) {
                step.run();
            }
        }
    }
}
