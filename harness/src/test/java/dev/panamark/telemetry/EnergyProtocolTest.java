package dev.panamark.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import dev.panamark.measure.Load;
import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import dev.panamark.result.Source;
import dev.panamark.result.Tags;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On a simulated device: 1 ms at 100 W, then 4 ms at 300 W, so 1.3 J a launch at 260 W; 50 W idle, 0.25 J in 5 ms. */
class EnergyProtocolTest {
    private static final double GROSS = 1.3;
    private static final double IDLE = 0.25;
    private static final double FOREVER = Double.POSITIVE_INFINITY;

    private final SimulatedMachine machine = machine(0.01);
    private final Load load = machine.synchronous();

    private static SimulatedMachine machine(double noise) {
        return new SimulatedMachine(
                7, 50, List.of(new SimulatedMachine.Phase(1e-3, 100), new SimulatedMachine.Phase(4e-3, 300)), noise);
    }

    private LaunchEnergy measured(EnergyMode mode, PowerMeter... meters) {
        return new EnergyProtocol(machine, List.of(meters), "no meters here", 1).measure(load, mode, FOREVER);
    }

    private static double value(Metric metric) {
        return Objects.requireNonNull(metric.value(), () -> String.valueOf(metric.reason()));
    }

    private static double half(Metric metric) {
        return Objects.requireNonNull(metric.ci95(), metric::toString).half();
    }

    private static void missing(Metric metric, String... words) {
        assertNull(metric.value());
        for (String word : words) {
            assertTrue(String.valueOf(metric.reason()).contains(word), metric::toString);
        }
    }

    @Test
    void screenGivesGrossIdleAndNetApart() {
        long start = machine.nanos();
        LaunchEnergy e = measured(EnergyMode.SCREEN, SimulatedMeter.counter(machine, 0.02, 0.02, 1e-3));
        assertEquals(GROSS, value(e.gross()), 3 * half(e.gross()));
        assertEquals(IDLE, value(e.idle()), 3 * half(e.idle()));
        assertEquals(value(e.gross()) - value(e.idle()), value(e.net()), 1e-12);
        assertEquals(260, value(e.power()), 3 * half(e.power()));
        assertTrue(half(e.gross()) < 0.01 * GROSS, e::toString);
        assertTrue(half(e.net()) > half(e.gross()) && half(e.net()) > half(e.idle()), e::toString);
        assertEquals(10L, e.gross().n());
        assertEquals(10, e.trials());
        assertEquals(Source.MEASURED, e.gross().source());
        assertEquals(Source.COMPUTED, e.net().source());
        assertEquals(5, e.window(), 0.05, "max(5 s, 50 updates of 20 ms)");
        assertEquals(0.02, e.updatePeriod(), 2e-4);
        assertEquals(10 * 5 / 5e-3, e.launches(), 100);
        assertEquals("energy counter", e.method());
        assertEquals("gpu", e.scope());
        assertEquals("up to 5 % (made up)", e.systematic());
        assertEquals(List.of(), e.flags());
        double passed = (machine.nanos() - start) * 1e-9;
        assertTrue(passed > 10 * 6 + 2 * 5 && passed < 100, "10 windows of 5 s after 1 s each, 2 idle: " + passed);
    }

    @Test
    void publishTakesAMinuteAWindow() {
        LaunchEnergy e = measured(EnergyMode.PUBLISH, SimulatedMeter.counter(machine, 1e-3, 0, 61e-6));
        assertEquals(60, e.window(), 0.1);
        assertEquals(GROSS, value(e.gross()), 3 * half(e.gross()));
    }

