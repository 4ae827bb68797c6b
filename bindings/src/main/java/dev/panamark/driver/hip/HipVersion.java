package dev.panamark.driver.hip;

/**
 * A release of HIP, {@code 6.3}; ROCm's has the same numbers.
 *
 * @param major from 0 on
 * @param minor from 0 on
 */
public record HipVersion(int major, int minor) implements Comparable<HipVersion> {
    /** Of the number that the API uses: 10,000,000 times the major version, 100,000 times the minor, and the patch. */
    public static HipVersion of(int number) {
        return new HipVersion(number / 10_000_000, number % 10_000_000 / 100_000);
    }

    @Override
    public int compareTo(HipVersion other) {
        return major != other.major ? Integer.compare(major, other.major) : Integer.compare(minor, other.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
