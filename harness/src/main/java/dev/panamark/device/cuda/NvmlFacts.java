package dev.panamark.device.cuda;

import dev.panamark.driver.nvml.MissingNvmlFunctionException;
import dev.panamark.driver.nvml.Nvml;
import dev.panamark.driver.nvml.NvmlException;
import dev.panamark.ffi.Availability;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Supplier;

/** How GPUs are set, as NVML tells it: limits and modes. */
final class NvmlFacts implements AutoCloseable {
    private final Availability<Nvml> nvml;

    private NvmlFacts(Availability<Nvml> nvml) {
        this.nvml = nvml;
    }

    static NvmlFacts find(Map<String, String> env) {
        return new NvmlFacts(Nvml.find(env));
    }

    /** Of the GPU at a place on the bus, as JSON values; a GPU or a driver that does not tell something costs its line. */
    SequencedMap<String, Object> of(String pci) {
        SequencedMap<String, Object> facts = new LinkedHashMap<>();
        if (!(nvml instanceof Availability.Available<Nvml>(Nvml there))) {
            return facts;
        }
        told(() -> there.deviceOfPciBusId(pci)).ifPresent(device -> {
            told(device::enforcedPowerLimit).ifPresent(w -> facts.put("power_limit_w", w));
            told(device::powerLimits).ifPresent(r -> facts.put("power_limits_w", List.of(r.least(), r.most())));
            told(device::isPersistent).ifPresent(on -> facts.put("persistence_mode", on));
            told(device::isMig).ifPresent(on -> facts.put("mig", on));
        });
        return facts;
    }

    private static <T> Optional<T> told(Supplier<T> question) {
        try {
            return Optional.of(question.get());
        } catch (NvmlException | MissingNvmlFunctionException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        if (nvml instanceof Availability.Available<Nvml>(Nvml there)) {
            told(() -> {
                there.close();
                return there;
            });
        }
    }
}
