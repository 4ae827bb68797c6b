package dev.panamark.device.gpu;

import dev.panamark.device.Timer;
import java.util.ArrayList;
import java.util.List;

/**
 * Events before and after the work, in its stream.
 *
 * @param <E> events of the driver
 */
public final class EventTimer<E> implements Timer {
    /** An event takes the device about a microsecond; below this it would show. */
    private static final double SHORTEST_SAMPLE = 250e-6;

    /** Differences of 32-bit milliseconds that are no more than rounding. */
    private static final double ROUNDING = 1e-11;

    private static final int EVENTS = 64;

    private final Events<E> events;
    private final Refusals refusals;
    private final E start;
    private final E stop;
    private final double resolution;

    /** Measures the resolution, which takes well under a millisecond. */
    public EventTimer(Events<E> events, Refusals refusals) {
        this.events = events;
        this.refusals = refusals;
        this.start = events.create();
        this.stop = events.create();
        this.resolution = measured(events);
    }

    /**
     * Events in the stream of a GPU.
     *
     * @param <E> events of the driver
     */
    public interface Events<E> {
        /** As results call the clock: "CUDA events". */
        String clock();

        /** The coarsest that the manual allows, s. */
        double documentedResolution();

        /** A new one, which notes the time when it is reached. */
        E create();

        /** Gives one back. */
        void close(E event);

        /** Puts one into the stream. Allocates nothing. */
        void record(E event);

        /** Waits until one is reached. */
        void await(E event);

        /** Seconds from one that is reached to another. */
        double seconds(E from, E to);

        /** From now on what is put into the stream may be held back. */
        default void holdBack() {}

        /** What was held back goes on. */
        default void letGo() {}
    }

    /** The smallest difference among the times of events that follow each other. */
    private static <E> double measured(Events<E> events) {
        List<E> made = new ArrayList<>();
        try {
            for (int i = 0; i < EVENTS; i++) {
                made.add(events.create());
            }
            made.forEach(events::record);
            events.await(made.getLast());
            double[] times = made.stream()
                    .mapToDouble(e -> events.seconds(made.getFirst(), e))
                    .sorted()
                    .toArray();
            double least = events.documentedResolution();
            for (int i = 1; i < times.length; i++) {
                double step = times[i] - times[i - 1];
                least = step > ROUNDING ? Math.min(least, step) : least;
            }
            return least;
        } finally {
            made.forEach(events::close);
        }
    }

    @Override
    public String clock() {
        return events.clock();
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
                events.holdBack();
                events.record(start);
                work.run();
                events.record(stop);
            } finally {
                events.letGo();
            }
            events.await(stop);
            return events.seconds(start, stop);
        } catch (RuntimeException e) {
            throw refusals.of(e);
        }
    }
}
