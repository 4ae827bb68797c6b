package dev.panamark.kernel.fill;

/** A buffer cannot be filled as its kernel file says; the message names the buffer and what to change. */
public final class FillException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FillException(String buffer, String fault) {
        super("buffers." + buffer + ": " + fault);
    }
}
