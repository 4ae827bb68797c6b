package dev.panamark.device.cuda;

import dev.panamark.device.gpu.Extents;
import dev.panamark.driver.cuda.LaunchShape;
import dev.panamark.kernel.Dim3;
import dev.panamark.kernel.Step;

/**
 * What of a launch does not change with its grid.
 *
 * @param cluster blocks of a cluster; {@link LaunchShape#NONE} for none
 * @param cooperative whether all blocks run together
 */
record LaunchKind(LaunchShape.Size cluster, boolean cooperative) {
    static final LaunchKind PLAIN = new LaunchKind(LaunchShape.NONE, false);

    static LaunchKind of(Step.Launch launch) {
        return new LaunchKind(
                launch.cluster().map(c -> size(launch.entry(), "cluster", c)).orElse(LaunchShape.NONE),
                launch.cooperative());
    }

    /** Blocks of a cluster; 1 for none. */
    int blocksPerCluster() {
        return cluster.equals(LaunchShape.NONE) ? 1 : cluster.x() * cluster.y() * cluster.z();
    }

    LaunchShape shape(String kernel, Dim3 grid, Dim3 block, long shared) {
        return new LaunchShape(
                size(kernel, "grid", grid),
                size(kernel, "block", block),
                Math.toIntExact(shared),
                cluster,
                cooperative);
    }

    private static LaunchShape.Size size(String kernel, String which, Dim3 size) {
        Extents.require(kernel, which, size);
        return new LaunchShape.Size((int) size.x(), (int) size.y(), (int) size.z());
    }
}
