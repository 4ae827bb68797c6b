package dev.panamark.driver.hip;

/** The library does not have a function; the message says which library, which function, since when, and what to do. */
public final class MissingHipFunctionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final HipFunction function;

    /** With what a person should read. */
    MissingHipFunctionException(HipFunction function, String message) {
        super(message);
        this.function = function;
    }

    /** What is missing. */
    public HipFunction function() {
        return function;
    }
}
