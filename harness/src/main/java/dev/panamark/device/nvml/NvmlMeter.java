package dev.panamark.device.nvml;

import dev.panamark.device.DeviceException;
import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import dev.panamark.driver.nvml.MissingNvmlFunctionException;
import dev.panamark.driver.nvml.Nvml;
import dev.panamark.driver.nvml.NvmlException;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A counter or sensor of one GPU. It has an initialization of NVML of its own, so that meters close in any order. */
final class NvmlMeter implements PowerMeter {
    private final MeterInfo info;
    private final @Nullable String checked;
    private final Nvml nvml;
    private final LongSupplier reading;

    /**
     * Takes over the initialization.
     *
     * @param checked id of the meter that counts the same joules; null for none
     * @param reading in counts of the unit
     */
    NvmlMeter(MeterInfo info, @Nullable String checked, Nvml nvml, LongSupplier reading) {
        this.info = info;
        this.checked = checked;
        this.nvml = nvml;
        this.reading = reading;
    }

    @Override
    public MeterInfo info() {
        return info;
    }

    @Override
    public Optional<String> checks() {
        return Optional.ofNullable(checked);
    }

    @Override
    public long read() {
        try {
            return reading.getAsLong();
        } catch (NvmlException e) {
            throw new DeviceException(info.id() + ": " + e.getMessage() + ". " + e.remedy(), e);
        } catch (MissingNvmlFunctionException | IllegalStateException e) {
            throw new DeviceException(info.id() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try {
            nvml.close();
        } catch (NvmlException e) {
            throw new DeviceException(info.id() + " cannot be closed: " + e.getMessage(), e);
        }
    }
}
