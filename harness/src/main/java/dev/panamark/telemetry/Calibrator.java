package dev.panamark.telemetry;

import dev.panamark.device.PowerMeter;
import dev.panamark.measure.HostClock;
import dev.panamark.measure.Load;
import dev.panamark.stats.Descriptive;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Measures how often meters update, by asking them again and again. */
final class Calibrator {
    /** A meter that has changed so often is known well enough. */
    private static final int ENOUGH = 21;

    /** Fewer changes than this tell no period. */
    private static final int LEAST = 4;

    /** What is known of a meter after so many seconds has to do. */
    private static final double LONGEST = 3;

    /** A meter is watched for at least so long, s: updates may come in bursts. */
    private static final double SHORTEST = 0.1;

    private final HostClock clock;

    Calibrator(HostClock clock) {
        this.clock = clock;
    }

    /**
     * Measures all of them at once; under the load where there is one, and without it too where its launches take
     * longer than the updates that are looked for.
     *
     * @return in the order of {@code meters}
     */
    List<Calibration> calibrate(List<PowerMeter> meters, @Nullable Load load) {
        List<Calibration> first = watch(meters, load);
        if (load == null) {
            return first;
        }
        load.pause();
        if (first.stream().allMatch(c -> c.fault() == null && !c.unresolved())) {
            return first;
        }
        List<Calibration> idle = watch(meters, null);
        List<Calibration> better = new ArrayList<>();
        for (int i = 0; i < first.size(); i++) {
            Calibration loaded = first.get(i);
            Calibration quiet = idle.get(i);
            boolean finer = quiet.fault() == null && !(loaded.period() <= quiet.period());
            better.add(finer ? quiet : loaded);
        }
        return better;
    }

    private List<Calibration> watch(List<PowerMeter> meters, @Nullable Load load) {
        List<Watched> watched =
                meters.stream().map(m -> new Watched(new MeterTrack(m, clock))).toList();
        long start = clock.nanos();
        while (true) {
            double passed = (clock.nanos() - start) * 1e-9;
            if (passed >= LONGEST || (passed >= SHORTEST && watched.stream().allMatch(Watched::known))) {
                break;
            }
            long wait = Long.MAX_VALUE;
            for (Watched w : watched) {
                w.poll();
                wait = Math.min(wait, w.spacing());
            }
            if (load != null) {
                load.advance();
            } else {
                clock.sleepUntil(clock.nanos() + wait);
            }
        }
        double seconds = (clock.nanos() - start) * 1e-9;
        return watched.stream().map(w -> w.result(seconds, start)).toList();
    }

    /** One meter and when it changed. */
    private static final class Watched {
        private final MeterTrack track;
        private final List<Tick> updates = new ArrayList<>();
        private final List<Double> gaps = new ArrayList<>();

        Watched(MeterTrack track) {
            this.track = track;
        }

        void poll() {
            long before = track.lastPoll();
            Tick last = track.update();
            boolean again = track.hasBegun();
            track.poll();
            if (again && track.fault() == null && gaps.size() < 10_000) {
                gaps.add((track.lastPoll() - before) * 1e-9);
            }
            Tick now = track.update();
            if (now != null && !now.equals(last)) {
                updates.add(now);
            }
        }

        boolean known() {
            return updates.size() >= ENOUGH || track.fault() != null;
        }

        /** Finer than the updates seen so far, coarser than what a sleep can do. */
        long spacing() {
            if (updates.size() < LEAST) {
                return track.spacing();
            }
            Tick first = updates.getFirst();
            Tick last = updates.getLast();
            return Math.clamp((last.nanos() - first.nanos()) / (updates.size() - 1) / 50, 100_000, 2_000_000);
        }

        Calibration result(double seconds, long origin) {
            String fault = track.fault();
            if (fault != null) {
                return Calibration.failed(fault);
            }
            if (updates.size() < LEAST) {
                return Calibration.failed(String.format(
                        Locale.ROOT,
                        "the %s changed %d times in %.2g s: it is stuck or slower than any window here allows",
                        track.isCounter() ? "counter" : "reading",
                        updates.size(),
                        seconds));
            }
            // The first change is left out: how long the value before it had stood is not known.
            double[] between = new double[updates.size() - 1];
            for (int i = 0; i < between.length; i++) {
                between[i] = updates.get(i + 1).seconds(origin) - updates.get(i).seconds(origin);
            }
            double jitter = Descriptive.quantile(between, 0.9) - Descriptive.quantile(between, 0.1);
            double gap = Descriptive.median(
                    gaps.stream().mapToDouble(Double::doubleValue).toArray());
            return new Calibration(Descriptive.median(between), jitter, gap, null);
        }
    }
}
