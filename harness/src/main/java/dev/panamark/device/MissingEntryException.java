package dev.panamark.device;

/** An image lacks the entry that a kernel file names; the message says which it has. */
public final class MissingEntryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read. */
    public MissingEntryException(String message) {
        super(message);
    }

    /** With what a person should read, and where it came from. */
    public MissingEntryException(String message, Throwable cause) {
        super(message, cause);
    }
}
