package dev.panamark.driver.host;

/** A shared object does not define the function asked for; the message lists those it defines. */
public final class MissingFunctionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read. */
    public MissingFunctionException(String message) {
        super(message);
    }
}
