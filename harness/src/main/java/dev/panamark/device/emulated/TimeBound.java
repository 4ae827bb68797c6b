package dev.panamark.device.emulated;

import dev.panamark.device.Counted;
import dev.panamark.device.profile.DeviceProfile;
import dev.panamark.device.profile.Figure;
import dev.panamark.ffi.Availability;
import java.util.Map;

/**
 * A time that no device of a profile can go below, for a launch as it was counted: what the busiest part of the device has
 * to do, at that part's highest rate and the profile's highest clock. Parts work side by side, so the bound is the largest
 * of theirs. A launch may find in the last-level cache what those before it touched, as much as the cache holds. What
 * a launch wrote it may read from the cache, and as much as fits may stay there when it ends.
 */
final class TimeBound {
    private final DeviceProfile profile;

    TimeBound(DeviceProfile profile) {
        this.profile = profile;
    }

    /**
     * Computes it.
     *
     * @param touched bytes of global memory that launches before it touched; 0 for the first
     * @param blocks of the grid: SMs without one do nothing
     * @param flops by class
     * @param wavefronts of shared memory, one a clock and SM
     * @param read bytes of distinct sectors of global memory that were read and not written
     * @param written bytes of distinct sectors that were written
     */
    Availability<Counted.Bound> of(
            long touched, long blocks, Map<String, Long> flops, long wavefronts, long read, long written) {
        Double units = profile.units().value();
        Double clock = profile.clock("fma_f32").value();
        Double bandwidth = profile.bandwidth().value();
        if (units == null || clock == null || bandwidth == null) {
            return Availability.missing(
                    "units, clock or bandwidth of " + profile.name() + " are not known",
                    "'panamark devices --profiles' shows what is.");
        }
        double working = Math.min(units, (double) blocks);
        double most = moved(touched, read, written) / bandwidth;
        String limiter = "memory: bytes that must be moved";
        double shared = wavefronts / (working * clock);
        if (shared > most) {
            most = shared;
            limiter = "wavefronts of shared memory";
        }
        for (Map.Entry<String, Long> each : flops.entrySet()) {
            Figure rate = profile.architecture().rate(each.getKey());
            Figure its = profile.clock(each.getKey());
            if (rate.value() == null || its.value() == null) {
                continue; // a bound without this part is still one
            }
            double seconds = each.getValue() / (rate.value() * its.value() * working);
            if (seconds > most) {
                most = seconds;
                limiter = each.getKey().startsWith("tensor") ? "tensor cores (" + each.getKey() + ")" : each.getKey();
            }
        }
        return Availability.of(new Counted.Bound(most, limiter));
    }

    /** Bytes that pass between memory and the last-level cache whatever the cache does. */
    private double moved(long touched, long read, long written) {
        Double cache = profile.l2().value();
        double kept = cache == null ? Double.POSITIVE_INFINITY : cache;
        return Math.max(0, read - Math.min((double) touched, kept)) + Math.max(0, written - kept);
    }
}
