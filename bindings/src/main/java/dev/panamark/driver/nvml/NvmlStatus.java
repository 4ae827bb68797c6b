package dev.panamark.driver.nvml;

import dev.panamark.raw.nvml.nvml_h;
import java.util.Map;

/** Names of statuses. NVML itself tells words for them, and no names. */
final class NvmlStatus {
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(nvml_h.NVML_SUCCESS(), "NVML_SUCCESS"),
            Map.entry(nvml_h.NVML_ERROR_UNINITIALIZED(), "NVML_ERROR_UNINITIALIZED"),
            Map.entry(nvml_h.NVML_ERROR_INVALID_ARGUMENT(), "NVML_ERROR_INVALID_ARGUMENT"),
            Map.entry(nvml_h.NVML_ERROR_NOT_SUPPORTED(), "NVML_ERROR_NOT_SUPPORTED"),
            Map.entry(nvml_h.NVML_ERROR_NO_PERMISSION(), "NVML_ERROR_NO_PERMISSION"),
            Map.entry(nvml_h.NVML_ERROR_NOT_FOUND(), "NVML_ERROR_NOT_FOUND"),
            Map.entry(nvml_h.NVML_ERROR_INSUFFICIENT_SIZE(), "NVML_ERROR_INSUFFICIENT_SIZE"),
            Map.entry(nvml_h.NVML_ERROR_DRIVER_NOT_LOADED(), "NVML_ERROR_DRIVER_NOT_LOADED"),
            Map.entry(nvml_h.NVML_ERROR_TIMEOUT(), "NVML_ERROR_TIMEOUT"),
            Map.entry(nvml_h.NVML_ERROR_LIBRARY_NOT_FOUND(), "NVML_ERROR_LIBRARY_NOT_FOUND"),
            Map.entry(nvml_h.NVML_ERROR_FUNCTION_NOT_FOUND(), "NVML_ERROR_FUNCTION_NOT_FOUND"),
            Map.entry(nvml_h.NVML_ERROR_GPU_IS_LOST(), "NVML_ERROR_GPU_IS_LOST"),
            Map.entry(nvml_h.NVML_ERROR_RESET_REQUIRED(), "NVML_ERROR_RESET_REQUIRED"),
            Map.entry(nvml_h.NVML_ERROR_OPERATING_SYSTEM(), "NVML_ERROR_OPERATING_SYSTEM"),
            Map.entry(nvml_h.NVML_ERROR_LIB_RM_VERSION_MISMATCH(), "NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
            Map.entry(nvml_h.NVML_ERROR_NO_DATA(), "NVML_ERROR_NO_DATA"),
            Map.entry(nvml_h.NVML_ERROR_ARGUMENT_VERSION_MISMATCH(), "NVML_ERROR_ARGUMENT_VERSION_MISMATCH"),
            Map.entry(nvml_h.NVML_ERROR_DEPRECATED(), "NVML_ERROR_DEPRECATED"),
            Map.entry(nvml_h.NVML_ERROR_GPU_NOT_FOUND(), "NVML_ERROR_GPU_NOT_FOUND"),
            Map.entry(nvml_h.NVML_ERROR_UNKNOWN(), "NVML_ERROR_UNKNOWN"));

    private NvmlStatus() {}

    static String name(int status) {
        return NAMES.getOrDefault(status, "an unknown status");
    }
}
