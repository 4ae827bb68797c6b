package dev.panamark.driver.host;

/** C source could not be turned into a shared object; the message holds the compiler's own words. */
public final class HostCompileException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read. */
    public HostCompileException(String message) {
        super(message);
    }

    /** With what a person should read, and where it came from. */
    public HostCompileException(String message, Throwable cause) {
        super(message, cause);
    }
}
