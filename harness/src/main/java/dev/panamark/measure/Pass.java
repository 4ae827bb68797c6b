package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.device.Timer;

/** Launches that follow each other and are timed as one. Allocates nothing a launch. */
class Pass implements Subject {
    private final Timer timer;
    private final Runnable[] steps;
    private int passes;
    private final Runnable work = this::work;

    Pass(Device device, Runnable[] steps) {
        this.timer = Timers.of(device);
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
        return timer.time(work);
    }

    private void work() {
        for (int i = passes; i > 0; i--) {
            for (Runnable step : steps) {
                step.run();
            }
        }
    }
}
