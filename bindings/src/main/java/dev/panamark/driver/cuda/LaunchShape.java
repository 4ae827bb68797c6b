package dev.panamark.driver.cuda;

/**
 * How a kernel is launched.
 *
 * @param grid blocks in x, y and z
 * @param block threads of a block in x, y and z
 * @param sharedBytes dynamic shared memory of a block
 * @param cluster blocks of a cluster in x, y and z; 0, 0, 0 for none
 * @param cooperative whether all blocks must run together
 */
public record LaunchShape(Size grid, Size block, int sharedBytes, Size cluster, boolean cooperative) {
    /** No clusters. */
    public static final Size NONE = new Size(0, 0, 0);

    /** Three extents. */
    public record Size(int x, int y, int z) {}

    /** Refuses a negative size of shared memory; extents are the driver's to refuse, which knows what the device takes. */
    public LaunchShape {
        if (sharedBytes < 0) {
            throw new IllegalArgumentException("sharedBytes is " + sharedBytes + "; expected 0 or more");
        }
    }

    /** Without clusters, and not cooperative. */
    public static LaunchShape of(Size grid, Size block, int sharedBytes) {
        return new LaunchShape(grid, block, sharedBytes, NONE, false);
    }

    boolean hasCluster() {
        return !cluster.equals(NONE);
    }
}
