package dev.panamark.result;

import java.io.IOException;

/** A result cannot be written; the message names the file, the cause in words and what to do. */
public final class ResultWriteException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read. */
    public ResultWriteException(String message) {
        super(message);
    }

    /** With what a person should read, and where it came from. */
    public ResultWriteException(String message, IOException cause) {
        super(message, cause);
    }
}