    /** 20 updates of 100 ms are longer than 1 s; the second row does without another idle window. */
    @Test
    void quickTakesOneWindowARowAndOneIdleWindowADevice() {
        SimulatedMeter meter = SimulatedMeter.counter(machine, 0.1, 0.01, 1e-3);
        EnergyProtocol protocol = new EnergyProtocol(machine, List.of(meter), "", 1);
        LaunchEnergy first = protocol.measure(load, EnergyMode.QUICK, FOREVER);
        long start = machine.nanos();
        LaunchEnergy second = protocol.measure(load, EnergyMode.QUICK, FOREVER);
        double passed = (machine.nanos() - start) * 1e-9;
        assertTrue(passed > 2 && passed < 2.8, "no calibrating, no idle window: " + passed);
        assertEquals(2, first.window(), 0.11);
        for (LaunchEnergy e : List.of(first, second)) {
            assertEquals(GROSS, value(e.gross()), 3 * half(e.gross()));
            assertEquals(IDLE, value(e.idle()), 3 * half(e.idle()));
            missing(e.net(), "--energy screen");
            assertEquals(1, e.trials());
            assertTrue(String.valueOf(e.gross().note()).contains("one window"), e::toString);
        }
    }

    /** Every phase of a slow sensor's sampling is met at some window, also by launches that a multiple of it fits. */
    @Test
    void windowsOfOneSeedBeginAtTheSameTimesAndOfAnotherDoNot() {
        double[] values = new double[3];
        long[] seeds = {1, 1, 2};
        for (int i = 0; i < 3; i++) {
            SimulatedMachine m = machine(0.01);
            SimulatedMeter meter = SimulatedMeter.sampling(m, 0.1, 0, 0.025);
            values[i] = value(new EnergyProtocol(m, List.of(meter), "", seeds[i])
                    .measure(m.synchronous(), EnergyMode.SCREEN, FOREVER)
                    .gross());
        }
        assertEquals(values[0], values[1]);
        assertFalse(values[0] == values[2]);
    }

    /** 1,000 J at 260 W: a counter of 4 s, so each window of 5 s wraps at least once. */
    @Test
    void aCounterThatWrapsLosesNothing() {
        LaunchEnergy e = measured(EnergyMode.SCREEN, SimulatedMeter.wrapping(machine, 0.01, 1e-3, 1_000_000));
        assertEquals(GROSS, value(e.gross()), 3 * half(e.gross()));
        assertEquals(IDLE, value(e.idle()), 3 * half(e.idle()));
    }

    @Test
    void anAverageOfASecondIsWaitedFor() {
        LaunchEnergy e = measured(EnergyMode.QUICK, SimulatedMeter.averaging(machine, 0.1, 1));
        assertEquals(20, e.window(), 0.2, "20 times what it averages over");
        assertEquals(GROSS, value(e.gross()), 3 * half(e.gross()));
        assertEquals(260, value(e.power()), 3 * half(e.power()));
        assertEquals("power averaged over 1.0 s, integrated", e.method());
    }

    @Test
    void aStuckCounterGivesNothing() {
        LaunchEnergy e = measured(
                EnergyMode.QUICK, SimulatedMeter.counter(machine, 0.1, 0, 1e-3).stuckIn(0));
        missing(e.gross(), "changed 0 times", "stuck");
        missing(e.idle(), "stuck");
        missing(e.net(), "stuck");
        missing(e.power(), "stuck");
        assertEquals(0, e.trials());
    }

    @Test
    void aCounterThatSticksHalfwayGivesNothingEither() {
        LaunchEnergy e = measured(
                EnergyMode.SCREEN,
                SimulatedMeter.counter(machine, 0.02, 0, 1e-3).stuckIn(30));
        missing(e.gross(), "stuck");
    }

    @Test
    void aCounterThatGoesBackwardsGivesNothing() {
        LaunchEnergy e = measured(
                EnergyMode.SCREEN,
                SimulatedMeter.counter(machine, 0.02, 0, 1e-3).resetIn(30));
        missing(e.gross(), "went backwards, from ", " J to ");
        missing(e.net(), "went backwards");
    }

