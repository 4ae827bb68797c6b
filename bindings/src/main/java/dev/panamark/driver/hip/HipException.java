package dev.panamark.driver.hip;

import dev.panamark.raw.hip.hip_h;
import java.util.Set;

/**
 * A call of the library's ended with a status other than success. A status of work that was launched earlier may come out of
 * any later call; before 7.0 a kernel that faults mostly ends the process instead.
 */
public final class HipException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Of these CUDA, whose numbers they are, says that the process must end; the last three are of a device that is gone. */
    private static final Set<Integer> FATAL = Set.of(
            hip_h.hipErrorIllegalAddress(),
            hip_h.hipErrorLaunchTimeOut(),
            hip_h.hipErrorAssert(),
            hip_h.hipErrorLaunchFailure(),
            hip_h.hipErrorDeinitialized(),
            hip_h.hipErrorECCNotCorrectable(),
            hip_h.hipErrorContextIsDestroyed());

    /** Of these another problem, image or moment may help; nothing is broken. */
    private static final Set<Integer> OF_RESOURCES = Set.of(
            hip_h.hipErrorOutOfMemory(),
            hip_h.hipErrorLaunchOutOfResources(),
            hip_h.hipErrorCooperativeLaunchTooLarge());

    private static final Set<Integer> OF_IMAGES = Set.of(
            hip_h.hipErrorInvalidImage(),
            hip_h.hipErrorNoBinaryForGpu(),
            hip_h.hipErrorInvalidKernelFile(),
            hip_h.hipErrorSharedObjectInitFailed());

    private final String call;
    private final int code;
    private final String name;
    private final String driverText;

    /**
     * A failed call.
     *
     * @param call the function as the manual names it
     * @param code its status
     * @param name of the status, {@code hipErrorInvalidImage}
     * @param driverText the library's words for it
     * @param details what the call was about; may be empty
     */
    HipException(String call, int code, String name, String driverText, String details) {
        super(call + " failed with " + name + " (" + code + "): " + driverText
                + (details.isEmpty() ? "" : "; " + details));
        this.call = call;
        this.code = code;
        this.name = name;
        this.driverText = driverText;
    }

    /** The function as the manual names it. */
    public String call() {
        return call;
    }

    /** A value of {@code hipError_t}. */
    public int code() {
        return code;
    }

    /** {@code hipError…}, as the library names the code. */
    public String name() {
        return name;
    }

    /** The library's words for the code. */
    public String driverText() {
        return driverText;
    }

    /** Whether every further call will fail, so that the process must end. */
    public boolean isFatal() {
        return FATAL.contains(code);
    }

    /** Whether the device had too little memory or too few units, with nothing broken. */
    public boolean isOfResources() {
        return OF_RESOURCES.contains(code);
    }

    /** Whether there is nothing of the name that was asked for. */
    public boolean isNotFound() {
        return code == hip_h.hipErrorNotFound();
    }

    /** Whether the device or library cannot do this at all. */
    public boolean isUnsupported() {
        return code == hip_h.hipErrorNotSupported();
    }

    /** Whether the library did not take an image: damaged, or for another architecture. */
    public boolean isOfImage() {
        return OF_IMAGES.contains(code);
    }
}
