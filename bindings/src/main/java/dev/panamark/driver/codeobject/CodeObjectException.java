package dev.panamark.driver.codeobject;

/** Bytes are no code object that can be read; the message says what was found and what was expected. */
public final class CodeObjectException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read. */
    public CodeObjectException(String message) {
        super(message);
    }

    /** With what a person should read, and where it came from. */
    public CodeObjectException(String message, Throwable cause) {
        super(message, cause);
    }
}
