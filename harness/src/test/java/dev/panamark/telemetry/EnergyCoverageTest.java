package dev.panamark.telemetry;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.measure.Load;
import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.stats.MeanInterval;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * How often intervals hold the truth, which a simulation knows, and how far the difference of two readings around the
 * same launches is off. 936 of 1,000 is what 95 % leaves with a probability of 2 %.
 */
class EnergyCoverageTest {
    private static final int TRIES = 1000;
    private static final int LEAST = 936;

    /** 3 ms of a GPU: a gap and a burst. */
    private static final List<SimulatedMachine.Phase> SHORT =
            List.of(new SimulatedMachine.Phase(0.4e-3, 90), new SimulatedMachine.Phase(2.6e-3, 380));

    /** 37 ms with a long quiet part, so that a sensor that looks for 25 ms sees either. */
    private static final List<SimulatedMachine.Phase> LONG =
            List.of(new SimulatedMachine.Phase(15e-3, 120), new SimulatedMachine.Phase(22e-3, 400));

    /**
     * One setting.
     *
     * @param meter to attach
     * @param gain how many times smaller the root mean square error must be than that of two readings
     */
    record Setting(
            String name,
            EnergyMode mode,
            List<SimulatedMachine.Phase> launch,
            boolean queued,
            Function<SimulatedMachine, SimulatedMeter> meter,
            double gain) {
        @Override
        public String toString() {
            return name + ", " + mode.name().toLowerCase(Locale.ROOT);
        }
    }

    static Stream<Setting> settings() {
        Function<SimulatedMachine, SimulatedMeter> slow = m -> SimulatedMeter.counter(m, 0.1, 0.02, 1e-3);
        Function<SimulatedMachine, SimulatedMeter> looking = m -> SimulatedMeter.sampling(m, 0.1, 0.02, 0.025);
        Function<SimulatedMachine, SimulatedMeter> averaging = m -> SimulatedMeter.averaging(m, 0.1, 1);
        return Stream.of(
                new Setting("counter, 100 ms", EnergyMode.QUICK, SHORT, false, slow, 3),
                new Setting("counter, 100 ms, queued launches", EnergyMode.SCREEN, SHORT, true, slow, 3),
                new Setting("25 of 100 ms", EnergyMode.QUICK, SHORT, true, looking, 2),
                new Setting("25 of 100 ms, long launches", EnergyMode.SCREEN, LONG, false, looking, 1),
                new Setting("average of 1 s", EnergyMode.QUICK, LONG, true, averaging, 3),
                new Setting(
                        "counter, 1 ms",
                        EnergyMode.QUICK,
                        SHORT,
                        false,
                        m -> SimulatedMeter.counter(m, 1e-3, 0.05, 61e-6),
                        0));
    }

    /** What came of one setting. */
    private static final class Tally {
        int gross;
        int net;
        int nets;
        int naive;
        double error;
        double naiveError;
        double width;

        String row(Setting s) {
            return String.format(
                    Locale.ROOT,
                    "%s: gross covered %d, net %d of %d, error %.3f %%, interval +- %.3f %%; two readings: error %.3f %%,"
                            + " covered %d",
                    s,
                    gross,
                    net,
                    nets,
                    100 * Math.sqrt(error / TRIES),
                    100 * width / TRIES,
                    100 * Math.sqrt(naiveError / TRIES),
                    naive);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settings")
    void intervalsHoldTheTruth(Setting setting) {
        Tally tally = new Tally();
        for (int seed = 1; seed <= TRIES; seed++) {
            SimulatedMachine machine = new SimulatedMachine(seed, 70, setting.launch, 0.05);
            SimulatedMeter meter = setting.meter.apply(machine);
            machine.pass(2_000_000_000L);
            Load load = setting.queued ? machine.queued() : machine.synchronous();
            EnergyProtocol protocol = new EnergyProtocol(machine, List.of(meter), "", seed);
            LaunchEnergy energy = protocol.measure(load, setting.mode, Double.POSITIVE_INFINITY);
            double truth = machine.joulesPerLaunch();
            tally.gross += holds(energy.gross(), truth) ? 1 : 0;
            tally.error += square(value(energy.gross()) / truth - 1);
            tally.width += Objects.requireNonNull(energy.gross().ci95()).half() / truth;
            if (energy.net().value() != null) {
                tally.nets++;
                tally.net += holds(energy.net(), truth - machine.idleWatts() * machine.secondsPerLaunch()) ? 1 : 0;
            }
            naive(machine, meter, load, energy.window(), setting.mode == EnergyMode.QUICK ? 1 : 10, truth, tally);
        }
        String row = tally.row(setting);
        assertTrue(tally.gross >= LEAST, row);
        assertTrue(tally.net >= LEAST || tally.nets == 0, row);
        assertTrue(
                Math.sqrt(tally.naiveError) >= setting.gain * Math.sqrt(tally.error),
                () -> "two readings are no worse: " + row);
    }

    /** Two readings around as many launches as the window held, as often; Student's t where there are several. */
    private static void naive(
            SimulatedMachine machine,
            SimulatedMeter meter,
            Load load,
            double window,
            int trials,
            double truth,
            Tally tally) {
        double[] each = new double[trials];
        for (int i = 0; i < trials; i++) {
            machine.pass(1_000_000_000L + Math.round(1e8 * machine.random().nextDouble()));
            boolean counter = meter.info().averaging() == 0;
            long start = machine.nanos();
            long before = meter.read();
            long first = -1;
            long done = 0;
            double powers = 0;
            int readings = 0;
            while ((machine.nanos() - start) * 1e-9 < window) {
                Load.Completion c = load.advance();
                first = first < 0 ? c.launches() - 1 : first;
                done = c.launches() - first;
                if (!counter && readings < (machine.nanos() - start) * 1e-8) {
                    powers += meter.read() * meter.info().unit();
                    readings++;
                }
            }
            load.pause();
            double joules = counter
                    ? (meter.read() - before) * meter.info().unit()
                    : powers / readings * (machine.nanos() - start) * 1e-9;
            each[i] = joules / done;
        }
        double mean = java.util.Arrays.stream(each).average().orElseThrow();
        tally.naiveError += square(mean / truth - 1);
        if (trials > 1) {
            MeanInterval t = MeanInterval.independent(each);
            tally.naive += Math.abs(t.mean() - truth) <= t.half() ? 1 : 0;
        }
    }

    private static double value(Metric metric) {
        return Objects.requireNonNull(metric.value(), () -> String.valueOf(metric.reason()));
    }

    private static boolean holds(Metric metric, double truth) {
        Interval ci = Objects.requireNonNull(metric.ci95(), metric::toString);
        return ci.lo() <= truth && truth <= ci.hi();
    }

    private static double square(double x) {
        return x * x;
    }
}
