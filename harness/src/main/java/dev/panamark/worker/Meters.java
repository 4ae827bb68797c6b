package dev.panamark.worker;

import dev.panamark.device.MeterProvider;
import dev.panamark.device.PowerMeter;
import dev.panamark.ffi.Availability;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The energy meters of this machine, until closed, and why others are not there. */
public record Meters(List<PowerMeter> found, List<Availability.Unavailable<?>> missing) implements AutoCloseable {
    /** Copies the lists. */
    public Meters {
        found = List.copyOf(found);
        missing = List.copyOf(missing);
    }

    /**
     * Looks for them.
     *
     * @param env environment, which may name other folders to look into
     */
    public static Meters of(Map<String, String> env) {
        List<PowerMeter> found = new ArrayList<>();
        List<Availability.Unavailable<?>> missing = new ArrayList<>();
        for (MeterProvider provider : Backends.meters(env)) {
            for (Availability<PowerMeter> a : provider.discover()) {
                switch (a) {
                    case Availability.Available<PowerMeter>(PowerMeter meter) -> found.add(meter);
                    case Availability.Unavailable<PowerMeter> none -> missing.add(none);
                }
            }
        }
        return new Meters(found, missing);
    }

    /** Those of one device, open until this is closed. */
    public List<PowerMeter> of(String device) {
        return found.stream().filter(m -> m.info().device().equals(device)).toList();
    }

    /** Why no meter meters a device that has none. */
    public String absence(String device) {
        if (missing.isEmpty()) {
            return "no meter of this machine meters " + device;
        }
        return String.join(
                "; ",
                missing.stream().map(Availability.Unavailable::text).distinct().toList());
    }

    @Override
    public void close() {
        found.forEach(PowerMeter::close);
    }
}
