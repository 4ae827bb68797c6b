package dev.panamark.device;

import dev.panamark.ffi.Availability;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.OptionalInt;
import java.util.SequencedMap;

/**
 * What hardware counters told of launches, all of them together.
 *
 * @param by who read them, with its version
 * @param passes how often the launches ran for that, as a device counts few things at a time; empty where that is not told
 * @param counts by the path of the metric: {@code occupancy/achieved}
 */
public record Profile(String by, OptionalInt passes, SequencedMap<String, Availability<Count>> counts) {
    /** Copies, keeping the order. */
    public Profile {
        counts = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(counts));
    }

    /**
     * A figure.
     *
     * @param value in the metric's unit
     * @param formula the counters as their maker calls them, and what was made of them
     * @param plain whether it is what one counter showed, or the sum of some
     * @param parts figures that it is made of or that belong to it, by name
     */
    public record Count(double value, String formula, boolean plain, SequencedMap<String, Double> parts) {
        /** Copies, keeping the order. */
        public Count {
            parts = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(parts));
        }
    }
}
