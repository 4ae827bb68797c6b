package dev.panamark.driver.hiprtc;

import dev.panamark.raw.hiprtc.hiprtc_h;

/** A call of hiprtc's ended with a status other than success. */
public final class HiprtcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int code;
    private final String log;

    /**
     * A failed call.
     *
     * @param call the function as the manual names it
     * @param code its status
     * @param name of the status, {@code HIPRTC_ERROR_COMPILATION}
     * @param log what the compiler wrote; may be empty
     */
    HiprtcException(String call, int code, String name, String log) {
        super(call + " failed with " + name + " (" + code + ")" + (log.isEmpty() ? "" : ":\n" + log));
        this.call = call;
        this.code = code;
        this.log = log;
    }

    /** The function as the manual names it. */
    public String call() {
        return call;
    }

    /** A value of {@code hiprtcResult}. */
    public int code() {
        return code;
    }

    /** What the compiler wrote of the program; empty where it wrote nothing. */
    public String log() {
        return log;
    }

    /** Whether the source is at fault. */
    public boolean isOfSource() {
        return code == hiprtc_h.HIPRTC_ERROR_COMPILATION();
    }

    /** Whether an option is at fault, the target among them. */
    public boolean isOfOption() {
        return code == hiprtc_h.HIPRTC_ERROR_INVALID_OPTION();
    }
}
