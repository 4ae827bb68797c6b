package dev.panamark.telemetry;

import dev.panamark.device.PowerMeter;
import dev.panamark.measure.EnergyMeasurement;
import dev.panamark.measure.HostClock;
import dev.panamark.measure.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** The energy of the rows of one device, in the mode that the run asked for. */
public final class RowEnergy implements EnergyMeasurement {
    private static final double QUICK_SHARE = 0.5;

    private final EnergyProtocol protocol;
    private final EnergyMode mode;
    private final boolean metered;
    private boolean begun;

    /**
     * Reads nothing yet.
     *
     * @param meters of the device, which stay the caller's
     * @param absence why there are none and what to do, where there are none
     * @param seed of the random delays between windows
     */
    public RowEnergy(HostClock clock, List<PowerMeter> meters, String absence, EnergyMode mode, long seed) {
        this.protocol = new EnergyProtocol(clock, meters, absence, seed);
        this.mode = mode;
        this.metered = mode != EnergyMode.OFF && !meters.isEmpty();
    }

    @Override
    public double seconds(int rows) {
        return metered ? rows * mode.rowSeconds() + (begun ? 0 : mode.deviceSeconds()) : 0;
    }

    /** The quick window is taken from the time for samples; longer ones have a time of their own. */
    @Override
    public double mostShare() {
        return mode == EnergyMode.QUICK ? QUICK_SHARE : 1;
    }

    @Override
    public Energy measure(Load load, double seconds, OptionalDouble tokens) {
        begun = true;
        return energy(protocol.measure(load, mode, longest(seconds)), tokens);
    }

    /** What is taken off is taken off the windows and what belongs to them alike. */
    private double longest(double seconds) {
        return seconds >= mode.rowSeconds()
                ? Double.POSITIVE_INFINITY
                : mode.windowSeconds() * seconds / mode.rowSeconds();
    }

    @Override
    public Energy missing(String reason, OptionalDouble tokens) {
        return energy(LaunchEnergy.missing(reason), tokens);
    }

    private static Energy energy(LaunchEnergy e, OptionalDouble tokens) {
        List<String> flags = new ArrayList<>();
        e.flags().forEach(flag -> flags.add("energy: " + flag));
        return new Energy(e.metrics(tokens), flags);
    }
}
