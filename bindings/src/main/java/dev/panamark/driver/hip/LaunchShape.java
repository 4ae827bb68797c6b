package dev.panamark.driver.hip;

/**
 * How a kernel is launched.
 *
 * @param grid blocks in x, y and z
 * @param block work-items of a block in x, y and z
 * @param sharedBytes dynamic LDS of a block
 * @param cooperative whether all blocks must run together
 */
public record LaunchShape(Size grid, Size block, int sharedBytes, boolean cooperative) {
    /** Three extents. */
    public record Size(int x, int y, int z) {}

    /** Refuses a negative size of LDS; extents are the library's to refuse, which knows what the device takes. */
    public LaunchShape {
        if (sharedBytes < 0) {
            throw new IllegalArgumentException("sharedBytes is " + sharedBytes + "; expected 0 or more");
        }
    }

    /** Not cooperative. */
    public static LaunchShape of(Size grid, Size block, int sharedBytes) {
        return new LaunchShape(grid, block, sharedBytes, false);
    }
}
