package dev.panamark.device;

/**
 * A device failed in such a way that this process cannot use it any more, as after a kernel that wrote outside of its
 * memory; another process may.
 */
public final class BrokenDeviceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read, and where it came from. */
    public BrokenDeviceException(String message, Throwable cause) {
        super(message, cause);
    }
}
