package dev.panamark.device.cuda;

import dev.panamark.device.Watch;
import dev.panamark.driver.nvml.MissingNvmlFunctionException;
import dev.panamark.driver.nvml.Nvml;
import dev.panamark.driver.nvml.NvmlDevice;
import dev.panamark.driver.nvml.NvmlException;
import dev.panamark.ffi.Availability;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What NVML sees of a GPU on which CUDA launches, until closed. */
final class GpuState implements AutoCloseable {
    private static final double MEBI = 1 << 20;

    private final Nvml nvml;
    private final NvmlDevice device;
    private final List<NvmlDevice.ComputeProcess> others;

    private GpuState(Nvml nvml, NvmlDevice device) {
        this.nvml = nvml;
        this.device = device;
        this.others = device.computeProcesses();
    }

    /**
     * Finds it by its place on the bus, {@code 0000:c1:00.0}. To be called before this process has a context on the GPU:
     * it would be among the processes that compute there, in a container under another number than its own.
     */
    static Availability<GpuState> of(String pci, Map<String, String> env) {
        return switch (Nvml.find(env)) {
            case Availability.Available<Nvml>(Nvml nvml) -> of(pci, nvml);
            case Availability.Unavailable<Nvml> none -> none.as();
        };
    }

    private static Availability<GpuState> of(String pci, Nvml nvml) {
        try {
            return Availability.of(new GpuState(nvml, nvml.deviceOfPciBusId(pci)));
        } catch (NvmlException e) {
            close(nvml);
            return Availability.missing(String.valueOf(e.getMessage()), e.remedy() + ".");
        } catch (MissingNvmlFunctionException e) {
            close(nvml);
            return Availability.missing(String.valueOf(e.getMessage()), "Install a newer driver.");
        }
    }

    private static void close(Nvml nvml) {
        try {
            nvml.close();
        } catch (NvmlException e) {
            // Nothing more is asked of it, and what was said before is what matters.
        }
    }

    /** That others compute there, which take time and power from this process. */
    List<String> warnings() {
        return others.isEmpty()
                ? List.of()
                : List.of(
                        "other processes computed on this GPU when the worker came to it, and may take time and power: "
                                + others.stream().map(GpuState::text).collect(Collectors.joining(", ")));
    }

    private static String text(NvmlDevice.ComputeProcess process) {
        return process.pid()
                + (process.memory() < 0 ? "" : String.format(Locale.ROOT, " (%.0f MiB)", process.memory() / MEBI));
    }

    Watch watch() {
        return new GpuWatch(device.readings());
    }

    @Override
    public void close() {
        close(nvml);
    }
}