    @Test
    void aMeterThatFailsSaysWhy() {
        SimulatedMeter meter = SimulatedMeter.counter(machine, 0.02, 0, 1e-3);
        EnergyProtocol protocol = new EnergyProtocol(machine, List.of(meter), "", 1);
        assertNotNull(protocol.measure(load, EnergyMode.QUICK, FOREVER).gross().value());
        meter.breakDown("energy_uj: input/output error");
        missing(protocol.measure(load, EnergyMode.QUICK, FOREVER).gross(), "energy_uj: input/output error");
    }

    /** 0.9 s hold 9 updates of 100 ms, 0.9 s in ten windows none; both are no figure and not a small one. */
    @Test
    void aWindowOfTooFewUpdatesIsBelowResolution() {
        SimulatedMeter meter = SimulatedMeter.counter(machine, 0.1, 0, 1e-3);
        EnergyProtocol protocol = new EnergyProtocol(machine, List.of(meter), "", 1);
        LaunchEnergy e = protocol.measure(load, EnergyMode.QUICK, 0.9);
        missing(e.gross(), "below resolution", "0.900 s holds fewer than 10 updates of 0.100 s", "at least 1.00 s");
        missing(e.power(), "below resolution");
        missing(protocol.measure(load, EnergyMode.SCREEN, 0.9).net(), "below resolution");
        assertEquals(GROSS, value(protocol.measure(load, EnergyMode.QUICK, 1.1).gross()), 0.1 * GROSS);
    }

    @Test
    void nothingAskedForOrThereIsSaid() {
        missing(measured(EnergyMode.OFF).gross(), "--energy off");
        LaunchEnergy none = measured(EnergyMode.QUICK);
        missing(none.gross(), "no meters here");
        missing(none.net(), "no meters here");
        missing(
                Objects.requireNonNull(none.metrics(OptionalDouble.of(8)).get("tokens_per_joule/gross")),
                "no meters here");
    }

    /** Launches of 0.6 s: a window of a second holds one or two, too few for a spread. */
    @Test
    void aWindowOfTwoLaunchesHasNoInterval() {
        SimulatedMachine slow = new SimulatedMachine(3, 50, List.of(new SimulatedMachine.Phase(0.6, 200)), 0);
        SimulatedMeter meter = SimulatedMeter.counter(slow, 1e-3, 0, 61e-6);
        LaunchEnergy e =
                new EnergyProtocol(slow, List.of(meter), "", 1).measure(slow.synchronous(), EnergyMode.QUICK, FOREVER);
        assertEquals(120, value(e.gross()), 0.2, "0.6 s at 200 W");
        assertNull(e.gross().ci95());
        assertTrue(String.valueOf(e.gross().note()).contains("fewer than 4 launches"), e::toString);
        assertEquals(1e-3, e.updatePeriod(), 1e-4, "found while idle, as launches are longer");
    }

    /** The quick mode has one window of a second, and waits no longer for it than that is worth. */
    @ParameterizedTest
    @CsvSource({"QUICK, 5", "SCREEN, 15"})
    void aDeviceThatDoesNotComeToRestIsFlagged(EnergyMode mode, int seconds) {
        SimulatedMachine restless = new SimulatedMachine(3, 500, List.of(new SimulatedMachine.Phase(2e-3, 700)), 0.2);
        SimulatedMeter meter = SimulatedMeter.counter(restless, 0.02, 0, 1e-3);
        LaunchEnergy e =
                new EnergyProtocol(restless, List.of(meter), "", 1).measure(restless.synchronous(), mode, FOREVER);
        assertTrue(e.flags().getFirst().contains("not come to rest within 2 W after " + seconds + " s"), e::toString);
    }

    private PowerMeter renamed(SimulatedMeter meter, UnaryOperator<MeterInfo> change) {
        MeterInfo changed = change.apply(meter.info());
        return new PowerMeter() {
            @Override
            public MeterInfo info() {
                return changed;
            }

            @Override
            public long read() {
                return meter.read();
            }

            @Override
            public void close() {}
        };
    }

