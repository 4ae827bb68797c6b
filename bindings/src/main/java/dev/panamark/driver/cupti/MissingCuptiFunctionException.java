package dev.panamark.driver.cupti;

/** The library does not have a function; the message says which library and which function. */
public final class MissingCuptiFunctionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final CuptiFunction function;

    /** With what a person should read. */
    MissingCuptiFunctionException(CuptiFunction function, String message) {
        super(message);
        this.function = function;
    }

    /** What is missing. */
    public CuptiFunction function() {
        return function;
    }
}
