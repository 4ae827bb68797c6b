package dev.panamark.device;

import java.util.List;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/**
 * A device held as still as it can be while something is timed, and what happened to it meanwhile. Used by the thread
 * that launches; closing lets go.
 */
public interface Hold extends AutoCloseable {

    /** What is held and how, or why not; JSON values. */
    SequencedMap<String, Object> facts();

    /**
     * How often something else took the device, or a thread that works for it, away. Only the difference of two
     * readings has a meaning. Allocates nothing.
     */
    long interruptions();

    /** The device's clock now, Hz; empty where it cannot be read, and then {@link #facts} says why. */
    OptionalDouble clock();

    /** A new eye on the device's state, for what is sampled next. */
    default Watch watch() {
        return Watch.NONE;
    }

    /** What else may disturb the times, in sentences for whoever reads the row. */
    default List<String> warnings() {
        return List.of();
    }

    @Override
    void close();
}
