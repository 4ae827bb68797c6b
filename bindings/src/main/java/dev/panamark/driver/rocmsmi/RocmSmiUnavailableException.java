package dev.panamark.driver.rocmsmi;

/** A call that was not made: the library does not have the function, or would abort the process on it. */
public final class RocmSmiUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read. */
    RocmSmiUnavailableException(String message) {
        super(message);
    }
}
