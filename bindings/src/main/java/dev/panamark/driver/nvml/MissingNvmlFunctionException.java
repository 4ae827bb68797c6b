package dev.panamark.driver.nvml;

/** The library does not have a function; the message says which library and which function. */
public final class MissingNvmlFunctionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final NvmlFunction function;

    /** With what a person should read. */
    MissingNvmlFunctionException(NvmlFunction function, String message) {
        super(message);
        this.function = function;
    }

    /** What is missing. */
    public NvmlFunction function() {
        return function;
    }
}
