package dev.panamark.driver.cupti;

/** All calls succeeded, and yet what CUPTI collected is not what was asked for; the message says what is amiss. */
public final class CollectionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read. */
    CollectionException(String message) {
        super(message);
    }
}
