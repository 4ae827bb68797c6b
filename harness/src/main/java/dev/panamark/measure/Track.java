package dev.panamark.measure;

import dev.panamark.device.BrokenDeviceException;
import dev.panamark.device.Hold;
import dev.panamark.device.Timer;
import dev.panamark.device.Watch;
import dev.panamark.stats.MedianInterval;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The samples of one subject, taken in visits between which others may have their turn. A launch too short for the
 * clock shares its sample with others; the sample is then their mean. Used by one thread.
 */
final class Track {
    /** A sample is at least this many ticks of the clock, so that a tick is at most 0.1 % of it. */
    private static final double TICKS = 1000;

    private static final int MOST = 200_000;

    private static final int MOST_LAUNCHES = 1_000_000;

    /** A clock that moved by more than this between the ends of a visit moved the times in it. */
    private static final double CLOCK_MOVED = 0.02;

    /** Between looks at the state of the device, so that they take no good part of the time. */
    private static final long LOOK_NANOS = 20_000_000;

    private final Subject subject;
    private final HostClock clock;
    private final StoppingRule rule;
    private final Hold hold;
    private final Watch watch;
    private final double resolution;
    private final int launches;
    private final double sampleSeconds;
    private double[] seconds = new double[1024];
    private int n;
    private double sampled;
    private int visits;
    private int disturbed;
    private double slowest = Double.POSITIVE_INFINITY;
    private double fastest = Double.NEGATIVE_INFINITY;
    private double clocks;
    private int clockReadings;
    private boolean enough;
    private @Nullable RuntimeException failure;

    /**
     * Nothing is launched yet.
     *
     * @param launchSeconds what a launch takes, roughly
     * @param timer of the device
     * @param rule of this track alone: it remembers when it looked
     */
    Track(Subject subject, HostClock clock, double launchSeconds, Timer timer, StoppingRule rule, Hold hold) {
        this.subject = timer.isQueued() ? new Differences(subject) : subject;
        this.clock = clock;
        this.rule = rule;
        this.hold = hold;
        this.watch = hold.watch();
        this.resolution = timer.resolution();
        double wanted = Math.max(TICKS * resolution, timer.shortest());
        this.launches = subject.needsRestore()
                ? subject.unit()
                : subject.atLeast(
                        (int) Math.clamp(Math.ceil(wanted / Math.max(launchSeconds, 1e-9)), 1, MOST_LAUNCHES));
        boolean twice = timer.isQueued() && launches > subject.unit(); // and once as many on top
        this.sampleSeconds = (twice ? 3 : 1) * launches * launchSeconds;
    }

    /**
     * What was sampled.
     *
     * @param seconds per launch, one number a sample, in order of time
     * @param launchesPerSample launches that share a sample
     * @param sampled seconds of all samples together
     * @param resolution smallest difference that the clock shows, s
     * @param visits turns in which the samples were taken
     * @param disturbed samples in which the device was interrupted, or whose visit saw its clock change
     * @param clockRange lowest and highest clock seen, Hz; null where it cannot be read
     * @param clockMean mean of the clocks seen at the ends of visits, Hz; empty where it cannot be read
     * @param watch that saw the device's state between samples
     */
    @SuppressWarnings("ArrayRecordComponent") // a series, compared by nobody
    record Samples(
            double[] seconds,
            int launchesPerSample,
            double sampled,
            double resolution,
            int visits,
            int disturbed,
            MedianInterval.@Nullable Bounds clockRange,
            OptionalDouble clockMean,
            Watch watch) {}

    /** One sample that is not kept: caches and predictors are this subject's again after another's turn. */
    void settle() {
        attempt(() -> {
            subject.restore();
            subject.time(launches);
        });
    }

    /** Samples until there are enough, or the moment {@code until} has come; at least one. */
    void stay(long until) {
        attempt(() -> take(() -> !enough, until));
    }

    /**
     * Takes {@code least} samples and more while fewer than {@code atLeast} seconds have passed, enough or not; at
     * least one, and no more once the moment {@code until} has come.
     */
    void visit(int least, double atLeast, long until) {
        long start = clock.nanos();
        int before = n;
        attempt(() -> take(() -> n - before < least || (clock.nanos() - start) * 1e-9 < atLeast, until));
    }

    private void take(BooleanSupplier more, long until) {
        OptionalDouble clockBefore = hold.clock();
        int before = n;
        int disturbedBefore = disturbed;
        visits++;
        long looked = clock.nanos();
        do {
            subject.restore();
            long interruptions = hold.interruptions();
            double t = subject.time(launches);
            if (hold.interruptions() != interruptions) {
                disturbed++;
            }
            add(t);
            if (clock.nanos() - looked > LOOK_NANOS) {
                watch.look();
                looked = clock.nanos();
            }
            enough |= rule.enough(seconds, n, sampled);
        } while (n < MOST && clock.nanos() < until && more.getAsBoolean());
        watch.look();
        OptionalDouble clockAfter = hold.clock();
        if (clockBefore.isPresent() && clockAfter.isPresent()) {
            clocks += clockBefore.getAsDouble() + clockAfter.getAsDouble();
            clockReadings += 2;
            slowest = Math.min(slowest, Math.min(clockBefore.getAsDouble(), clockAfter.getAsDouble()));
            fastest = Math.max(fastest, Math.max(clockBefore.getAsDouble(), clockAfter.getAsDouble()));
            if (Math.abs(clockAfter.getAsDouble() / clockBefore.getAsDouble() - 1) > CLOCK_MOVED) {
                disturbed = disturbedBefore + n - before;
            }
        }
    }

    private void add(double t) {
        if (n == seconds.length) {
            seconds = Arrays.copyOf(seconds, 2 * n);
        }
        seconds[n++] = t / launches;
        sampled += t;
    }

    private void attempt(Runnable work) {
        try {
            work.run();
        } catch (BrokenDeviceException e) {
            failure = e;
            throw e; // nobody else's launches can be timed either
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /** Whether the rule has what it wants, or no more can be had. */
    boolean done() {
        return enough || full();
    }

    /** Whether a launch broke the device. */
    boolean brokeDevice() {
        return failure instanceof BrokenDeviceException;
    }

    /** Whether no more can be had: as many as are kept are there, or it cannot be launched. */
    boolean full() {
        return n >= MOST || failure != null;
    }

    /** What a sample takes, roughly. */
    double sampleSeconds() {
        return sampleSeconds;
    }

    /** Whether there is no sample yet, and one can be had. */
    boolean empty() {
        return n == 0 && failure == null;
    }

    /** Whether there are enough samples for an interval; true too where no more can be had. */
    boolean hasInterval() {
        return n >= MedianInterval.LEAST || failure != null;
    }

    /**
     * All of them.
     *
     * @throws RuntimeException what a launch threw, if one did
     */
    Samples samples() {
        if (failure != null) {
            throw failure;
        }
        return new Samples(
                Arrays.copyOf(seconds, n),
                launches,
                sampled,
                resolution,
                visits,
                disturbed,
                fastest < slowest ? null : new MedianInterval.Bounds(slowest, fastest),
                clockReadings == 0 ? OptionalDouble.empty() : OptionalDouble.of(clocks / clockReadings),
                watch);
    }
}
