package dev.panamark.cli;

import dev.panamark.device.MeterProvider;
import dev.panamark.device.PowerMeter;
import dev.panamark.ffi.Availability;
import dev.panamark.worker.Backends;
import java.util.ArrayList;
import java.util.List;

/** The energy meters of this machine, until closed, and why others are not there. */
record Meters(List<PowerMeter> found, List<Availability.Unavailable<?>> missing) implements AutoCloseable {
    Meters {
        found = List.copyOf(found);
        missing = List.copyOf(missing);
    }

    static Meters of(Surroundings surroundings) {
        List<PowerMeter> found = new ArrayList<>();
        List<Availability.Unavailable<?>> missing = new ArrayList<>();
        for (MeterProvider provider : Backends.meters(surroundings.env())) {
            for (Availability<PowerMeter> a : provider.discover()) {
                switch (a) {
                    case Availability.Available<PowerMeter>(PowerMeter meter) -> found.add(meter);
                    case Availability.Unavailable<PowerMeter> none -> missing.add(none);
                }
            }
        }
        return new Meters(found, missing);
    }

    @Override
    public void close() {
        found.forEach(PowerMeter::close);
    }
}
