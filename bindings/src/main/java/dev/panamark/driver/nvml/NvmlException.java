package dev.panamark.driver.nvml;

import dev.panamark.raw.nvml.nvml_h;

/** A call of NVML ended with a status other than success. */
public final class NvmlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int code;
    private final String name;
    private final String driverText;

    /**
     * A failed call.
     *
     * @param call the function as the manual names it
     * @param code its status
     * @param name of the status, {@code NVML_ERROR_NOT_SUPPORTED}
     * @param driverText the library's words for it
     * @param details what the call was about; may be empty
     */
    NvmlException(String call, int code, String name, String driverText, String details) {
        super(call + " failed with " + name + " (" + code + "): " + driverText
                + (details.isEmpty() ? "" : "; " + details));
        this.call = call;
        this.code = code;
        this.name = name;
        this.driverText = driverText;
    }

    /** The function as the manual names it. */
    public String call() {
        return call;
    }

    /** A value of {@code nvmlReturn_t}. */
    public int code() {
        return code;
    }

    /** {@code NVML_ERROR_…}, as nvml.h names the code. */
    public String name() {
        return name;
    }

    /** The library's words for the code. */
    public String driverText() {
        return driverText;
    }

    /** Whether the device, or its driver, cannot do this at all. */
    public boolean isUnsupported() {
        return code == nvml_h.NVML_ERROR_NOT_SUPPORTED()
                || code == nvml_h.NVML_ERROR_FUNCTION_NOT_FOUND()
                || code == nvml_h.NVML_ERROR_DEPRECATED();
    }

    /** Whether this user may not do this. */
    public boolean isOfPermission() {
        return code == nvml_h.NVML_ERROR_NO_PERMISSION() || code == nvml_h.NVML_ERROR_OPERATING_SYSTEM();
    }

    /** Whether there is no such device. */
    public boolean isNotFound() {
        return code == nvml_h.NVML_ERROR_NOT_FOUND() || code == nvml_h.NVML_ERROR_GPU_NOT_FOUND();
    }

    /** Whether the device is gone until it is reset or the machine restarted. */
    public boolean isOfLostDevice() {
        return code == nvml_h.NVML_ERROR_GPU_IS_LOST() || code == nvml_h.NVML_ERROR_RESET_REQUIRED();
    }

    /** What to do, one sentence. */
    public String remedy() {
        return NvmlRemedy.of(code);
    }
}
