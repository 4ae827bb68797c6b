package dev.panamark.device.hip;

import dev.panamark.device.UnsupportedException;
import dev.panamark.device.gpu.Extents;
import dev.panamark.device.gpu.GpuArguments;
import dev.panamark.device.gpu.GpuBound;
import dev.panamark.driver.hip.FunctionAttribute;
import dev.panamark.driver.hip.HipKernel;
import dev.panamark.driver.hip.HipLaunch;
import dev.panamark.driver.hip.LaunchShape;
import dev.panamark.kernel.Dim3;

/** Refuses what the kernel or the device cannot do before the runtime would, with what came and what is possible. */
final class HipBound extends GpuBound {
    /** The reference of hipModuleLaunchKernel: work-items of a dimension are fewer. */
    private static final long WORK_ITEMS = 1L << 32;

    private final HipGpu gpu;
    private final HipKernel kernel;
    private final GpuArguments arguments;
    private final boolean cooperative;

    HipBound(HipGpu gpu, HipKernel kernel, GpuArguments arguments, boolean cooperative) {
        super(gpu, kernel.name(), arguments);
        this.gpu = gpu;
        this.kernel = kernel;
        this.arguments = arguments;
        this.cooperative = cooperative;
    }

    @Override
    protected Runnable launchOf(Dim3 grid, Dim3 block, long shared) {
        requireFits(block, shared);
        LaunchShape.Size blocks = size("grid", grid);
        LaunchShape.Size threads = size("block", block);
        requireCountable(grid.x(), block.x());
        requireCountable(grid.y(), block.y());
        requireCountable(grid.z(), block.z());
        LaunchShape shape = new LaunchShape(blocks, threads, Math.toIntExact(shared), cooperative);
        return HipLaunch.prepare(kernel, gpu.stream(), shape, arguments.values())::launch;
    }

    private void requireFits(Dim3 block, long shared) {
        int most = kernel.attribute(FunctionAttribute.MAX_THREADS_PER_BLOCK);
        if (block.count() > most) {
            throw new UnsupportedException(kernel.name() + ": a block of " + block.count() + " work-items is more than "
                    + gpu.info().id() + " can launch it with (" + most + ", as it was compiled; in waves of "
                    + gpu.value("warp") + "); use fewer, or __launch_bounds__");
        }
        long all = shared + kernel.attribute(FunctionAttribute.SHARED_SIZE_BYTES);
        long limit = gpu.value("shared_block");
        if (all > limit) {
            throw new UnsupportedException(kernel.name() + " takes " + all + " bytes of LDS a block, and "
                    + gpu.info().id() + " has " + limit);
        }
    }

    private void requireCountable(long blocks, long threads) {
        if (blocks * threads >= WORK_ITEMS) {
            throw new UnsupportedException(kernel.name() + ": " + blocks + " blocks of " + threads
                    + " work-items in one dimension are more than HIP launches (fewer than 2^32); use fewer, or more"
                    + " dimensions");
        }
    }

    private LaunchShape.Size size(String which, Dim3 size) {
        Extents.require(kernel.name(), which, size);
        return new LaunchShape.Size((int) size.x(), (int) size.y(), (int) size.z());
    }
}
