package dev.panamark.device.gpu;

import dev.panamark.device.Bound;
import dev.panamark.kernel.Dim3;
import org.jspecify.annotations.Nullable;

/** A kernel with its arguments; a launch returns when it is queued. */
@SuppressWarnings("ReferenceEquality") // another object with the same extents is merely prepared again
public abstract class GpuBound implements Bound {
    private final Gpu gpu;
    private final String kernel;
    private final GpuArguments arguments;
    private @Nullable Dim3 lastGrid;
    private @Nullable Dim3 lastBlock;
    private long lastShared;
    private @Nullable Runnable prepared;

    /** {@code kernel} is for messages. */
    protected GpuBound(Gpu gpu, String kernel, GpuArguments arguments) {
        this.gpu = gpu;
        this.kernel = kernel;
        this.arguments = arguments;
    }

    /** A launch of this shape, ready but for the call, which allocates nothing; refuses what the kernel cannot do. */
    protected abstract Runnable launchOf(Dim3 grid, Dim3 block, long shared);

    @Override
    public final void launch(Dim3 grid, Dim3 block, long shared) {
        if (grid != lastGrid || block != lastBlock || shared != lastShared) {
            prepare(grid, block, shared);
        }
        again();
    }

    /** Makes ready for launches of this shape. */
    public final void prepare(Dim3 grid, Dim3 block, long shared) {
        prepared = gpu.refusals().attempt(() -> launchOf(grid, block, shared));
        lastGrid = grid;
        lastBlock = block;
        lastShared = shared;
    }

    /** Launches once more as before. Allocates nothing. */
    public final void again() {
        arguments.requireOpen();
        Runnable launch = prepared;
        if (launch == null) {
            throw new IllegalStateException(kernel + " is launched before it was prepared");
        }
        try {
            launch.run();
        } catch (RuntimeException e) {
            throw gpu.refusals().of(e);
        }
    }
}
