package dev.panamark.worker;

import dev.panamark.device.DeviceInfo;
import dev.panamark.device.MeterProvider;
import dev.panamark.device.PowerMeter;
import dev.panamark.ffi.Availability;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The energy meters of this machine, until closed, and why others are not there. */
public record Meters(List<PowerMeter> found, List<Missing> missing) implements AutoCloseable {
    /** Copies the lists. */
    public Meters {
        found = List.copyOf(found);
        missing = List.copyOf(missing);
    }

    /**
     * Meters that are not there.
     *
     * @param backend of whose devices they would be
     * @param why and what to do
     */
    public record Missing(String backend, Availability.Unavailable<?> why) {
        /** All of it in one line. */
        public String text() {
            return why.text();
        }
    }

    /**
     * Looks for them.
     *
     * @param env environment, which may name other folders and libraries to look into
     */
    public static Meters of(Map<String, String> env) {
        List<PowerMeter> found = new ArrayList<>();
        List<Missing> missing = new ArrayList<>();
        for (MeterProvider provider : Backends.meters(env)) {
            for (Availability<PowerMeter> a : provider.discover()) {
                switch (a) {
                    case Availability.Available<PowerMeter>(PowerMeter meter) -> found.add(meter);
                    case Availability.Unavailable<PowerMeter> none ->
                        missing.add(new Missing(provider.backend(), none));
                }
            }
        }
        return new Meters(found, missing);
    }

    /** Those of one device, open until this is closed. */
    public List<PowerMeter> of(DeviceInfo device) {
        return found.stream().filter(m -> m.isOf(device)).toList();
    }

    /** Why no meter meters a device that has none. */
    public String absence(DeviceInfo device) {
        List<String> reasons = missing.stream()
                .filter(m -> m.backend().equals(device.backend()))
                .map(Missing::text)
                .distinct()
                .toList();
        return reasons.isEmpty()
                ? "no meter of this machine meters " + device.id()
                        + " alone; a part of a GPU (an instance of MIG, a partition, one of two dies) has none of "
                        + "its own"
                : String.join("; ", reasons);
    }

    @Override
    public void close() {
        found.forEach(PowerMeter::close);
    }
}
