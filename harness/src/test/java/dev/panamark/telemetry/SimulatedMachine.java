package dev.panamark.telemetry;

import dev.panamark.measure.HostClock;
import dev.panamark.measure.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A device whose power is known at every instant, with its own clock: hours of it pass in seconds. Nothing here knows
 * how Panamark measures; meters are asked what they would show.
 */
final class SimulatedMachine implements HostClock {
    private static final double IDLE_STEP = 5e-3;

    /**
     * Part of a launch.
     *
     * @param seconds it takes, on average
     * @param watts while it runs, on average
     */
    record Phase(double seconds, double watts) {}

    private final SplittableRandom random;
    private final double idleWatts;
    private final List<Phase> launch;
    private final double noise;
    private final List<SimulatedMeter> meters = new ArrayList<>();
    private long now;
    private double joules;
    private boolean running;
    private int phase;
    private double launchFactor = 1;
    private double watts;
    private long left;
    private long launches;
    private long ended;

    /**
     * At rest, at a time of its own.
     *
     * @param noise relative spread of each launch's times and powers, and of idle power over 5 ms
     */
    SimulatedMachine(long seed, double idleWatts, List<Phase> launch, double noise) {
        this.random = new SplittableRandom(seed);
        this.idleWatts = idleWatts;
        this.launch = List.copyOf(launch);
        this.noise = noise;
        this.now = random.nextLong(-1_000_000_000_000L, 1_000_000_000_000L);
        this.ended = now;
        watts = idleWatts;
    }

    SplittableRandom random() {
        return random;
    }

    /** J that a launch takes on average: what a right measurement must say. */
    double joulesPerLaunch() {
        return launch.stream().mapToDouble(p -> p.seconds * p.watts).sum();
    }

    double secondsPerLaunch() {
        return launch.stream().mapToDouble(Phase::seconds).sum();
    }

    double idleWatts() {
        return idleWatts;
    }

    /** J used since the beginning. */
    double joules() {
        return joules;
    }

    void attach(SimulatedMeter meter) {
        meters.add(meter);
    }

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public void sleepUntil(long nanos) {
        if (nanos > now) {
            pass(nanos - now);
        }
    }

    /** Lets time go by, whatever the device is doing. */
    void pass(long nanos) {
        long rest = nanos;
        while (rest > 0) {
            if (left <= 0) {
                nextStep();
            }
            long step = Math.min(rest, left);
            for (SimulatedMeter meter : meters) {
                meter.pass(now, joules, step, watts);
            }
            joules += watts * step * 1e-9;
            now += step;
            left -= step;
            rest -= step;
            if (left == 0 && running && phase == launch.size()) {
                launches++;
                ended = now;
            }
        }
    }

    private void nextStep() {
        if (!running) {
            watts = Math.max(0, idleWatts * (1 + noise * random.nextGaussian()));
            left = Math.round(IDLE_STEP * 1e9);
            return;
        }
        if (phase == launch.size()) {
            phase = 0;
        }
        if (phase == 0) {
            launchFactor = Math.max(0.1, 1 + noise * random.nextGaussian());
        }
        Phase next = launch.get(phase++);
        watts = Math.max(0, next.watts * (1 + noise * random.nextGaussian()));
        left = Math.max(1, Math.round(next.seconds * launchFactor * 1e9));
    }

    private void start() {
        if (!running) {
            running = true;
            phase = 0;
            left = 0;
        }
    }

    private void finishLaunch() {
        long before = launches;
        while (launches == before) {
            pass(Math.max(1, left));
        }
    }

    private void rest() {
        running = false;
        left = 0;
    }

    /** Launches return when they are done; the device is idle between them. */
    Load synchronous() {
        return new Load() {
            @Override
            public Completion advance() {
                start();
                finishLaunch();
                rest();
                return new Completion(launches, ended);
            }

            @Override
            public void pause() {
                rest();
            }
        };
    }

    /** Launches are queued and go on whatever the host does. */
    Load queued() {
        return new Load() {
            @Override
            public Completion advance() {
                start();
                pass(500_000);
                return new Completion(launches, ended);
            }

            @Override
            public void pause() {
                if (running) {
                    finishLaunch();
                    rest();
                }
            }
        };
    }
}