    private static MeterInfo overlapping(MeterInfo i) {
        return new MeterInfo(
                "sim:cores",
                i.device(),
                i.uuid(),
                i.source(),
                i.place(),
                MeterInfo.Scope.CORES,
                i.quantity(),
                i.unit(),
                OptionalLong.empty(),
                0,
                Optional.of("part of sim:a"),
                i.gain(),
                i.gainSource());
    }

    /** Three meters of the same 260 W: two are added, the third counts the same joules again. */
    @Test
    void aSumCountsEachJouleOnceAndIsWholeOrNothing() {
        PowerMeter a = renamed(SimulatedMeter.counter(machine, 1e-3, 0, 61e-6), i -> i.withId("sim:a"));
        PowerMeter b = renamed(SimulatedMeter.counter(machine, 0.01, 0, 1e-3), i -> i.withId("sim:b"));
        PowerMeter cores = renamed(SimulatedMeter.counter(machine, 0.01, 0, 1e-3), EnergyProtocolTest::overlapping);
        LaunchEnergy e = measured(EnergyMode.SCREEN, a, b, cores);
        assertEquals("sim:a+sim:b", e.meter());
        assertEquals(2 * GROSS, value(e.gross()), 2 * half(e.gross()));
        assertEquals(half(e.parts().get(0).gross()) + half(e.parts().get(1).gross()), half(e.gross()), 1e-12);
        assertEquals(3, e.parts().size());
        assertEquals("sim:cores", e.parts().get(2).meter());
        assertEquals(0.01, e.updatePeriod(), 1e-4, "the slower of the two");
        assertEquals(Source.COMPUTED, e.gross().source());

        PowerMeter stuck =
                renamed(SimulatedMeter.counter(machine, 0.01, 0, 1e-3).stuckIn(0), i -> i.withId("sim:stuck"));
        LaunchEnergy part = measured(EnergyMode.QUICK, a, stuck);
        missing(part.gross(), "sim:stuck: ", "changed 0 times");
        assertEquals(GROSS, value(part.parts().getFirst().gross()), 0.05 * GROSS);
    }

    /** 16 tokens for 1.3 J are 12.3 tokens/J; the interval turns round. */
    @Test
    void aRowsMetricsCarryWhereTheyComeFrom() {
        LaunchEnergy e = measured(EnergyMode.SCREEN, SimulatedMeter.counter(machine, 0.02, 0, 1e-3));
        Map<String, Metric> row = e.metrics(OptionalDouble.of(16));
        assertEquals(
                List.of(
                        "power/average",
                        "energy/gross",
                        "energy/idle",
                        "energy/net",
                        "tokens_per_joule/gross",
                        "tokens_per_joule/net"),
                List.copyOf(row.keySet()));
        row.forEach((path, metric) ->
                assertEquals(Tags.of(path).orElseThrow().unit(), metric.unit(), "a row would refuse another unit"));
        Metric gross = Objects.requireNonNull(row.get("energy/gross"));
        assertEquals("energy counter", gross.detail().get("method"));
        assertEquals("gpu", gross.detail().get("scope"));
        assertEquals(e.window(), gross.detail().get("window_s"));
        assertEquals(e.updatePeriod(), gross.detail().get("update_period_s"));
        assertEquals("up to 5 % (made up)", gross.detail().get("systematic"));
        Metric tokens = Objects.requireNonNull(row.get("tokens_per_joule/gross"));
        assertEquals(16 / 1.3, value(tokens), 0.2);
        Interval ci = Objects.requireNonNull(tokens.ci95());
        assertEquals(16 / Objects.requireNonNull(gross.ci95()).hi(), ci.lo(), 1e-12);
        missing(Objects.requireNonNull(e.metrics(OptionalDouble.empty()).get("tokens_per_joule/net")), "work.tokens");
    }
}
