package dev.panamark.driver.rocmsmi;

import dev.panamark.raw.rocmsmi.rocmsmi_h;
import java.util.Map;

/** Names of statuses. The library itself tells words for them, and no names. */
final class RocmSmiStatus {
    /** 0xFFFFFFFF in rocm_smi.h: of an enumeration that C compilers make unsigned by it, and jextract does not. */
    private static final int UNKNOWN_ERROR = -1;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(rocmsmi_h.RSMI_STATUS_SUCCESS(), "RSMI_STATUS_SUCCESS"),
            Map.entry(rocmsmi_h.RSMI_STATUS_INVALID_ARGS(), "RSMI_STATUS_INVALID_ARGS"),
            Map.entry(rocmsmi_h.RSMI_STATUS_NOT_SUPPORTED(), "RSMI_STATUS_NOT_SUPPORTED"),
            Map.entry(rocmsmi_h.RSMI_STATUS_FILE_ERROR(), "RSMI_STATUS_FILE_ERROR"),
            Map.entry(rocmsmi_h.RSMI_STATUS_PERMISSION(), "RSMI_STATUS_PERMISSION"),
            Map.entry(rocmsmi_h.RSMI_STATUS_OUT_OF_RESOURCES(), "RSMI_STATUS_OUT_OF_RESOURCES"),
            Map.entry(rocmsmi_h.RSMI_STATUS_INTERNAL_EXCEPTION(), "RSMI_STATUS_INTERNAL_EXCEPTION"),
            Map.entry(rocmsmi_h.RSMI_STATUS_INPUT_OUT_OF_BOUNDS(), "RSMI_STATUS_INPUT_OUT_OF_BOUNDS"),
            Map.entry(rocmsmi_h.RSMI_STATUS_INIT_ERROR(), "RSMI_STATUS_INIT_ERROR"),
            Map.entry(rocmsmi_h.RSMI_STATUS_NOT_YET_IMPLEMENTED(), "RSMI_STATUS_NOT_YET_IMPLEMENTED"),
            Map.entry(rocmsmi_h.RSMI_STATUS_NOT_FOUND(), "RSMI_STATUS_NOT_FOUND"),
            Map.entry(rocmsmi_h.RSMI_STATUS_INSUFFICIENT_SIZE(), "RSMI_STATUS_INSUFFICIENT_SIZE"),
            Map.entry(rocmsmi_h.RSMI_STATUS_INTERRUPT(), "RSMI_STATUS_INTERRUPT"),
            Map.entry(rocmsmi_h.RSMI_STATUS_UNEXPECTED_SIZE(), "RSMI_STATUS_UNEXPECTED_SIZE"),
            Map.entry(rocmsmi_h.RSMI_STATUS_NO_DATA(), "RSMI_STATUS_NO_DATA"),
            Map.entry(rocmsmi_h.RSMI_STATUS_UNEXPECTED_DATA(), "RSMI_STATUS_UNEXPECTED_DATA"),
            Map.entry(rocmsmi_h.RSMI_STATUS_BUSY(), "RSMI_STATUS_BUSY"),
            Map.entry(rocmsmi_h.RSMI_STATUS_REFCOUNT_OVERFLOW(), "RSMI_STATUS_REFCOUNT_OVERFLOW"),
            Map.entry(rocmsmi_h.RSMI_STATUS_SETTING_UNAVAILABLE(), "RSMI_STATUS_SETTING_UNAVAILABLE"),
            Map.entry(rocmsmi_h.RSMI_STATUS_AMDGPU_RESTART_ERR(), "RSMI_STATUS_AMDGPU_RESTART_ERR"),
            Map.entry(UNKNOWN_ERROR, "RSMI_STATUS_UNKNOWN_ERROR"));

    private RocmSmiStatus() {}

    static String name(int status) {
        return NAMES.getOrDefault(status, "an unknown status");
    }
}
