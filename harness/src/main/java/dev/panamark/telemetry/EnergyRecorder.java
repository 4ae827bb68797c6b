package dev.panamark.telemetry;

import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import dev.panamark.measure.HostClock;
import dev.panamark.result.Metric;
import dev.panamark.result.Source;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Joules of something that begins and ends when it likes: a command. Unlike a kernel that is launched again and again
 * it runs once and not steadily, so there is no spread to take an interval from; what is unsure is how much of the
 * updates around its begin and its end belongs to it.
 *
 * <p>What a counter had counted at a time between two ticks lies between its values at them, whatever the power did
 * in between: that is the interval, so it holds more than 95 %. Kernels that take as long as an update make power within
 * it differ from its mean, so nothing narrower would hold. The value in it supposes that power went on as it was before the first of the two. The begin can be chosen, so it is put right behind a tick of the slowest meter: less than
 * a hundredth of an update is unsure there. A tick seen within d seconds moves the ends of the interval by what the
 * power makes of d. A sensor of power shows what was within its response, so its ends move by that much.
 *
 * <p>Used by one thread: {@link #prepare}, {@link #begin}, {@link #poll} whenever {@link #wake} says, {@link #end}.
 */
public final class EnergyRecorder {
    /** Fewer updates than this are no figure. */
    private static final int FEWEST_UPDATES = EnergyMode.FEWEST_UPDATES;

    private final HostClock clock;
    private final List<PowerMeter> meters;
    private final Samples samples;
    private List<Recorded> recorded = List.of();
    private long begin;

    /** Takes the power over time, as it comes. */
    @FunctionalInterface
    public interface Samples {
        /**
         * Energy between two ticks of a meter.
         *
         * @param meter its id
         * @param from s since {@link #begin}; the first may be a little before it
         * @param to s since then
         * @param joules counted meanwhile
         */
        void add(String meter, double from, double to, double joules);
    }

    /**
     * Reads nothing yet.
     *
     * @param meters which stay the caller's
     */
    public EnergyRecorder(HostClock clock, List<PowerMeter> meters, Samples samples) {
        this.clock = clock;
        this.meters = List.copyOf(meters);
        this.samples = samples;
    }

    /**
     * Measures how often the meters update, for at most 3 s, and returns right after a tick of the slowest counter. Without
     * meters it returns at once.
     */
    public void prepare() {
        List<Calibration> calibrations = meters.isEmpty() ? List.of() : new Calibrator(clock).calibrate(meters, null);
        recorded = java.util.stream.IntStream.range(0, meters.size())
                .mapToObj(i -> new Recorded(new MeterTrack(meters.get(i), clock, calibrations.get(i))))
                .toList();
        Recorded slowest = null;
        for (Recorded r : recorded) {
            if (r.usable() && (slowest == null || isAwaitedBefore(r.track, slowest.track))) {
                slowest = r;
            }
        }
        if (slowest != null) {
            awaitTick(slowest);
        }
    }

    /** Each reading of power is a tick, so nothing need be awaited of it where a counter is. */
    private static boolean isAwaitedBefore(MeterTrack one, MeterTrack other) {
        return one.isCounter() == other.isCounter() ? one.period() > other.period() : one.isCounter();
    }

    /** Two ticks of it: the first is not known to be new. All others are read closely meanwhile, so have theirs. */
    private void awaitTick(Recorded slowest) {
        long deadline = clock.nanos() + Math.round(Math.max(1, 10 * slowest.track.period()) * 1e9);
        int seen = 0;
        while (seen < 2 && clock.nanos() < deadline && slowest.usable()) {
            long wait = Long.MAX_VALUE;
            Tick before = slowest.track.tick();
            for (Recorded r : recorded) {
                r.readBefore();
                wait = Math.min(wait, r.usable() ? r.track.spacing() : wait);
            }
            Tick now = slowest.track.tick();
            if (now != null && !now.equals(before)) {
                seen++;
            }
            if (seen < 2) {
                clock.sleepUntil(clock.nanos() + wait);
            }
        }
    }

    /** It begins now; {@code nanos} is the time of that. */
    public void begin(long nanos) {
        begin = nanos;
        recorded.forEach(Recorded::begin);
    }

    /** When {@link #poll} is due. */
    public long wake() {
        long wake = Long.MAX_VALUE;
        for (Recorded r : recorded) {
            if (r.usable()) {
                wake = Math.min(wake, r.track.lastPoll() + r.spacing());
            }
        }
        return wake;
    }

    /** Reads the meters that are due. */
    public void poll() {
        for (Recorded r : recorded) {
            if (r.usable() && clock.nanos() >= r.track.lastPoll() + r.spacing()) {
                r.poll();
            }
        }
    }

    /**
     * It ended at {@code nanos}, just now; waits for the next tick of every meter.
     *
     * @return what each meter counted, or why not, in the order of the meters
     */
    public List<MeterEnergy> end(long nanos) {
        recorded.forEach(r -> r.ending(nanos));
        boolean open = true;
        while (open) {
            open = false;
            long wait = Long.MAX_VALUE;
            for (Recorded r : recorded) {
                if (r.usable() && r.isOpen()) {
                    r.poll();
                    r.giveUp(clock.nanos(), nanos);
                    open |= r.usable() && r.isOpen();
                    wait = Math.min(wait, r.track.spacing());
                }
            }
            if (open) {
                clock.sleepUntil(clock.nanos() + wait);
            }
        }
        double seconds = (nanos - begin) * 1e-9;
        return CrossCheck.of(
                meters, recorded.stream().map(r -> r.energy(seconds)).toList());
    }

    /** A total at a time between two ticks, and what it lies between. */
    private record Crossing(double joules, double least, double most) {}

    private final class Recorded {
        private final MeterTrack track;
        private final double every;
        private @Nullable Tick beforeBegin;
        private @Nullable Tick afterBegin;
        private @Nullable Tick beforeEnd;
        private @Nullable Tick afterEnd;
        private @Nullable Tick sampled;
        private double length = Double.NaN;
        private double wattsBeforeBegin = Double.NaN;
        private double wattsBeforeEnd = Double.NaN;

        Recorded(MeterTrack track) {
            this.track = track;
            // A sample of a counter is as exact as its ticks are many; power is known at each reading.
            this.every = Math.max(0.1, (track.isCounter() ? 10 : 1) * track.period());
        }

        boolean usable() {
            return track.fault() == null;
        }

        boolean isOpen() {
            return afterEnd == null || afterBegin == null;
        }

        /** ns between readings while it goes on: often enough to see ticks of a slow meter, seldom enough not to matter. */
        long spacing() {
            if (!track.isCounter()) {
                return track.patience();
            }
            double seconds = track.period() <= 0.01 ? 0.1 : Math.clamp(track.period() / 10, 0.005, 0.1);
            return Math.round(seconds * 1e9);
        }

        /** Reads it before the begin, and keeps the newest power. */
        void readBefore() {
            Tick before = track.tick();
            track.poll();
            Tick now = track.tick();
            if (before != null && now != null && !now.equals(before)) {
                wattsBeforeBegin = watts(before, now);
            }
        }

        void begin() {
            beforeBegin = track.tick();
            beforeEnd = beforeBegin;
            sampled = beforeBegin;
            if (beforeBegin == null) {
                track.fail("no update was seen before it began");
            }
        }

        void ending(long nanos) {
            length = (nanos - begin) * 1e-9;
        }

        void poll() {
            Tick before = track.tick();
            track.poll();
            Tick tick = track.tick();
            if (tick == null || tick.equals(before)) {
                return;
            }
            double at = tick.seconds(begin);
            if (afterBegin == null) {
                if (at < 0) {
                    beforeBegin = tick;
                } else {
                    afterBegin = tick;
                }
            }
            boolean last = at > length; // false as long as it goes on
            if (last && afterEnd == null) {
                afterEnd = tick;
            } else if (!last) {
                wattsBeforeEnd = beforeEnd == null ? Double.NaN : watts(beforeEnd, tick);
                beforeEnd = tick;
            }
            sample(tick, last);
        }

        private void sample(Tick tick, boolean last) {
            Tick from = sampled;
            if (from == null) {
                return;
            }
            double start = from.seconds(begin);
            double end = tick.seconds(begin);
            if (end - start >= every * 0.999 || last) {
                samples.add(track.info().id(), start, end, tick.joules() - from.joules());
                sampled = tick;
            }
        }

        void giveUp(long now, long ended) {
            double waited = (now - ended) * 1e-9;
            if (isOpen() && waited > Math.max(1, 10 * track.period())) {
                track.fail(String.format(Locale.ROOT, "no update came in %.3g s after the end: it is stuck", waited));
            }
        }

        MeterEnergy energy(double seconds) {
            double needed = FEWEST_UPDATES * track.response();
            if (usable() && seconds < needed) {
                track.fail(String.format(
                        Locale.ROOT,
                        "below resolution: %.3g s hold fewer than %d updates of %.3g s; let it run for at least %.3g s,"
                                + " by repeating it if need be",
                        seconds,
                        FEWEST_UPDATES,
                        track.response(),
                        needed));
            }
            Tick a = beforeBegin;
            Tick b = afterBegin;
            Tick c = beforeEnd;
            Tick d = afterEnd;
            String fault = track.fault();
            if (fault != null || a == null || b == null || c == null || d == null) {
                String why = fault == null ? "it gave no update" : fault;
                return energy(Metric.missing("J", why), Metric.missing("W", why));
            }
            Crossing first = first(a, b);
            Crossing last = last(c, d, seconds);
            double joules = last.joules - first.joules;
            double least = Math.min(joules, Math.max(0, last.least - first.most));
            double most = Math.max(joules, last.most - first.least);
            return energy(
                    Metric.value(joules, "J", Source.MEASURED).withCi95(least, most),
                    Metric.value(joules / seconds, "W", Source.MEASURED).withCi95(least / seconds, most / seconds));
        }

        /** At the begin, shortly after a tick, with the power of before. */
        private Crossing first(Tick from, Tick to) {
            double watts = Double.isNaN(wattsBeforeBegin) ? watts(from, to) : wattsBeforeBegin;
            double since = Math.max(0, -from.seconds(begin));
            double joules = from.joules() + watts * since;
            double unsure = watts * (since + from.slack() + lag());
            return new Crossing(joules, joules - unsure, joules + unsure);
        }

        /** At the end, between two ticks. */
        private Crossing last(Tick from, Tick to, double at) {
            double watts = Double.isNaN(wattsBeforeEnd) ? watts(from, to) : wattsBeforeEnd;
            double high = Math.max(watts, watts(from, to));
            // The first of the two may have been seen after the end, and then have happened after it.
            double early = (from.nanos() - begin) * 1e-9 > at ? from.slack() : 0;
            double least = from.joules() - high * early - high * lag();
            double most = to.joules() + high * (to.slack() + lag()) + unit();
            double joules = Math.clamp(from.joules() + watts * Math.max(0, at - from.seconds(begin)), least, most);
            return new Crossing(joules, least, most);
        }

        private double watts(Tick from, Tick to) {
            double length = to.seconds(begin) - from.seconds(begin);
            return length > 0 ? (to.joules() - from.joules()) / length : 0;
        }

        /** What a counter keeps to itself until it is a whole count. */
        private double unit() {
            return track.isCounter() ? track.info().unit() : 0;
        }

        private double lag() {
            return track.isCounter() ? 0 : track.response();
        }

        private MeterEnergy energy(Metric joules, Metric power) {
            MeterInfo info = track.info();
            return new MeterEnergy(
                    info.id(),
                    info.device(),
                    info.uuid().orElse(null),
                    info.source(),
                    info.place(),
                    info.scope().tag(),
                    info.method(),
                    info.overlap().orElse(null),
                    joules,
                    power,
                    Double.isNaN(track.period()) ? null : track.period(),
                    info.systematic());
        }
    }
}
