package dev.panamark.device.nvml;

import dev.panamark.device.MeterInfo;
import dev.panamark.device.MeterInfo.Quantity;
import dev.panamark.device.MeterInfo.Scope;
import dev.panamark.driver.nvml.MissingNvmlFunctionException;
import dev.panamark.driver.nvml.NvmlDevice;
import dev.panamark.driver.nvml.NvmlException;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What is known of a GPU before it is metered.
 *
 * @param index as nvidia-smi numbers it
 * @param uuid that CUDA knows it by as well
 * @param place its name and its place on the bus
 * @param scope what its counter covers
 */
record GpuFacts(int index, String uuid, String place, Scope scope) {
    private static final double THOUSANDTH = 1e-3;

    private static final String GAIN =
            "NVIDIA states none for such GPUs; -6 % to +11 % were measured, Yang et al., SC24";

    /**
     * Asks for them.
     *
     * <p>The counter of GH200 covers the module, processor included (as users of Zeus found; not verified here). Of a GPU
     * that MIG divides, it covers all instances.
     *
     * @throws NvmlException where the GPU does not answer
     */
    static GpuFacts of(int index, NvmlDevice device) {
        String name = device.name();
        return new GpuFacts(
                index,
                device.uuid(),
                name + " at " + device.pciBusId(),
                isDivided(device) ? Scope.WHOLE_DEVICE : name.contains("GH200") ? Scope.MODULE : Scope.GPU);
    }

    /** A GPU or a driver without MIG is not divided; any other failure is the GPU's. */
    private static boolean isDivided(NvmlDevice device) {
        try {
            return device.isMig();
        } catch (MissingNvmlFunctionException e) {
            return false;
        } catch (NvmlException e) {
            if (e.isUnsupported()) {
                return false;
            }
            throw e;
        }
    }

    /** Of the energy counter. */
    String counterId() {
        return String.format(Locale.ROOT, "nvml:%d", index);
    }

    /** Of the sensor of power. */
    String sensorId() {
        return counterId() + "/power";
    }

    MeterInfo counter() {
        return info(counterId(), "nvmlDeviceGetTotalEnergyConsumption", Quantity.ENERGY, 0, Optional.empty());
    }

    /**
     * Of the sensor of power.
     *
     * @param call that is made
     * @param averaging s that a reading is the mean over
     * @param beside whether the counter is there as well
     */
    MeterInfo sensor(String call, double averaging, boolean beside) {
        return info(
                sensorId(),
                call,
                Quantity.POWER,
                averaging,
                beside
                        ? Optional.of("the joules of " + counterId() + " by its sensor of power, to compare with")
                        : Optional.empty());
    }

    private MeterInfo info(String id, String call, Quantity quantity, double averaging, Optional<String> overlap) {
        return new MeterInfo(
                id,
                String.format(Locale.ROOT, "nvidia:%d", index),
                Optional.of(uuid),
                "nvml",
                call + " of " + place,
                scope,
                quantity,
                THOUSANDTH,
                OptionalLong.empty(),
                averaging,
                overlap,
                OptionalDouble.empty(),
                GAIN);
    }
}
