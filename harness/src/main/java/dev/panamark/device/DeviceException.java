package dev.panamark.device;

/** A device, driver or compiler refused or failed; the message names the call and gives its words. */
public final class DeviceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what a person should read. */
    public DeviceException(String message) {
        super(message);
    }

    /** With what a person should read, and where it came from. */
    public DeviceException(String message, Throwable cause) {
        super(message, cause);
    }
}
