package dev.panamark.device;

import dev.panamark.ffi.Availability;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * An eye on the state of a device while something is sampled on it: what its driver tells between samples. Used by the
 * thread that launches.
 */
public interface Watch {

    /** Sees nothing, of a device with nothing to see. */
    Watch NONE = new Watch() {
        @Override
        public void look() {}

        @Override
        public Optional<Availability<Seen>> seen() {
            return Optional.empty();
        }
    };

    /** Asks once. Takes microseconds and allocates nothing; what cannot be asked is told by {@link #seen}. */
    void look();

    /** What was seen so far, or why nothing; empty for a device whose driver tells no such thing. */
    Optional<Availability<Seen>> seen();

    /**
     * What was seen.
     *
     * @param looks how many
     * @param lowered why clocks were lower than they could be
     * @param hottest highest temperature of the chip, degrees Celsius; empty where it cannot be read
     */
    record Seen(long looks, List<Lowered> lowered, OptionalDouble hottest) {
        /** Copies the list. */
        public Seen {
            lowered = List.copyOf(lowered);
        }
    }

    /**
     * A reason for lowered clocks.
     *
     * @param reason as the driver's documentation calls it, in lower case: {@code sw_power_cap}
     * @param looks that saw it
     * @param invalidates whether times taken meanwhile say nothing of the device in its usual state
     */
    record Lowered(String reason, long looks, boolean invalidates) {}
}
