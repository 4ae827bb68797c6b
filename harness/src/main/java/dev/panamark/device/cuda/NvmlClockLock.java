package dev.panamark.device.cuda;

import dev.panamark.device.ClockLock;
import dev.panamark.device.DeviceException;
import dev.panamark.device.DeviceInfo;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.nvml.MissingNvmlFunctionException;
import dev.panamark.driver.nvml.Nvml;
import dev.panamark.driver.nvml.NvmlDevice;
import dev.panamark.driver.nvml.NvmlException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/** A GPU's clock, held through NVML. */
final class NvmlClockLock implements ClockLock {
    private final String id;
    private final Nvml nvml;
    private final NvmlDevice device;
    private final AtomicBoolean closed = new AtomicBoolean();

    private NvmlClockLock(String id, Nvml nvml, NvmlDevice device) {
        this.id = id;
        this.nvml = nvml;
        this.device = device;
    }

    static NvmlClockLock lock(DeviceInfo info, int megahertz, Map<String, String> env) {
        Nvml nvml = Nvml.find(env)
                .orElseThrow(why -> new UnsupportedException("the clock of " + info.id() + " cannot be held: " + why));
        try {
            NvmlDevice device =
                    nvml.deviceOfPciBusId(String.valueOf(info.facts().get("pci")));
            device.lockClocks(megahertz);
            return new NvmlClockLock(info.id(), nvml, device);
        } catch (NvmlException e) {
            nvml.close();
            throw new UnsupportedException(
                    "the clock of " + info.id() + " cannot be held: " + e.getMessage() + ". " + e.remedy(), e);
        } catch (MissingNvmlFunctionException e) {
            nvml.close();
            throw new UnsupportedException("the clock of " + info.id() + " cannot be held: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            try (nvml) {
                device.unlockClocks();
            } catch (NvmlException | MissingNvmlFunctionException e) {
                throw new DeviceException(
                        "the clock of " + id + " may still be held: " + e.getMessage()
                                + ". 'nvidia-smi --reset-gpu-clocks' lets it go",
                        e);
            }
        }
    }
}
