package dev.panamark.driver.cupti;

import dev.panamark.raw.cupti.cupti_h;
import java.nio.file.Path;
import java.util.Set;

/** A call of CUPTI ended with a status other than success. */
public final class CuptiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final Set<Integer> OF_PERMISSION = Set.of(
            cupti_h.CUPTI_ERROR_INSUFFICIENT_PRIVILEGES(),
            cupti_h.CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES(),
            cupti_h.CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED());

    private static final Set<Integer> UNSUPPORTED = Set.of(
            cupti_h.CUPTI_ERROR_NOT_COMPATIBLE(),
            cupti_h.CUPTI_ERROR_NOT_SUPPORTED(),
            cupti_h.CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED(),
            cupti_h.CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED(),
            cupti_h.CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED(),
            cupti_h.CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED(),
            cupti_h.CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED(),
            cupti_h.CUPTI_ERROR_INVALID_CHIP_NAME());

    private final String call;
    private final int code;
    private final String name;

    /**
     * A failed call.
     *
     * @param call the function as the manual names it
     * @param code its status
     * @param name of the status, {@code CUPTI_ERROR_INSUFFICIENT_PRIVILEGES}
     * @param words the library's for it; may be empty
     * @param details what the call was about; may be empty
     */
    CuptiException(String call, int code, String name, String words, String details) {
        super(call + " failed with " + name + " (" + code + ")" + (words.isEmpty() ? "" : ": " + words)
                + (details.isEmpty() ? "" : "; " + details));
        this.call = call;
        this.code = code;
        this.name = name;
    }

    /** The function as the manual names it. */
    public String call() {
        return call;
    }

    /** A value of {@code CUptiResult}. */
    public int code() {
        return code;
    }

    /** {@code CUPTI_ERROR_…}, as the library names the code. */
    public String name() {
        return name;
    }

    /** Whether this user may not read counters here. */
    public boolean isOfPermission() {
        return OF_PERMISSION.contains(code);
    }

    /** Whether counters of this device or chip cannot be read at all. */
    public boolean isUnsupported() {
        return UNSUPPORTED.contains(code);
    }

    /** Whether another tool has the counters. */
    public boolean isOfAnotherTool() {
        return code == cupti_h.CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED()
                || code == cupti_h.CUPTI_ERROR_HARDWARE_BUSY();
    }

    /** What to do, one sentence; what the kernel module says of permissions is read for it. */
    public String remedy() {
        return CuptiRemedy.of(code, Path.of("/"));
    }
}
