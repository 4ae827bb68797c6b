package dev.panamark.compare;

/** The question cannot be asked of these two results; the message says what to ask instead. */
public final class IncomparableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With the whole message. */
    public IncomparableException(String message) {
        super(message);
    }
}
