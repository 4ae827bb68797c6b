package dev.panamark.device.hip;

import dev.panamark.device.gpu.EventTimer;
import dev.panamark.driver.hip.HipContext;
import dev.panamark.driver.hip.HipEvent;
import dev.panamark.driver.hip.HipStream;

/** HIP events. */
record HipEvents(HipContext context, HipStream stream) implements EventTimer.Events<HipEvent> {
    /** The reference of hipEventElapsedTime: "with a resolution of approximately 1 us". */
    private static final double DOCUMENTED = 1e-6;

    @Override
    public String clock() {
        return "HIP events";
    }

    @Override
    public double documentedResolution() {
        return DOCUMENTED;
    }

    @Override
    public HipEvent create() {
        return context.createEvent(true);
    }

    @Override
    public void close(HipEvent event) {
        event.close();
    }

    @Override
    public void record(HipEvent event) {
        event.record(stream);
    }

    @Override
    public void await(HipEvent event) {
        event.synchronize();
    }

    @Override
    public double seconds(HipEvent from, HipEvent to) {
        return to.secondsSince(from);
    }
}
