package dev.panamark.device;

import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Something that can be asked for energy or power: a counter of a processor package, a sensor of a GPU board. Used by
 * one thread at a time. It only reads; when to read and what to make of it is the caller's.
 */
public interface PowerMeter extends AutoCloseable {

    /** What it meters and how. */
    MeterInfo info();

    /**
     * The meter of the same joules that this one is there to be compared with, by its id; empty for one that is there for
     * itself.
     */
    default Optional<String> checks() {
        return Optional.empty();
    }

    /**
     * Whether it meters a device, and nothing else. A library of meters numbers devices in its own way, so where it knows
     * UUIDs, these decide.
     */
    default boolean isOf(DeviceInfo device) {
        return info().device().equals(device.id()) || info().uuid().equals(Optional.of(device.uuid()));
    }

    /** What else is known of its subject now, by name, with units: its power limit, how it is divided. */
    default SequencedMap<String, String> facts() {
        return new LinkedHashMap<>();
    }

    /**
     * What it shows now, in counts of {@link MeterInfo#unit}. Costs microseconds; allocates little or nothing.
     *
     * @throws DeviceException when it cannot be read; the message names the file or call, and what came
     */
    long read();

    @Override
    void close();
}
