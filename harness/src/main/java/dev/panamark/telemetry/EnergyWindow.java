package dev.panamark.telemetry;

import dev.panamark.measure.HostClock;
import dev.panamark.measure.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One stretch of time over which meters are read at their own ticks, while a load runs across both ends or nothing
 * does. Ends lie on ticks, so that no update is counted in part; a meter is read closely only where a tick is awaited,
 * as reading costs time and power itself.
 */
final class EnergyWindow {
    private final HostClock clock;
    private final List<Series> series;
    private final @Nullable Load load;

    private EnergyWindow(HostClock clock, List<MeterTrack> tracks, @Nullable Load load, double seconds, int parts) {
        this.clock = clock;
        this.load = load;
        long start = clock.nanos();
        this.series =
                tracks.stream().map(t -> new Series(t, start, seconds, parts)).toList();
    }

    /**
     * Runs one.
     *
     * @param load to keep going, already running; null to leave the device idle
     * @param seconds from the first tick on; the last is the first after that
     * @param parts into which a window is divided at ticks, at least 1; fewer where launches or updates are too long
     * @return in the order of {@code tracks}
     */
    static List<Window> measure(
            HostClock clock, List<MeterTrack> tracks, @Nullable Load load, double seconds, int parts) {
        EnergyWindow window = new EnergyWindow(clock, tracks, load, seconds, parts);
        window.run();
        return window.series.stream().map(s -> s.result(load != null)).toList();
    }

    private void run() {
        Load.Completion newest = new Load.Completion(0, clock.nanos());
        while (true) {
            boolean open = false;
            long wake = Long.MAX_VALUE;
            for (Series s : series) {
                if (!s.isOver()) {
                    s.look(clock.nanos(), newest);
                    open |= !s.isOver();
                    wake = Math.min(wake, s.wake());
                }
            }
            if (!open) {
                return;
            }
            if (load != null) {
                newest = load.advance();
            } else {
                clock.sleepUntil(wake);
            }
        }
    }

    /** A tick on which a stretch begins or ends, and how far the launches were. */
    private record Edge(Tick tick, Load.Completion newest) {}

    /** What is seen of one meter. */
    private static final class Series {
        private final MeterTrack track;
        private final long start;
        private final double seconds;
        private final int parts;
        private final List<Edge> edges = new ArrayList<>();
        private long target;
        private boolean watched;
        private long watchedSince;
        private boolean over;

        Series(MeterTrack track, long start, double seconds, int parts) {
            this.track = track;
            this.start = start;
            this.seconds = seconds;
            this.parts = parts;
            this.target = start;
        }

        boolean isOver() {
            return over || track.fault() != null;
        }

        /** When it wants to be looked at again. */
        long wake() {
            return watched ? track.lastPoll() + track.spacing() : Math.min(target, track.lastPoll() + track.patience());
        }

        void look(long now, Load.Completion newest) {
            if (now < target) {
                if (now - track.lastPoll() >= track.patience()) {
                    track.poll();
                }
                return;
            }
            Tick before = track.tick();
            track.poll();
            if (!watched) {
                // What this reading shows may have stood for long; the tick after it is seen when it happens.
                watched = true;
                watchedSince = now;
                return;
            }
            Tick tick = track.tick();
            if (tick != null && !tick.equals(before)) {
                edge(new Edge(tick, newest));
            } else if ((now - watchedSince) * 1e-9 > Math.max(2, 50 * track.period())) {
                track.fail(String.format(
                        Locale.ROOT, "the counter is stuck: no update in %.3g s", (now - watchedSince) * 1e-9));
            }
        }

        private void edge(Edge edge) {
            edges.add(edge);
            watched = false;
            double passed = edge.tick.seconds(start) - edges.getFirst().tick.seconds(start);
            if (edges.size() > 1 && passed >= seconds * (1 - 1e-9)) {
                over = true;
                return;
            }
            // Targets that this tick has passed already are left out, but for the last.
            int next = Math.min(parts, (int) Math.floor(passed / seconds * parts + 1e-6) + 1);
            target = start + Math.round((edges.getFirst().tick.seconds(start) + seconds * next / parts) * 1e9);
        }

        Window result(boolean loaded) {
            String fault = track.fault();
            if (fault != null) {
                return Window.failed(fault);
            }
            List<Window.Stretch> stretches = new ArrayList<>();
            for (int i = 1; i < edges.size(); i++) {
                stretches.add(stretch(edges.get(i - 1), edges.get(i)));
            }
            if (loaded) {
                Edge first = edges.getFirst();
                Edge last = edges.getLast();
                Window.Stretch whole = stretch(first, last);
                if (!(whole.launches() > 0)) {
                    return Window.failed(String.format(
                            Locale.ROOT,
                            "no launch ended within the window of %.3g s; allow more time for the energy window",
                            whole.seconds()));
                }
                if (stretches.stream().anyMatch(s -> !(s.launches() > 0))) {
                    stretches = List.of(whole);
                }
            }
            return new Window(stretches, Math.hypot(unsure(edges.getFirst().tick), unsure(edges.getLast().tick)), null);
        }

        /** Launches go on at the mean rate between the newest completions at both ends. */
        private Window.Stretch stretch(Edge from, Edge to) {
            double length = to.tick.seconds(start) - from.tick.seconds(start);
            double joules = to.tick.joules() - from.tick.joules();
            double between = (to.newest.nanos() - from.newest.nanos()) * 1e-9;
            long ended = to.newest.launches() - from.newest.launches();
            double launches = ended > 0 && between > 0 ? length * ended / between : 0;
            return new Window.Stretch(length, joules, launches);
        }

        /** Where in its slack a tick was is not known, and it may have been early or late itself. */
        private double unsure(Tick tick) {
            return (tick.slack() + track.jitter()) / Math.sqrt(12);
        }
    }
}
