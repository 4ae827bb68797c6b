package dev.panamark.device.profile;

/** Profile data is not what it should be; the message names the field, what came and what was expected. */
public final class ProfileDataException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With the whole message. */
    public ProfileDataException(String message) {
        super(message);
    }
}
