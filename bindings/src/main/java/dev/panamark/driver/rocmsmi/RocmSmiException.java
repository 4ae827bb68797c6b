package dev.panamark.driver.rocmsmi;

import dev.panamark.raw.rocmsmi.rocmsmi_h;

/** A call of ROCm SMI ended with a status other than success. */
public final class RocmSmiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int code;

    /**
     * A failed call.
     *
     * @param call the function's name
     * @param code its status
     * @param words the library's words for it
     * @param details what the call was about; may be empty
     */
    RocmSmiException(String call, int code, String words, String details) {
        super(call + " failed with " + RocmSmiStatus.name(code) + " (" + Integer.toUnsignedString(code) + "): " + words
                + (details.isEmpty() ? "" : "; " + details));
        this.call = call;
        this.code = code;
    }

    /** The function's name. */
    public String call() {
        return call;
    }

    /** A value of {@code rsmi_status_t}. */
    public int code() {
        return code;
    }

    /** Whether the device, its driver or the library cannot do this at all. */
    public boolean isUnsupported() {
        return code == rocmsmi_h.RSMI_STATUS_NOT_SUPPORTED() || code == rocmsmi_h.RSMI_STATUS_NOT_YET_IMPLEMENTED();
    }

    /** What to do, one sentence. */
    public String remedy() {
        return RocmSmiRemedy.of(code);
    }
}
