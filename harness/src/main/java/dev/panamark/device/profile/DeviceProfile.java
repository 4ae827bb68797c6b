package dev.panamark.device.profile;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;

/**
 * What is published about one device.
 *
 * @param name short and unique: {@code h100-sxm}
 * @param aliases other names for it
 * @param product as the vendor sells it
 * @param architecture its design
 * @param match names that drivers give it, whole
 * @param pci vendor and device ids, {@code 10de:2330}; may be empty
 * @param devices how many devices a driver shows for one product: 2 where each die is a device; units, peaks, bandwidth,
 *     caches and power are those of the product
 * @param units SMs or CUs
 * @param clocks in Hz: {@code max}, {@code tensor} (what peaks of tensor operations are published for, which may be lower),
 *     and classes of operations that have a clock of their own
 * @param peaks published, dense, in operations per second by class
 * @param bandwidth of the memory, B/s
 * @param l2 all of it, B
 * @param llc the cache before the memory, B: AMD's Infinity Cache, otherwise the L2
 * @param power the limit it is sold with, W
 * @param link NVLink both directions, xGMI one direction, B/s
 */
public record DeviceProfile(
        String name,
        List<String> aliases,
        String product,
        Architecture architecture,
        List<String> match,
        List<String> pci,
        int devices,
        Figure units,
        SequencedMap<String, Figure> clocks,
        SequencedMap<String, Figure> peaks,
        Figure bandwidth,
        Figure l2,
        Figure llc,
        Figure power,
        Figure link) {
    private static final String TENSOR = "tensor";

    /** Copies, keeping the order. */
    public DeviceProfile {
        aliases = List.copyOf(aliases);
        match = List.copyOf(match);
        pci = List.copyOf(pci);
        clocks = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(clocks));
        peaks = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(peaks));
    }

    /**
     * The clock that a peak is published for: that of the class, else {@code tensor} for tensor operations and {@code
     * max} for others.
     */
    public Figure clock(String operation) {
        String own = Architecture.canonical(operation);
        Figure clock = clocks.get(own);
        if (clock == null) {
            clock = clocks.get(own.startsWith(TENSOR) ? TENSOR : "max");
        }
        return clock == null ? Figure.missing("Hz", "no clock of " + operation + " is known for " + name) : clock;
    }

    /**
     * The peak of a class of operations, FLOP/s (for integers operations per second): the published one, or else the one
     * that {@link #computedPeak} gives.
     */
    public Figure peak(String operation) {
        Figure published = peaks.get(Architecture.canonical(operation));
        if (published != null && published.value() != null) {
            return published;
        }
        Figure computed = computedPeak(operation);
        return computed.value() == null && published != null ? published : computed;
    }

    /** Rate per clock and unit, times units, times {@link #clock}. */
    public Figure computedPeak(String operation) {
        return peakAt(operation, units, clock(operation));
    }

    /**
     * The peak of a part of the device, or at another clock: rate per clock and unit, times units, times clock.
     *
     * @param operation a class
     * @param visible SMs or CUs
     * @param clock in Hz
     */
    public Figure peakAt(String operation, Figure visible, double clock) {
        return peakAt(operation, visible, Figure.told(clock, "Hz", "read"));
    }

    /**
     * The peak of a part of the device, or at another clock: rate per clock and unit, times units, times clock.
     *
     * @param operation a class
     * @param visible SMs or CUs
     * @param clock in Hz
     */
    public Figure peakAt(String operation, Figure visible, Figure clock) {
        Figure rate = architecture.rate(operation);
        if (rate.value() == null) {
            return Figure.missing("FLOP/s", String.valueOf(rate.reason()));
        }
        if (visible.value() == null) {
            return Figure.missing("FLOP/s", architecture.unit() + "s: " + visible.reason());
        }
        if (clock.value() == null) {
            return Figure.missing("FLOP/s", "clock of " + operation + ": " + clock.reason());
        }
        double perClock = rate.value();
        double count = visible.value();
        double hertz = clock.value();
        return Figure.computed(
                perClock * count * hertz,
                "FLOP/s",
                String.format(
                        Locale.ROOT,
                        "%.0f per clock and %s x %.0f %ss x %.1f MHz",
                        perClock,
                        architecture.unit(),
                        count,
                        architecture.unit(),
                        hertz / 1e6));
    }
}
