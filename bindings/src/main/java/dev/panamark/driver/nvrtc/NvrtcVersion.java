package dev.panamark.driver.nvrtc;

/** Of NVRTC, the same as that of the release of CUDA that it comes with: {@code 12.4}. */
public record NvrtcVersion(int major, int minor) {
    /** Whether it is of CUDA 11.0, the first to know Ampere, or newer. */
    boolean isKnown() {
        return major >= 11;
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
