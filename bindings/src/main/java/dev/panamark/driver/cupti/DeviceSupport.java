package dev.panamark.driver.cupti;

import dev.panamark.ffi.Availability;
import dev.panamark.raw.cupti.CUpti_Profiler_DeviceSupported_Params;
import dev.panamark.raw.cupti.cupti_h;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/** Whether a device's counters can be read, as CUPTI says of it (CUpti_Profiler_Support_Level, cupti_profiler_target.h). */
final class DeviceSupport {
    /** What decides. */
    private record Part(String name, ToIntFunction<MemorySegment> level, String remedy) {}

    private static final List<Part> PARTS = List.of(
            new Part(
                    "the architecture",
                    CUpti_Profiler_DeviceSupported_Params::architecture,
                    CuptiRemedy.cure(cupti_h.CUPTI_ERROR_NOT_SUPPORTED())),
            new Part(
                    "SLI",
                    CUpti_Profiler_DeviceSupported_Params::sli,
                    CuptiRemedy.cure(cupti_h.CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED())),
            new Part(
                    "the virtual GPU",
                    CUpti_Profiler_DeviceSupported_Params::vGpu,
                    CuptiRemedy.cure(cupti_h.CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES())),
            new Part(
                    "confidential computing",
                    CUpti_Profiler_DeviceSupported_Params::confidentialCompute,
                    CuptiRemedy.cure(cupti_h.CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED())),
            new Part(
                    "the mining processor",
                    CUpti_Profiler_DeviceSupported_Params::cmp,
                    CuptiRemedy.cure(cupti_h.CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED())),
            new Part(
                    "WSL",
                    CUpti_Profiler_DeviceSupported_Params::wsl,
                    CuptiRemedy.cure(cupti_h.CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED())));

    private DeviceSupport() {}

    /**
     * What a call told.
     *
     * @param device as messages call it
     * @param told the structure of {@code cuptiProfilerDeviceSupported}
     */
    static Availability<String> of(String device, MemorySegment told) {
        if (isSupported(CUpti_Profiler_DeviceSupported_Params.isSupported(told))) {
            return Availability.of(device);
        }
        List<String> reasons = new ArrayList<>();
        String remedy = CuptiRemedy.cure(cupti_h.CUPTI_ERROR_NOT_SUPPORTED());
        for (Part part : PARTS.reversed()) {
            int level = part.level().applyAsInt(told);
            if (!isSupported(level)) {
                reasons.addFirst("CUPTI cannot read counters of " + device + ": " + part.name() + " is " + word(level));
                remedy = part.remedy();
            }
        }
        if (reasons.isEmpty()) {
            reasons.add("CUPTI cannot read counters of " + device + ", and does not say why");
        }
        return new Availability.Unavailable<>(reasons, remedy);
    }

    private static boolean isSupported(int level) {
        return level == cupti_h.CUPTI_PROFILER_CONFIGURATION_SUPPORTED();
    }

    private static String word(int level) {
        if (level == cupti_h.CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED()) {
            return "not supported";
        }
        return level == cupti_h.CUPTI_PROFILER_CONFIGURATION_DISABLED()
                ? "supported, but counters are turned off"
                : "something that CUPTI knows nothing of";
    }
}
