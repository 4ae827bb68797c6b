package dev.panamark.device.cuda;

import dev.panamark.device.Timer;
import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaEvent;
import dev.panamark.driver.cuda.CudaException;
import dev.panamark.driver.cuda.CudaStream;
import java.util.ArrayList;
import java.util.List;

/** Events before and after the work, in its stream. */
final class EventTimer implements Timer {
    /** An event takes the device about a microsecond; below this it would show. */
    private static final double SHORTEST_SAMPLE = 250e-6;

    /** The reference of cuEventElapsedTime: "a resolution of approximately 0.5 microseconds". */
    private static final double DOCUMENTED = 0.5e-6;

    /** Differences of 32-bit milliseconds that are no more than rounding. */
    private static final double ROUNDING = 1e-11;

    private static final int EVENTS = 64;

    private final CudaStream stream;
    private final LaunchGate gate;
    private final Refusals refusals;
    private final CudaEvent start;
    private final CudaEvent stop;
    private final double resolution;

    /** Measures the resolution, which takes well under a millisecond. */
    EventTimer(CudaContext context, CudaStream stream, LaunchGate gate, Refusals refusals) {
        this.stream = stream;
        this.gate = gate;
        this.refusals = refusals;
        this.start = context.createEvent(true);
        this.stop = context.createEvent(true);
        this.resolution = resolution(context, stream);
    }

    /** The smallest difference among the times of events that follow each other. */
    private static double resolution(CudaContext context, CudaStream stream) {
        List<CudaEvent> events = new ArrayList<>();
        try {
            for (int i = 0; i < EVENTS; i++) {
                events.add(context.createEvent(true));
            }
            events.forEach(e -> e.record(stream));
            stream.synchronize();
            double[] times = events.stream()
                    .mapToDouble(e -> e.secondsSince(events.getFirst()))
                    .sorted()
                    .toArray();
            double least = DOCUMENTED;
            for (int i = 1; i < times.length; i++) {
                double step = times[i] - times[i - 1];
                least = step > ROUNDING ? Math.min(least, step) : least;
            }
            return least;
        } finally {
            events.forEach(CudaEvent::close);
        }
    }

    @Override
    public String clock() {
        return "CUDA events";
    }

    @Override
    public double resolution() {
        return resolution;
    }

    @Override
    public double shortest() {
        return SHORTEST_SAMPLE;
    }

    @Override
    public boolean isQueued() {
        return true;
    }

    @Override
    public double time(Runnable work) {
        try {
            try {
                gate.shut();
                start.record(stream);
                work.run();
                stop.record(stream);
            } finally {
                gate.open();
            }
            stop.synchronize();
            return stop.secondsSince(start);
        } catch (CudaException e) {
            throw refusals.of(e);
        }
    }
}
