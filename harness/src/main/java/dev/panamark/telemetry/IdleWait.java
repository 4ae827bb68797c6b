package dev.panamark.telemetry;

import dev.panamark.measure.HostClock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Waits until meters show that a device has come to rest: power within 2 W for 2 s, for as long as is allowed. */
final class IdleWait {
    private static final double BAND_WATTS = 2;
    private static final double QUIET_SECONDS = 2;

    /** s over which one value of power is taken, or two updates where these are longer. */
    private static final double STEP = 0.25;

    private final HostClock clock;
    private final double longest;

    /** {@code longest}: s until it gives up. */
    IdleWait(HostClock clock, double longest) {
        this.clock = clock;
        this.longest = longest;
    }

    /**
     * Waits; meters with a fault are left out.
     *
     * @return whether it came to rest in time
     */
    boolean settled(List<MeterTrack> tracks) {
        long start = clock.nanos();
        List<Steps> all = tracks.stream().map(t -> new Steps(t, start)).toList();
        while ((clock.nanos() - start) * 1e-9 < longest) {
            long wake = clock.nanos() + Math.round(STEP * 1e9);
            boolean quiet = true;
            for (Steps steps : all) {
                if (steps.track.fault() == null) {
                    steps.look();
                    quiet &= steps.quiet();
                    wake = Math.min(wake, clock.nanos() + steps.track.spacing());
                }
            }
            if (quiet) {
                return true;
            }
            clock.sleepUntil(wake);
        }
        return false;
    }

    private record Step(double end, double watts) {}

    /** Powers of one meter from tick to tick. */
    private static final class Steps {
        private final MeterTrack track;
        private final long start;
        private final double length;
        private final Deque<Step> newest = new ArrayDeque<>();
        private double from = Double.NaN;
        private double joules;

        Steps(MeterTrack track, long start) {
            this.track = track;
            this.start = start;
            this.length = Math.max(STEP, 2 * track.period());
        }

        void look() {
            Tick before = track.tick();
            track.poll();
            Tick tick = track.tick();
            if (tick == null || tick.equals(before)) {
                return;
            }
            double now = tick.seconds(start);
            if (Double.isNaN(from)) {
                from = now;
                joules = tick.joules();
            } else if (now - from >= length) {
                newest.add(new Step(now, (tick.joules() - joules) / (now - from)));
                from = now;
                joules = tick.joules();
                while (newest.size() > 1 && now - newest.getFirst().end() > QUIET_SECONDS) {
                    newest.removeFirst();
                }
            }
        }

        boolean quiet() {
            if (newest.size() < 2 || newest.getLast().end() - newest.getFirst().end() < QUIET_SECONDS - 2 * length) {
                return false;
            }
            double low = newest.stream().mapToDouble(Step::watts).min().orElse(0);
            double high = newest.stream().mapToDouble(Step::watts).max().orElse(0);
            return high - low <= BAND_WATTS;
        }
    }
}
