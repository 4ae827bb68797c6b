package dev.panamark.measure;

import dev.panamark.stats.Trend;
import java.util.Arrays;

/**
 * Launches that are not kept: until the times of the last ones show no trend, for at least three launches and at
 * most the given time. Caches, page tables, clocks and the JVM's own compiler settle here.
 */
final class WarmUp {
    private static final int LEAST = 3;
    private static final int WINDOW = 16;
    private static final int MOST = 10_000;

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

    Warmth run(Subject subject, double atLeast, double atMost) {
        long start = clock.nanos();
        double[] times = new double[MOST];
        int n = 0;
        while (true) {
            subject.restore();
            times[n++] = subject.time(1);
            double spent = (clock.nanos() - start) * 1e-9;
            boolean settled = n >= WINDOW
                    && spent >= atLeast
                    && Trend.of(Arrays.copyOfRange(times, n - WINDOW, n)).steady(DRIFT);
            if ((n >= LEAST && (settled || spent >= atMost)) || n == MOST) {
                double[] tail = Arrays.copyOfRange(times, Math.max(0, n - WINDOW), n);
                Arrays.sort(tail);
                return new Warmth(n, spent, settled, tail[tail.length / 2]);
            }
        }
    }
}
