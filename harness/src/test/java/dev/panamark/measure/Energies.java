package dev.panamark.measure;

import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import dev.panamark.telemetry.EnergyMode;
import dev.panamark.telemetry.RowEnergy;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Energy measurements of simulated devices. */
final class Energies {
    static final double WATTS = 50;

    private Energies() {}

    /** Of a device without a meter. */
    static EnergyMeasurement none(HostClock clock) {
        return new RowEnergy(clock, List.of(), "no meter here", EnergyMode.QUICK, 1);
    }

    /** By a counter that shows millijoules of a steady {@link #WATTS}, as of each whole millisecond. */
    static EnergyMeasurement steady(HostClock clock, EnergyMode mode) {
        MeterInfo info = new MeterInfo(
                "test:0",
                "cpu:9",
                Optional.empty(),
                "test",
                "nowhere",
                MeterInfo.Scope.PACKAGE,
                MeterInfo.Quantity.ENERGY,
                1e-3,
                OptionalLong.empty(),
                0,
                Optional.empty(),
                OptionalDouble.empty(),
                "a simulation");
        PowerMeter meter = new PowerMeter() {
            @Override
            public MeterInfo info() {
                return info;
            }

            @Override
            public long read() {
                return clock.nanos() / 1_000_000 * Math.round(WATTS);
            }

            @Override
            public void close() {}
        };
        return new RowEnergy(clock, List.of(meter), "", mode, 1);
    }
}
