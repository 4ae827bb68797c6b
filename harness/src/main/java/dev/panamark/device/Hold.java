package dev.panamark.device;

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

    @Override
    void close();
}
