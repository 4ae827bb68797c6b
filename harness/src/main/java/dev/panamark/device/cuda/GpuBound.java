package dev.panamark.device.cuda;

import dev.panamark.device.Bound;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.cuda.CudaException;
import dev.panamark.driver.cuda.CudaKernel;
import dev.panamark.driver.cuda.CudaLaunch;
import dev.panamark.driver.cuda.FunctionAttribute;
import dev.panamark.kernel.Dim3;
import org.jspecify.annotations.Nullable;

/** A kernel with its arguments; a launch returns when it is queued. */
@SuppressWarnings("ReferenceEquality") // another object with the same extents is merely prepared again
final class GpuBound implements Bound {
    /** Blocks of a cluster that every device takes. */
    private static final int PORTABLE_CLUSTER = 8;

    private final CudaGpu gpu;
    private final CudaKernel kernel;
    private final GpuArguments arguments;
    private final LaunchKind kind;
    private @Nullable Dim3 lastGrid;
    private @Nullable Dim3 lastBlock;
    private long lastShared;
    private @Nullable CudaLaunch prepared;
    private boolean launched;

    GpuBound(CudaGpu gpu, CudaKernel kernel, GpuArguments arguments, LaunchKind kind) {
        this.gpu = gpu;
        this.kernel = kernel;
        this.arguments = arguments;
        this.kind = kind;
    }

    @Override
    public void launch(Dim3 grid, Dim3 block, long shared) {
        if (grid != lastGrid || block != lastBlock || shared != lastShared) {
            prepare(grid, block, shared);
        }
        again();
    }

    /** Makes ready for launches of this shape, asking for the shared memory that they need. */
    void prepare(Dim3 grid, Dim3 block, long shared) {
        gpu.refusals().attempt(() -> {
            requireFits(block, shared);
            if (kind.blocksPerCluster() > PORTABLE_CLUSTER) {
                kernel.setAttribute(FunctionAttribute.NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
            }
            prepared = CudaLaunch.prepare(
                    kernel, gpu.stream(), kind.shape(kernel.name(), grid, block, shared), arguments.values());
        });
        lastGrid = grid;
        lastBlock = block;
        lastShared = shared;
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

    /** Launches once more as before. Allocates nothing. */
    void again() {
        arguments.requireOpen();
        if (!launched) {
            // The driver may load code, or make room for it, which waits for the stream.
            gpu.gate().open();
            launched = true;
        }
        CudaLaunch launch = prepared;
        if (launch == null) {
            throw new IllegalStateException(kernel.name() + " is launched before it was prepared");
        }
        try {
            launch.launch();
        } catch (CudaException e) {
            throw gpu.refusals().of(e);
        }
        gpu.gate().launched();
    }
}
