package dev.panamark.measure;

import dev.panamark.device.DeviceInfo;
import dev.panamark.device.profile.DeviceProfile;
import dev.panamark.device.profile.DeviceProfiles;
import dev.panamark.device.profile.Figure;
import dev.panamark.kernel.Work;
import dev.panamark.result.Metric;
import dev.panamark.result.Row;
import dev.panamark.result.Source;
import dev.panamark.result.Status;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import dev.panamark.stats.MedianInterval;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Holds what was measured against what is published of the device: shares of peaks, and rates that no such device can reach.
 * Peaks are those of the part that is visible: rate per clock and unit, times visible units, where these are not all.
 */
final class Datasheet {
    /** The last-level cache holds a good part of what is smaller than so many times itself. */
    static final double FOOTPRINT_OF_MEMORY = 4;

    /** Readings of clocks are as wrong as this. */
    private static final double CLOCK_ERROR = 0.01;

    private final DeviceInfo device;
    private final Optional<DeviceProfile> profile;

    Datasheet(DeviceInfo device) {
        this.device = device;
        this.profile = device.facts().get("profile") instanceof String name
                ? DeviceProfiles.shipped().named(name)
                : Optional.empty();
    }

    /** Adds the shares to a row whose launch took so long, and their denominators. */
    void shares(Row.Builder row, Work work, double seconds, SequencedMap<String, Object> denominators) {
        if (!work.flops().isEmpty()) {
            row.metric(Tags.UTIL_PEAK, peakShare(work, seconds, denominators));
        }
        if (work.bytes() > 0) {
            row.metric(Tags.UTIL_BANDWIDTH, bandwidthShare(work, seconds, denominators));
        }
    }

    private Metric peakShare(Work work, double seconds, SequencedMap<String, Object> denominators) {
        if (profile.isEmpty()) {
            return missing(Tags.UTIL_PEAK);
        }
        double least = 0;
        SequencedMap<String, Object> used = new LinkedHashMap<>();
        for (Map.Entry<String, Double> e : work.flops().entrySet()) {
            if (e.getValue() > 0) {
                Figure peak = peak(profile.get(), e.getKey());
                Double value = peak.value();
                if (value == null) {
                    return Tags.UTIL_PEAK.missing(String.valueOf(peak.reason()));
                }
                least += e.getValue() / value;
                used.put("peak/" + e.getKey(), denominator(peak));
            }
        }
        if (least == 0) {
            return Tags.UTIL_PEAK.missing("the problem needs no floating-point operations");
        }
        denominators.putAll(used);
        return Tags.UTIL_PEAK.value(least / seconds, Source.COMPUTED);
    }

    private Metric bandwidthShare(Work work, double seconds, SequencedMap<String, Object> denominators) {
        if (profile.isEmpty()) {
            return missing(Tags.UTIL_BANDWIDTH);
        }
        Figure bandwidth = bandwidth(profile.get());
        Double peak = bandwidth.value();
        if (peak == null) {
            return Tags.UTIL_BANDWIDTH.missing(String.valueOf(bandwidth.reason()));
        }
        if (!isWhole(profile.get())) {
            return Tags.UTIL_BANDWIDTH.missing("only a part of the "
                    + profile.get().product() + " is visible, and its share of the memory's bandwidth is not known");
        }
        Optional<String> near = nearCaches(work);
        if (near.isPresent()) {
            return Tags.UTIL_BANDWIDTH.missing(near.get());
        }
        denominators.put("bandwidth", denominator(bandwidth));
        return Tags.UTIL_BANDWIDTH.value(work.bytes() / seconds / peak, Source.COMPUTED);
    }

    private Metric missing(Tag tag) {
        return tag.missing(
                "no datasheet figures are known for " + device.name() + "; util/ceiling has what was measured");
    }

    private Optional<String> nearCaches(Work work) {
        Number cache = device.values().get("llc");
        if (cache == null) {
            return Optional.of("the size of the last-level cache is not known");
        }
        return work.bytes() < FOOTPRINT_OF_MEMORY * cache.doubleValue()
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "it fits the cache: %.3g bytes are less than %.0f times the last-level cache of %.3g",
                        work.bytes(),
                        FOOTPRINT_OF_MEMORY,
                        cache.doubleValue()))
                : Optional.empty();
    }

    /** Rejects a row that is faster than any such device can be. */
    void reject(Row.Builder row, Work work, double seconds, Mode mode, MedianInterval.@Nullable Bounds clocks) {
        if (profile.isEmpty()) {
            return;
        }
        tooManyFlops(profile.get(), work, seconds, clocks)
                .or(() -> tooManyBytes(profile.get(), work, seconds, mode))
                .ifPresent(why -> row.status(Status.REJECTED, why));
    }

    private Optional<String> tooManyFlops(
            DeviceProfile known, Work work, double seconds, MedianInterval.@Nullable Bounds clocks) {
        double least = 0;
        for (Map.Entry<String, Double> e : work.flops().entrySet()) {
            Double most =
                    known.peakAt(e.getKey(), visible(), highest(known, clocks)).value();
            if (e.getValue() > 0 && most != null) {
                least += e.getValue() / most;
            }
        }
        return seconds < least * (1 - CLOCK_ERROR)
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "%.4g FLOP/s are %.3g times what %d units can do at %.0f MHz, %s; work.flops of the kernel file or"
                                + " the clock is wrong",
                        work.allFlops() / seconds,
                        least / seconds,
                        units(),
                        1e-6 * highest(known, clocks),
                        clocks == null ? "the highest clock there is" : "the highest clock seen"))
                : Optional.empty();
    }

    private static double highest(DeviceProfile known, MedianInterval.@Nullable Bounds clocks) {
        Double published = known.clock("fma_f32").value();
        return clocks != null ? clocks.hi() : published == null ? Double.POSITIVE_INFINITY : published;
    }

    private Optional<String> tooManyBytes(DeviceProfile known, Work work, double seconds, Mode mode) {
        Double peak = bandwidth(known).value();
        return mode == Mode.COLD
                        && peak != null
                        && isWhole(known)
                        && nearCaches(work).isEmpty()
                        && work.bytes() / seconds > peak
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "%.4g B/s from memory are more than the peak of %.4g; work.reads or .writes of the kernel file or"
                                + " the clock is wrong",
                        work.bytes() / seconds,
                        peak))
                : Optional.empty();
    }

    private Figure peak(DeviceProfile known, String operation) {
        return known.devices() == 1 && isWhole(known)
                ? known.peak(operation)
                : known.peakAt(operation, visible(), known.clock(operation));
    }

    /** Whether all units of the product, or of its die, are visible. */
    private boolean isWhole(DeviceProfile known) {
        Double all = known.units().value();
        return all != null && Math.round(all / known.devices()) == units();
    }

    /** Of one die, where a product has several. */
    private static Figure bandwidth(DeviceProfile known) {
        return known.devices() == 1 ? known.bandwidth() : known.bandwidth().dividedBy(known.devices());
    }

    private long units() {
        Number units = device.values().get("units");
        return units == null ? 0 : units.longValue();
    }

    private Figure visible() {
        return units() > 0
                ? Figure.told((double) units(), "units", "the driver")
                : Figure.missing("units", "the driver does not tell them");
    }

    private static SequencedMap<String, Object> denominator(Figure figure) {
        SequencedMap<String, Object> out = new LinkedHashMap<>();
        out.put("value", figure.value());
        out.put("unit", figure.unit());
        out.put("source", (figure.computed() ? Source.COMPUTED : Source.DATASHEET).tag());
        out.put("from", figure.source());
        return out;
    }
}
