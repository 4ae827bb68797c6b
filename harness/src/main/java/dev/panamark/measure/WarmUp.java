package dev.panamark.measure;

import dev.panamark.stats.Trend;
import java.util.Arrays;

/**
 * Launches that are not kept: until the times of the last ones show no trend, for at least three launches and the
 * least time, and at most the most time. Past the least time, 10,000 launches are enough too. Caches, page tables,
 * clocks and the JVM's own compiler settle here.
 */
final class WarmUp {
    private static final int LEAST = 3;
    /** Launches whose times are looked at for a trend; with fewer nothing can be said of one. */
    static final int WINDOW = 16;

    private static final int MOST = 10_000;

    /** Whatever the clock says, which may stand still where launches are simulated and do nothing. */
    private static final int MOST_EVER = 10_000_000;

    /** A drift over the window that later samples would not show. */
    private static final double DRIFT = 0.01;

    private final HostClock clock;

    WarmUp(HostClock clock) {
        this.clock = clock;
    }

    /**
     * What warming up took.
     *
     * @param launches how many were thrown away
     * @param seconds how long that took
     * @param settled whether the trend had gone before the time had
     * @param lastSeconds the time of a launch at the end
     */
    record Warmth(int launches, double seconds, boolean settled, double lastSeconds) {}

    /**
     * Warms up.
     *
     * @param atLeast s; a kernel of microseconds is launched more than 10,000 times to reach it
     * @param atMost s; exceeded only by the three launches that there are in any case
     */
    Warmth run(Subject subject, double atLeast, double atMost) {
        long start = clock.nanos();
        double[] ring = new double[WINDOW];
        int n = 0;
        int unit = subject.unit();
        while (true) {
            subject.restore();
            ring[n++ % WINDOW] = subject.time(unit) / unit;
            double spent = (clock.nanos() - start) * 1e-9;
            if (n < LEAST || (spent < atLeast && spent < atMost && n < MOST_EVER)) {
                continue;
            }
            boolean settled = n >= WINDOW && Trend.of(inOrder(ring, n)).steady(DRIFT);
            if (settled || spent >= atMost || n >= MOST) {
                double[] tail = Arrays.copyOf(ring, Math.min(n, WINDOW));
                Arrays.sort(tail);
                return new Warmth(n * unit, spent, settled, tail[tail.length / 2]);
            }
        }
    }

    /** The last launches, the oldest first. */
    private static double[] inOrder(double[] ring, int n) {
        double[] out = new double[WINDOW];
        for (int i = 0; i < WINDOW; i++) {
            out[i] = ring[(n + i) % WINDOW];
        }
        return out;
    }
}
