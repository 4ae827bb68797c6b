package dev.panamark.device;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What a meter meters, and how far it can be believed.
 *
 * @param id the same in every run on this machine: {@code rapl:package-0}
 * @param device whose energy it is: {@code cpu:0}; {@code host} where it is no single device's
 * @param uuid of that device, where the meter's library knows one; otherwise empty
 * @param source what is asked: {@code powercap}
 * @param place the file or call that is read
 * @param scope which part of the machine is in it
 * @param quantity what it shows
 * @param unit J (or W) for one count, above 0
 * @param range counts after which a counter starts again at 0; empty where it never does, or nobody says
 * @param averaging s that a reading of power is the mean over; 0 for counters and for what is instant
 * @param overlap why it must not be added to the other meters of its device, as they count the same joules; empty for
 *     those whose sum counts each joule once
 * @param gain largest relative error of the sensor itself that its maker states; empty where none is stated
 * @param gainSource where that comes from, or why there is none
 */
public record MeterInfo(
        String id,
        String device,
        Optional<String> uuid,
        String source,
        String place,
        Scope scope,
        Quantity quantity,
        double unit,
        OptionalLong range,
        double averaging,
        Optional<String> overlap,
        OptionalDouble gain,
        String gainSource) {

    /** Which part of a machine. */
    public enum Scope {
        /** Everything on the board that the maker's platform sensor sees. */
        PLATFORM,
        /** A module of several chips with their memory. */
        MODULE,
        /** One processor package. */
        PACKAGE,
        /** The cores of a package. */
        CORES,
        /** What is in a package beside the cores: often its graphics. */
        UNCORE,
        /** Memory. */
        MEMORY,
        /** A whole GPU board. */
        GPU,
        /** A GPU's package with all that is in it: dies, stacked memory, and of an APU the processor; not the board. */
        SOCKET,
        /**
         * A whole device of which users have parts (an instance of MIG, a partition, one of two dies): the figure is that of
         * all parts together.
         */
        WHOLE_DEVICE,
        /** One die of several. */
        DIE,
        /** A part that its maker does not explain. */
        OTHER;

        /** The name in files. */
        public String tag() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What a reading is. */
    public enum Quantity {
        /** Energy since some start; only the difference of two readings has a meaning. */
        ENERGY,
        /** Power, of an instant or averaged. */
        POWER
    }

    /** Refuses a unit or a range that cannot be. */
    public MeterInfo {
        if (!(unit > 0) || !Double.isFinite(unit)) {
            throw new IllegalArgumentException(id + ": a count must be worth more than 0, not " + unit);
        }
        if (range.isPresent() && range.getAsLong() < 1) {
            throw new IllegalArgumentException(id + ": the range must be at least 1 count, not " + range.getAsLong());
        }
        if (!(averaging >= 0) || (averaging > 0 && quantity == Quantity.ENERGY)) {
            throw new IllegalArgumentException(id + ": an averaging time of " + averaging + " s cannot be");
        }
    }

    /** The same under another name. */
    public MeterInfo withId(String name) {
        return new MeterInfo(
                name, device, uuid, source, place, scope, quantity, unit, range, averaging, overlap, gain, gainSource);
    }

    /** The same, but to be added to the others of its device. */
    public MeterInfo withoutOverlap() {
        return new MeterInfo(
                id,
                device,
                uuid,
                source,
                place,
                scope,
                quantity,
                unit,
                range,
                averaging,
                Optional.empty(),
                gain,
                gainSource);
    }

    /** How its readings become joules, in words. */
    public String method() {
        if (quantity == Quantity.ENERGY) {
            return "energy counter";
        }
        return averaging > 0 ? "power averaged over " + averaging + " s, integrated" : "power, integrated";
    }

    /** What is known of the sensor's own error, in words. */
    public String systematic() {
        return gain.isPresent()
                ? "up to "
                        + BigDecimal.valueOf(100 * gain.getAsDouble())
                                .stripTrailingZeros()
                                .toPlainString() + " % (" + gainSource + ")"
                : "unknown (" + gainSource + ")";
    }
}
