package dev.panamark.device;

/** This device cannot do what the kernel asks; the message says what, and what would. */
public final class UnsupportedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read. */
    public UnsupportedException(String message) {
        super(message);
    }

    /** With what a person should read, and where it came from. */
    public UnsupportedException(String message, Throwable cause) {
        super(message, cause);
    }
}
