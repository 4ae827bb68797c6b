package dev.panamark.driver.host;

/** A shared object could not be read or loaded, or memory could not be mapped; the message holds the system's words. */
public final class HostLibraryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read. */
    public HostLibraryException(String message) {
        super(message);
    }

    /** With what a person should read, and where it came from. */
    public HostLibraryException(String message, Throwable cause) {
        super(message, cause);
    }
}
