package dev.panamark.ffi;

/** The system's loader refused; the message holds its words. */
public final class LoaderException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read. */
    public LoaderException(String message) {
        super(message);
    }
}
