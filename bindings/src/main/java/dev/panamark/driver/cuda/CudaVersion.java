package dev.panamark.driver.cuda;

/** A release of CUDA, {@code 12.4}. */
public record CudaVersion(int major, int minor) implements Comparable<CudaVersion> {
    /** Of the number that the API uses: 1000 times the major version and 10 times the minor. */
    public static CudaVersion of(int number) {
        return new CudaVersion(number / 1000, number % 1000 / 10);
    }

    @Override
    public int compareTo(CudaVersion other) {
        return major != other.major ? Integer.compare(major, other.major) : Integer.compare(minor, other.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
