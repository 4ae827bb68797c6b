package dev.panamark.telemetry;

import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A meter of a simulated machine, updated at its own ticks, of the kinds that Yang et al. found in GPUs (SC24, arXiv
 * 2312.02741): a true counter, one that looks for 25 ms of every 100 ms, and power averaged over a second.
 */
final class SimulatedMeter implements PowerMeter {
    private static final long READ_NANOS = 15_000;

    private final SimulatedMachine machine;
    private final MeterInfo info;
    private final double period;
    private final double jitter;
    private final double looks;
    private double nextTick;
    private double lookedFrom = Double.NaN;
    private double lastTick;
    private double accumulated;
    private double value;
    private final Deque<double[]> history = new ArrayDeque<>();
    private double stuckFrom = Double.POSITIVE_INFINITY;
    private double resetAt = Double.POSITIVE_INFINITY;
    private double offset;
    private @Nullable String broken;

    private SimulatedMeter(SimulatedMachine machine, MeterInfo info, double period, double jitter, double looks) {
        this.machine = machine;
        this.info = info;
        this.period = period;
        this.jitter = jitter;
        this.looks = looks;
        this.lastTick = machine.nanos() * 1e-9 - machine.random().nextDouble() * period;
        this.nextTick = lastTick + period;
        machine.attach(this);
    }

    private static MeterInfo info(
            String id, MeterInfo.Quantity quantity, double unit, OptionalLong range, double averaging) {
        return new MeterInfo(
                id,
                "sim:0",
                Optional.empty(),
                "simulation",
                "a simulated meter",
                MeterInfo.Scope.GPU,
                quantity,
                unit,
                range,
                averaging,
                Optional.empty(),
                OptionalDouble.of(0.05),
                "made up");
    }

    /** A counter of all energy up to its last tick. */
    static SimulatedMeter counter(SimulatedMachine machine, double period, double jitter, double unit) {
        return new SimulatedMeter(
                machine,
                info("sim:counter", MeterInfo.Quantity.ENERGY, unit, OptionalLong.empty(), 0),
                period,
                jitter,
                0);
    }

    /** The same, which starts again at 0 after {@code range} counts. */
    static SimulatedMeter wrapping(SimulatedMachine machine, double period, double unit, long range) {
        return new SimulatedMeter(
                machine,
                info("sim:wrapping", MeterInfo.Quantity.ENERGY, unit, OptionalLong.of(range), 0),
                period,
                0,
                0);
    }

    /** A counter that looks at power for {@code looks} s before each tick and takes it for the whole period. */
    static SimulatedMeter sampling(SimulatedMachine machine, double period, double jitter, double looks) {
        return new SimulatedMeter(
                machine,
                info("sim:sampling", MeterInfo.Quantity.ENERGY, 1e-3, OptionalLong.empty(), 0),
                period,
                jitter,
                looks);
    }

    /** Power averaged over a whole number of periods. */
    static SimulatedMeter averaging(SimulatedMachine machine, double period, double averaging) {
        return new SimulatedMeter(
                machine,
                info("sim:average", MeterInfo.Quantity.POWER, 1e-3, OptionalLong.empty(), averaging),
                period,
                0,
                0);
    }

    /** What it shows stays as it is from so many seconds from now on. */
    SimulatedMeter stuckIn(double seconds) {
        stuckFrom = machine.nanos() * 1e-9 + seconds;
        return this;
    }

    /** It loses all it has counted, once, after so many seconds. */
    SimulatedMeter resetIn(double seconds) {
        resetAt = machine.nanos() * 1e-9 + seconds;
        return this;
    }

    /** It cannot be read any more, for this reason. */
    void breakDown(String why) {
        broken = why;
    }

    /** Time goes by: {@code joules} had been used at {@code nanos}, and power is constant for a step. */
    void pass(long nanos, double joules, long step, double watts) {
        double start = nanos * 1e-9;
        double end = (nanos + step) * 1e-9;
        while (true) {
            double look = nextTick - looks;
            if (looks > 0 && Double.isNaN(lookedFrom) && look < end) {
                lookedFrom = joules + watts * Math.max(0, look - start);
            }
            if (nextTick >= end) {
                return;
            }
            tick(joules + watts * Math.max(0, nextTick - start));
        }
    }

    private void tick(double used) {
        double at = nextTick;
        if (info.quantity() == MeterInfo.Quantity.POWER) {
            history.addLast(new double[] {at, used});
            double[] oldest = history.getFirst();
            if (history.size() > Math.round(info.averaging() / period)) {
                history.removeFirst();
            }
            show(at, at > oldest[0] ? (used - oldest[1]) / (at - oldest[0]) : 0);
        } else if (looks > 0) {
            accumulated += (used - lookedFrom) / looks * (at - lastTick);
            show(at, accumulated);
        } else {
            show(at, used);
        }
        lookedFrom = Double.NaN;
        lastTick = at;
        nextTick = at + period * (1 + jitter * (machine.random().nextDouble() - 0.5));
    }

    private void show(double at, double what) {
        if (at < stuckFrom) {
            value = what;
        }
        if (at >= resetAt) {
            resetAt = Double.POSITIVE_INFINITY;
            offset = what;
        }
    }

    @Override
    public MeterInfo info() {
        return info;
    }

    @Override
    public long read() {
        machine.pass(READ_NANOS);
        if (broken != null) {
            throw new dev.panamark.device.DeviceException(broken);
        }
        long counts = (long) Math.floor((value - offset) / info.unit());
        return info.range().isPresent() ? counts % info.range().getAsLong() : counts;
    }

    @Override
    public void close() {}
}
