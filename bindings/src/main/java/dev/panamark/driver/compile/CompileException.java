package dev.panamark.driver.compile;

/** Source could not be compiled; the message holds the compiler's own words. */
public final class CompileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read. */
    public CompileException(String message) {
        super(message);
    }

    /** With what a person should read, and where it came from. */
    public CompileException(String message, Throwable cause) {
        super(message, cause);
    }
}
