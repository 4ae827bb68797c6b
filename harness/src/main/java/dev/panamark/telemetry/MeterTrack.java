package dev.panamark.telemetry;

import dev.panamark.device.DeviceException;
import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import dev.panamark.measure.HostClock;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Follows one meter: its joules since the first reading, wraps undone and powers integrated, and when it last ticked.
 * What makes it useless (it cannot be read, went backwards, stands still) is a fault that stays.
 */
final class MeterTrack {
    /** A counter that stands still for so many update periods is stuck, but for at least {@link #STUCK_SECONDS}. */
    private static final double STUCK_PERIODS = 50;

    private static final double STUCK_SECONDS = 2;

    /** Longest time between readings of a counter that nobody needs: a wrap must not be missed. */
    private static final double COUNTER_PATIENCE = 1;

    /** W that no single meter's subject takes. */
    private static final double MOST_WATTS = 10_000;

    private final PowerMeter meter;
    private final MeterInfo info;
    private final HostClock clock;
    private final boolean counter;
    private double period = Double.NaN;
    private double jitter;
    private boolean begun;
    private long lastRaw;
    private long lastPoll;
    private double counts;
    private double joules;
    private @Nullable Tick tick;
    private @Nullable Tick update;
    private long changedAt;
    private @Nullable String fault;

    /** Nothing is known of its update period. */
    MeterTrack(PowerMeter meter, HostClock clock) {
        this.meter = meter;
        this.info = meter.info();
        this.clock = clock;
        this.counter = info.quantity() == MeterInfo.Quantity.ENERGY;
    }

    /** With what calibrating found, its fault included. */
    MeterTrack(PowerMeter meter, HostClock clock, Calibration calibration) {
        this(meter, clock);
        period = calibration.period();
        jitter = calibration.fault() == null ? calibration.jitter() : 0;
        fault = calibration.fault();
    }

    MeterInfo info() {
        return info;
    }

    PowerMeter meter() {
        return meter;
    }

    /** Why it is of no use; null as long as it is. */
    @Nullable
    String fault() {
        return fault;
    }

    /** Gives it up. */
    void fail(String why) {
        fault = fault == null ? why : fault;
    }

    /** s between updates. */
    double period() {
        return period;
    }

    /** s by which updates come early or late. */
    double jitter() {
        return jitter;
    }

    /** s until a change of power shows in full. */
    double response() {
        return Math.max(period, info.averaging());
    }

    /** Whether it counts energy, and so misses nothing between readings. */
    boolean isCounter() {
        return counter;
    }

    /** The newest reading whose joules are known as of its time; null before there is one. */
    @Nullable
    Tick tick() {
        return tick;
    }

    /** The newest change of what it shows; null before there is one. */
    @Nullable
    Tick update() {
        return update;
    }

    /** J since the first reading. */
    double joules() {
        return joules;
    }

    /** Whether it has been read. */
    boolean hasBegun() {
        return begun;
    }

    /** When it was last read. */
    long lastPoll() {
        return lastPoll;
    }

    /** ns that may pass between two readings. */
    long patience() {
        double seconds = counter || Double.isNaN(period) ? COUNTER_PATIENCE : Math.max(5e-4, period / 4);
        return Math.round(seconds * 1e9);
    }

    /** ns between readings while a tick is waited for. */
    long spacing() {
        double seconds = Double.isNaN(period) ? 1e-4 : Math.clamp(period / 50, 1e-4, 1e-2);
        return Math.round(seconds * 1e9);
    }

    /** Reads the meter. */
    void poll() {
        if (fault != null) {
            return;
        }
        long before = clock.nanos();
        long raw;
        try {
            raw = meter.read();
        } catch (DeviceException e) {
            fault = String.valueOf(e.getMessage());
            return;
        }
        long now = clock.nanos();
        long at = before + (now - before) / 2;
        if (!begun) {
            begun = true;
            lastRaw = raw;
            lastPoll = at;
            changedAt = at;
            if (!counter) {
                tick = new Tick(at, 0, 0);
            }
            return;
        }
        if (counter) {
            count(raw, at);
        } else {
            integrate(raw, at);
        }
        lastRaw = raw;
        lastPoll = at;
    }

    private void count(long raw, long at) {
        long difference = raw - lastRaw;
        if (difference < 0) {
            long range = info.range().orElse(0);
            long wrapped = difference + range;
            // More than a machine can use between two readings is no wrap but a counter that began anew.
            double most = MOST_WATTS * Math.max(1, (at - lastPoll) * 1e-9) / info.unit();
            if (wrapped < 0 || wrapped > Math.min(range / 2.0, most)) {
                fail(String.format(
                        Locale.ROOT,
                        "the counter went backwards, from %.6g J to %.6g J%s: it was reset or is faulty",
                        lastRaw * info.unit(),
                        raw * info.unit(),
                        range == 0 ? " (its range is not known, so it may have wrapped)" : ""));
                return;
            }
            difference = wrapped;
        }
        if (difference > 0) {
            counts += difference;
            joules = counts * info.unit();
            double gap = (at - lastPoll) * 1e-9;
            Tick seen = new Tick(at, Double.isNaN(period) ? gap : Math.min(gap, period), joules);
            tick = seen;
            update = seen;
            changedAt = at;
            return;
        }
        double still = (at - changedAt) * 1e-9;
        if (still > stuckAfter()) {
            fail(String.format(
                    Locale.ROOT, "the counter is stuck: it stayed at %.6g J for %.3g s", raw * info.unit(), still));
        }
    }

    private double stuckAfter() {
        return Double.isNaN(period) ? Double.POSITIVE_INFINITY : Math.max(STUCK_SECONDS, STUCK_PERIODS * period);
    }

    private void integrate(long raw, long at) {
        if (raw < 0) {
            fail("the meter shows a power of " + raw * info.unit() + " W, and power is not negative");
            return;
        }
        double gap = (at - lastPoll) * 1e-9;
        joules += (lastRaw + raw) / 2.0 * info.unit() * gap;
        tick = new Tick(at, 0, joules);
        if (raw != lastRaw) {
            update = new Tick(at, Double.isNaN(period) ? gap : Math.min(gap, period), joules);
        }
    }
}
