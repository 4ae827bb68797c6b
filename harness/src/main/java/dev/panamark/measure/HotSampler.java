package dev.panamark.measure;

import dev.panamark.stats.MedianInterval;
import java.util.Arrays;

/**
 * Samples launches back to back, caches as the launch before left them. A launch too short for the clock shares its
 * sample with others; the sample is then their mean.
 */
final class HotSampler {
    /** A sample is at least this many ticks of the clock, so that a tick is at most 0.1 % of it. */
    private static final double TICKS = 1000;
    /** And at least this long, so that reading the clock (some 50 ns) stays below 0.1 %. */
    private static final double SHORTEST = 50e-6;

    private static final int MOST = 200_000;

    /** Seconds that the fewest samples for an interval may take beyond what a row was given. */
    private static final double REASON = 2;

    private final HostClock clock;

    HotSampler(HostClock clock) {
        this.clock = clock;
    }

    /**
     * What was sampled.
     *
     * @param seconds per launch, one number a sample, in order of time
     * @param launchesPerSample launches that share a sample
     * @param sampled seconds of all samples together
     * @param resolution smallest difference that the clock shows, s
     */
    @SuppressWarnings("ArrayRecordComponent") // a series, compared by nobody
    record Samples(double[] seconds, int launchesPerSample, double sampled, double resolution) {}

    /**
     * Samples until the rule has enough, or {@code atMost} seconds are spent. The fewest samples that an interval can
     * be made of are taken even when that is later, within reason: a time without an interval is worth little.
     *
     * @param launchSeconds what a launch takes, roughly
     * @param resolution smallest difference that the clock shows, s
     */
    Samples run(Subject subject, double launchSeconds, double resolution, StoppingRule rule, double atMost) {
        double wanted = Math.max(TICKS * resolution, SHORTEST);
        int launches = subject.needsRestore()
                ? 1
                : (int) Math.clamp(Math.ceil(wanted / Math.max(launchSeconds, 1e-9)), 1, 1_000_000);
        long start = clock.nanos();
        double[] seconds = new double[1024];
        int n = 0;
        double sampled = 0;
        double until;
        do {
            subject.restore();
            double t = subject.time(launches);
            if (n == seconds.length) {
                seconds = Arrays.copyOf(seconds, 2 * n);
            }
            seconds[n++] = t / launches;
            sampled += t;
            until = n < MedianInterval.LEAST ? Math.max(atMost, REASON) : atMost;
        } while (n < MOST && (clock.nanos() - start) * 1e-9 < until && !rule.enough(seconds, n, sampled));
        return new Samples(Arrays.copyOf(seconds, n), launches, sampled, resolution);
    }
}
