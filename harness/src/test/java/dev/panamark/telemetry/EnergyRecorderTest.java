package dev.panamark.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.measure.Load;
import dev.panamark.result.Interval;
import dev.panamark.result.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A command on a simulated device: 50 W idle, 250 W while it runs, begun and ended when it likes. */
class EnergyRecorderTest {
    private static final double IDLE = 50;
    private static final double BUSY = 250;

    /**
     * What a command of so many seconds cost by a meter.
     *
     * @param joules of power by known time, so the truth
     */
    private record Command(MeterEnergy energy, double joules, List<double[]> samples) {}

    private static SimulatedMachine machine(long seed, double noise) {
        return new SimulatedMachine(seed, IDLE, List.of(new SimulatedMachine.Phase(1e-3, BUSY)), noise);
    }

    private static Command command(SimulatedMachine machine, SimulatedMeter meter, double seconds) {
        List<double[]> samples = new ArrayList<>();
        EnergyRecorder recorder = new EnergyRecorder(
                machine, List.of(meter), (id, from, to, joules) -> samples.add(new double[] {from, to, joules}));
        machine.pass(3_000_000_000L);
        recorder.prepare();
        Load load = machine.queued();
        long begin = machine.nanos();
        recorder.begin(begin);
        double before = machine.joules();
        while ((machine.nanos() - begin) * 1e-9 < seconds) {
            load.advance();
            if (machine.nanos() >= recorder.wake()) {
                recorder.poll();
            }
        }
        load.pause();
        double used = machine.joules() - before;
        return new Command(recorder.end(machine.nanos()).getFirst(), used, samples);
    }

    private static Interval ci(Metric metric) {
        return Objects.requireNonNull(metric.ci95(), metric::toString);
    }

    private static double value(Metric metric) {
        return Objects.requireNonNull(metric.value(), () -> String.valueOf(metric.reason()));
    }

    /** Ends fall anywhere between ticks; the truth is power times time. */
    @ParameterizedTest
    @CsvSource({"0.1, 0.02", "0.02, 0.02", "0.001, 0.05"})
    void intervalsHoldTheTruth(double period, double jitter) {
        int held = 0;
        double error = 0;
        for (int seed = 1; seed <= 1000; seed++) {
            SimulatedMachine machine = machine(seed, 0.02);
            SimulatedMeter meter = SimulatedMeter.counter(machine, period, jitter, 1e-5);
            Command c = command(machine, meter, 1.5 + machine.random().nextDouble());
            Interval ci = ci(c.energy.joules());
            held += ci.lo() <= c.joules && c.joules <= ci.hi() ? 1 : 0;
            error = Math.max(error, Math.abs(value(c.energy.joules()) / c.joules - 1));
            assertTrue(ci.half() < 2 * period * BUSY, c::toString);
        }
        assertTrue(held >= 936, "held " + held + " of 1000, largest error " + error);
        assertTrue(error < period / 1.5, "no error is as large as one update: " + error);
    }

    @Test
    void powerIsJoulesOverTheTime() {
        SimulatedMachine machine = machine(1, 0);
        Command c = command(machine, SimulatedMeter.counter(machine, 0.01, 0, 1e-6), 4);
        assertEquals(1000, value(c.energy.joules()), 2 * ci(c.energy.joules()).half(), "4 s at 250 W");
        assertEquals(250, value(c.energy.power()), 0.5);
        assertEquals(0.01, Objects.requireNonNull(c.energy.updatePeriod()), 1e-4);
        assertEquals("sim:counter", c.energy.meter());
    }

    /** Samples leave nothing out, and together are what the meter counted between its first and last tick. */
    @Test
    void samplesAreWithoutGaps() {
        SimulatedMachine machine = machine(1, 0);
        Command c = command(machine, SimulatedMeter.counter(machine, 0.02, 0, 1e-6), 4);
        assertEquals(4 / 0.2, c.samples.size(), 2, "one each max(0.1 s, 10 updates)");
        double sum = 0;
        for (int i = 0; i < c.samples.size(); i++) {
            double[] s = c.samples.get(i);
            sum += s[2];
            if (i > 0) {
                assertEquals(c.samples.get(i - 1)[1], s[0], 1e-12);
            }
            if (i > 0 && i < c.samples.size() - 1) {
                assertEquals(BUSY, s[2] / (s[1] - s[0]), 0.03 * BUSY);
            }
        }
        assertEquals(1000, sum, 0.04 * BUSY);
    }

    @Test
    void aSensorOfPowerIsIntegrated() {
        SimulatedMachine machine = new SimulatedMachine(5, IDLE, List.of(new SimulatedMachine.Phase(1e-3, BUSY)), 0.02);
        Command c = command(machine, SimulatedMeter.averaging(machine, 0.02, 0.1), 10);
        assertEquals(2500, value(c.energy.joules()), ci(c.energy.joules()).half(), "10 s at 250 W, less the rise");
    }

    /** 0.7 s hold seven updates. */
    @Test
    void aShortCommandIsBelowResolution() {
        SimulatedMachine machine = machine(1, 0);
        Command c = command(machine, SimulatedMeter.counter(machine, 0.1, 0, 1e-3), 0.7);
        assertNull(c.energy.joules().value());
        String reason = String.valueOf(c.energy.joules().reason());
        assertTrue(reason.contains("below resolution") && reason.contains("at least 1.00 s"), reason);
        assertNull(c.energy.power().value());
    }

    @Test
    void faultsAreReasons() {
        SimulatedMachine machine = machine(1, 0);
        Command stuck =
                command(machine, SimulatedMeter.counter(machine, 0.1, 0, 1e-3).stuckIn(0), 3);
        assertTrue(String.valueOf(stuck.energy.joules().reason()).contains("changed 0 times"), stuck::toString);
        SimulatedMachine other = machine(1, 0);
        Command back =
                command(other, SimulatedMeter.counter(other, 0.1, 0, 1e-3).resetIn(7), 6);
        assertTrue(String.valueOf(back.energy.power().reason()).contains("went backwards"), back::toString);
        SimulatedMachine third = machine(1, 0);
        Command late =
                command(third, SimulatedMeter.counter(third, 0.1, 0, 1e-3).stuckIn(8), 6);
        assertTrue(String.valueOf(late.energy.joules().reason()).contains("stuck"), late::toString);
    }

    @Test
    void noMetersAreNoTrouble() {
        SimulatedMachine machine = machine(1, 0);
        EnergyRecorder recorder = new EnergyRecorder(machine, List.of(), (id, from, to, joules) -> {});
        long start = machine.nanos();
        recorder.prepare();
        recorder.begin(machine.nanos());
        assertEquals(Long.MAX_VALUE, recorder.wake());
        recorder.poll();
        assertEquals(List.of(), recorder.end(machine.nanos()));
        assertEquals(start, machine.nanos());
    }
}
