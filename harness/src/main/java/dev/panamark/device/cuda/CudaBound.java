package dev.panamark.device.cuda;

import dev.panamark.device.UnsupportedException;
import dev.panamark.device.gpu.GpuArguments;
import dev.panamark.device.gpu.GpuBound;
import dev.panamark.driver.cuda.CudaKernel;
import dev.panamark.driver.cuda.CudaLaunch;
import dev.panamark.driver.cuda.FunctionAttribute;
import dev.panamark.kernel.Dim3;

/** A launch opens the gate where the driver may wait for the stream, and is counted by it. */
final class CudaBound extends GpuBound {
    /** Blocks of a cluster that every device takes. */
    private static final int PORTABLE_CLUSTER = 8;

    private final CudaGpu gpu;
    private final CudaKernel kernel;
    private final GpuArguments arguments;
    private final LaunchKind kind;
    private boolean launched;

    CudaBound(CudaGpu gpu, CudaKernel kernel, GpuArguments arguments, LaunchKind kind) {
        super(gpu, kernel.name(), arguments);
        this.gpu = gpu;
        this.kernel = kernel;
        this.arguments = arguments;
        this.kind = kind;
    }

    /** Asks for the shared memory that the launch needs. */
    @Override
    protected Runnable launchOf(Dim3 grid, Dim3 block, long shared) {
        requireFits(block, shared);
        if (kind.blocksPerCluster() > PORTABLE_CLUSTER) {
            kernel.setAttribute(FunctionAttribute.NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
        }
        CudaLaunch launch = CudaLaunch.prepare(
                kernel, gpu.stream(), kind.shape(kernel.name(), grid, block, shared), arguments.values());
        return () -> launch(launch);
    }

    private void launch(CudaLaunch launch) {
        if (!launched) {
            // The driver may load code, or make room for it, which waits for the stream.
            gpu.gate().open();
            launched = true;
        }
        launch.launch();
        gpu.gate().launched();
    }

    private void requireFits(Dim3 block, long shared) {
        int most = kernel.attribute(FunctionAttribute.MAX_THREADS_PER_BLOCK);
        if (block.count() > most) {
            throw new UnsupportedException(kernel.name() + ": a block of " + block.count() + " threads is more than "
                    + gpu.info().id() + " can launch it with (" + most + ", for "
                    + kernel.attribute(FunctionAttribute.NUM_REGS)
                    + " registers a thread); use fewer threads, or __launch_bounds__");
        }
        long all = shared + kernel.attribute(FunctionAttribute.SHARED_SIZE_BYTES);
        long limit = gpu.value("shared_block");
        if (all > limit) {
            throw new UnsupportedException(kernel.name() + " takes " + all + " bytes of shared memory a block, and "
                    + gpu.info().id() + " has " + limit);
        }
        if (shared > kernel.attribute(FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES)) {
            kernel.setAttribute(FunctionAttribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, (int) shared);
        }
    }
}
