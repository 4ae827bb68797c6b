package dev.panamark.device.cuda;

import dev.panamark.device.gpu.EventTimer;
import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaEvent;
import dev.panamark.driver.cuda.CudaStream;

/** CUDA events; the launch gate holds the stream back. */
record CudaEvents(CudaContext context, CudaStream stream, LaunchGate gate) implements EventTimer.Events<CudaEvent> {
    /** The reference of cuEventElapsedTime: "a resolution of approximately 0.5 microseconds". */
    private static final double DOCUMENTED = 0.5e-6;

    @Override
    public String clock() {
        return "CUDA events";
    }

    @Override
    public double documentedResolution() {
        return DOCUMENTED;
    }

    @Override
    public CudaEvent create() {
        return context.createEvent(true);
    }

    @Override
    public void close(CudaEvent event) {
        event.close();
    }

    @Override
    public void record(CudaEvent event) {
        event.record(stream);
    }

    @Override
    public void await(CudaEvent event) {
        event.synchronize();
    }

    @Override
    public double seconds(CudaEvent from, CudaEvent to) {
        return to.secondsSince(from);
    }

    @Override
    public void holdBack() {
        gate.shut();
    }

    @Override
    public void letGo() {
        gate.open();
    }
}
