package dev.panamark.device.cuda;

import dev.panamark.device.Watch;
import dev.panamark.driver.nvml.ClockEvent;
import dev.panamark.driver.nvml.MissingNvmlFunctionException;
import dev.panamark.driver.nvml.NvmlException;
import dev.panamark.driver.nvml.NvmlReadings;
import dev.panamark.ffi.Availability;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Looks at the reasons for lowered clocks, and at the temperature, through NVML. */
final class GpuWatch implements Watch {
    /** Between samples a GPU idles for a moment, and a clock that somebody chose is no disturbance. */
    private static final long EXPECTED = ClockEvent.GPU_IDLE.mask() | ClockEvent.APPLICATIONS_CLOCKS.mask();

    private final NvmlReadings readings;
    private final long[] looksByBit = new long[Long.SIZE];
    private long looks;
    private int hottest = Integer.MIN_VALUE;
    private boolean hasTemperature = true;
    private @Nullable String failure;

    GpuWatch(NvmlReadings readings) {
        this.readings = readings;
    }

    @Override
    public void look() {
        if (failure != null) {
            return;
        }
        try {
            long reasons = readings.clockEvents() & ~EXPECTED;
            looks++;
            while (reasons != 0) {
                looksByBit[Long.numberOfTrailingZeros(reasons)]++;
                reasons &= reasons - 1;
            }
            feel();
        } catch (NvmlException | MissingNvmlFunctionException e) {
            failure = e.getMessage();
        }
    }

    /** Some GPUs have no sensor; what they say of their clocks counts all the same. */
    private void feel() {
        if (!hasTemperature) {
            return;
        }
        try {
            hottest = Math.max(hottest, readings.temperature());
        } catch (NvmlException | MissingNvmlFunctionException e) {
            hasTemperature = false;
        }
    }

    @Override
    public Optional<Availability<Seen>> seen() {
        if (failure != null) {
            return Optional.of(Availability.missing(failure, "Check that nvidia-smi -q -d PERFORMANCE tells them."));
        }
        List<Lowered> lowered = new ArrayList<>();
        for (int bit = 0; bit < looksByBit.length; bit++) {
            if (looksByBit[bit] > 0) {
                long mask = 1L << bit;
                lowered.add(
                        new Lowered(ClockEvent.tags(mask).getFirst(), looksByBit[bit], ClockEvent.invalidates(mask)));
            }
        }
        return Optional.of(Availability.of(new Seen(
                looks, lowered, hottest == Integer.MIN_VALUE ? OptionalDouble.empty() : OptionalDouble.of(hottest))));
    }
}
