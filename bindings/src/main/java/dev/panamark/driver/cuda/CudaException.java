package dev.panamark.driver.cuda;

import dev.panamark.raw.cuda.cuda_h;
import java.util.Set;

/**
 * A call of the driver's ended with a status other than success. A status of work that was launched earlier may come
 * out of any later call.
 */
public final class CudaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Of these cuda.h says that the process is left in an inconsistent state and must end; the last four are of a
     * driver or device that is gone or broken.
     */
    private static final Set<Integer> FATAL = Set.of(
            cuda_h.CUDA_ERROR_CONTAINED(),
            cuda_h.CUDA_ERROR_ILLEGAL_ADDRESS(),
            cuda_h.CUDA_ERROR_LAUNCH_TIMEOUT(),
            cuda_h.CUDA_ERROR_ASSERT(),
            cuda_h.CUDA_ERROR_HARDWARE_STACK_ERROR(),
            cuda_h.CUDA_ERROR_ILLEGAL_INSTRUCTION(),
            cuda_h.CUDA_ERROR_MISALIGNED_ADDRESS(),
            cuda_h.CUDA_ERROR_INVALID_ADDRESS_SPACE(),
            cuda_h.CUDA_ERROR_INVALID_PC(),
            cuda_h.CUDA_ERROR_LAUNCH_FAILED(),
            cuda_h.CUDA_ERROR_TENSOR_MEMORY_LEAK(),
            cuda_h.CUDA_ERROR_MPS_CLIENT_TERMINATED(),
            cuda_h.CUDA_ERROR_EXTERNAL_DEVICE(),
            cuda_h.CUDA_ERROR_DEINITIALIZED(),
            cuda_h.CUDA_ERROR_ECC_UNCORRECTABLE(),
            cuda_h.CUDA_ERROR_NVLINK_UNCORRECTABLE(),
            cuda_h.CUDA_ERROR_CONTEXT_IS_DESTROYED());

    /** Of these another problem, image or moment may help; nothing is broken. */
    private static final Set<Integer> OF_RESOURCES = Set.of(
            cuda_h.CUDA_ERROR_OUT_OF_MEMORY(),
            cuda_h.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES(),
            cuda_h.CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE(),
            cuda_h.CUDA_ERROR_INVALID_CLUSTER_SIZE());

    private static final Set<Integer> OF_IMAGES = Set.of(
            cuda_h.CUDA_ERROR_INVALID_IMAGE(),
            cuda_h.CUDA_ERROR_NO_BINARY_FOR_GPU(),
            cuda_h.CUDA_ERROR_INVALID_PTX(),
            cuda_h.CUDA_ERROR_UNSUPPORTED_PTX_VERSION(),
            cuda_h.CUDA_ERROR_JIT_COMPILER_NOT_FOUND(),
            cuda_h.CUDA_ERROR_JIT_COMPILATION_DISABLED(),
            cuda_h.CUDA_ERROR_INVALID_SOURCE());

    private final String call;
    private final int code;
    private final String name;
    private final String driverText;

    /**
     * A failed call.
     *
     * @param call the function as the manual names it
     * @param code its status
     * @param name of the status, {@code CUDA_ERROR_INVALID_PTX}
     * @param driverText the driver's words for it
     * @param details what the call was about, or what else the driver said; may be empty
     */
    CudaException(String call, int code, String name, String driverText, String details) {
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

    /** A value of {@code CUresult}. */
    public int code() {
        return code;
    }

    /** {@code CUDA_ERROR_…}, as the driver names the code. */
    public String name() {
        return name;
    }

    /** The driver's words for the code. */
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
        return code == cuda_h.CUDA_ERROR_NOT_FOUND();
    }

    /** Whether an argument was refused, as a number that an older driver does not know. */
    public boolean isInvalidValue() {
        return code == cuda_h.CUDA_ERROR_INVALID_VALUE();
    }

    /** Whether the device or driver cannot do this at all. */
    public boolean isUnsupported() {
        return code == cuda_h.CUDA_ERROR_NOT_SUPPORTED();
    }

    /** Whether the driver did not take an image: damaged, for another architecture, or of a newer PTX. */
    public boolean isOfImage() {
        return OF_IMAGES.contains(code);
    }
}
