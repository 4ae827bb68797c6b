package dev.panamark.driver.cuda;

/** The driver does not have a function; the message says which driver, which function, and since when others have it. */
public final class MissingCudaFunctionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final CudaFunction function;

    /** With what a person should read. */
    MissingCudaFunctionException(CudaFunction function, String message) {
        super(message);
        this.function = function;
    }

    /** What is missing. */
    public CudaFunction function() {
        return function;
    }
}
