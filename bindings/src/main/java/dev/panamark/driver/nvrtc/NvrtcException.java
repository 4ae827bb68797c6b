package dev.panamark.driver.nvrtc;

import dev.panamark.raw.nvrtc.nvrtc_h;

/** A call of NVRTC's ended with a status other than success. */
public final class NvrtcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int code;
    private final String name;
    private final String log;

    /**
     * A failed call.
     *
     * @param call the function as the manual names it
     * @param code its status
     * @param name of the status, {@code NVRTC_ERROR_COMPILATION}
     * @param log what the compiler wrote; may be empty
     */
    NvrtcException(String call, int code, String name, String log) {
        super(call + " failed with " + name + " (" + code + ")" + (log.isEmpty() ? "" : ":\n" + log));
        this.call = call;
        this.code = code;
        this.name = name;
        this.log = log;
    }

    /** The function as the manual names it. */
    public String call() {
        return call;
    }

    /** A value of {@code nvrtcResult}. */
    public int code() {
        return code;
    }

    /** {@code NVRTC_ERROR_…}, as the library names the code. */
    public String name() {
        return name;
    }

    /** What the compiler wrote of the program; empty where it wrote nothing. */
    public String log() {
        return log;
    }

    /** Whether the source is at fault. */
    public boolean isOfSource() {
        return code == nvrtc_h.NVRTC_ERROR_COMPILATION();
    }

    /** Whether an option is at fault, the architecture among them. */
    public boolean isOfOption() {
        return code == nvrtc_h.NVRTC_ERROR_INVALID_OPTION();
    }

    /** Whether the library could not do its own part: that which holds its built-in functions is missing. */
    public boolean isOfBuiltins() {
        return code == nvrtc_h.NVRTC_ERROR_BUILTIN_OPERATION_FAILURE();
    }
}
