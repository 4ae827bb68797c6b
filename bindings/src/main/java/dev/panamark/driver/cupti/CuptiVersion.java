package dev.panamark.driver.cupti;

/**
 * CUPTI's API version.
 *
 * @param number as cupti_version.h counts: 24 is of CUDA 12.6, 28 of 12.9 Update 1; from CUDA 13.0 on 130001 is of 13.0, with
 *     an update of CUPTI's own
 */
public record CuptiVersion(int number) {
    private static final int FIRST_OF_RELEASES = 130000;

    @Override
    public String toString() {
        return number < FIRST_OF_RELEASES
                ? "of API version " + number
                : number / 10000 + "." + number / 100 % 100 + "." + number % 100;
    }
}
