package dev.panamark.driver.cuda;

import dev.panamark.driver.launch.KernelArguments;
import dev.panamark.raw.cuda.PFN_cuLaunchCooperativeKernel;
import dev.panamark.raw.cuda.PFN_cuLaunchKernel;
import dev.panamark.raw.cuda.PFN_cuLaunchKernelEx;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A launch with everything prepared but the call, which allocates nothing. For one thread at a time. */
public abstract sealed class CudaLaunch {
    private final CudaKernel kernel;
    private final CudaStream stream;

    /** Held so that their memory stays. */
    private final KernelArguments arguments;

    private CudaLaunch(CudaKernel kernel, CudaStream stream, KernelArguments arguments) {
        this.kernel = kernel;
        this.stream = stream;
        this.arguments = arguments;
    }

    /**
     * Prepares a launch: by {@code cuLaunchKernel} where the shape needs no more, {@code cuLaunchCooperativeKernel} for a
     * cooperative one without clusters, {@code cuLaunchKernelEx} (CUDA 11.6) for clusters.
     *
     * @throws MissingCudaFunctionException where the driver cannot launch in this way
     */
    public static CudaLaunch prepare(
            CudaKernel kernel, CudaStream stream, LaunchShape shape, KernelArguments arguments) {
        kernel.requireOpen();
        if (shape.hasCluster()) {
            return new WithConfig(kernel, stream, shape, arguments);
        }
        return shape.cooperative()
                ? new Cooperative(kernel, stream, shape, arguments)
                : new Plain(kernel, stream, shape, arguments);
    }

    /** Puts the launch into the stream, with the arguments' values of now. Does not wait for it. */
    public final void launch() {
        int status = call(kernel.function(), stream.stream(), arguments.pointers());
        if (status != cuda_h.CUDA_SUCCESS()) {
            throw kernel.context()
                    .calls()
                    .failure(function(), status, "kernel '" + kernel.name() + "' was launched with " + shape());
        }
    }

    abstract int call(MemorySegment function, MemorySegment inStream, MemorySegment parameters);

    abstract CudaFunction function();

    abstract LaunchShape shape();

    private static final class Plain extends CudaLaunch {
        private final MemorySegment address;
        private final LaunchShape shape;
        private final int gridX;
        private final int gridY;
        private final int gridZ;
        private final int blockX;
        private final int blockY;
        private final int blockZ;
        private final int sharedBytes;

        Plain(CudaKernel kernel, CudaStream stream, LaunchShape shape, KernelArguments arguments) {
            super(kernel, stream, arguments);
            this.address = kernel.context().calls().address(CudaFunction.LAUNCH_KERNEL);
            this.shape = shape;
            this.gridX = shape.grid().x();
            this.gridY = shape.grid().y();
            this.gridZ = shape.grid().z();
            this.blockX = shape.block().x();
            this.blockY = shape.block().y();
            this.blockZ = shape.block().z();
            this.sharedBytes = shape.sharedBytes();
        }

        @Override
        int call(MemorySegment function, MemorySegment inStream, MemorySegment parameters) {
            return PFN_cuLaunchKernel.invoke(
                    address,
                    function,
                    gridX,
                    gridY,
                    gridZ,
                    blockX,
                    blockY,
                    blockZ,
                    sharedBytes,
                    inStream,
                    parameters,
                    MemorySegment.NULL);
        }

        @Override
        CudaFunction function() {
            return CudaFunction.LAUNCH_KERNEL;
        }

        @Override
        LaunchShape shape() {
            return shape;
        }
    }

    private static final class Cooperative extends CudaLaunch {
        private final MemorySegment address;
        private final LaunchShape shape;

        Cooperative(CudaKernel kernel, CudaStream stream, LaunchShape shape, KernelArguments arguments) {
            super(kernel, stream, arguments);
            this.address = kernel.context().calls().address(CudaFunction.LAUNCH_COOPERATIVE_KERNEL);
            this.shape = shape;
        }

        @Override
        int call(MemorySegment function, MemorySegment inStream, MemorySegment parameters) {
            return PFN_cuLaunchCooperativeKernel.invoke(
                    address,
                    function,
                    shape.grid().x(),
                    shape.grid().y(),
                    shape.grid().z(),
                    shape.block().x(),
                    shape.block().y(),
                    shape.block().z(),
                    shape.sharedBytes(),
                    inStream,
                    parameters);
        }

        @Override
        CudaFunction function() {
            return CudaFunction.LAUNCH_COOPERATIVE_KERNEL;
        }

        @Override
        LaunchShape shape() {
            return shape;
        }
    }

    private static final class WithConfig extends CudaLaunch {
        private final MemorySegment address;
        private final LaunchShape shape;
        private final MemorySegment config;

        WithConfig(CudaKernel kernel, CudaStream stream, LaunchShape shape, KernelArguments arguments) {
            super(kernel, stream, arguments);
            this.address = kernel.context().calls().address(CudaFunction.LAUNCH_KERNEL_EX);
            this.shape = shape;
            this.config = LaunchConfig.of(shape, stream.stream(), Arena.ofAuto());
        }

        @Override
        int call(MemorySegment function, MemorySegment inStream, MemorySegment parameters) {
            return PFN_cuLaunchKernelEx.invoke(address, config, function, parameters, MemorySegment.NULL);
        }

        @Override
        CudaFunction function() {
            return CudaFunction.LAUNCH_KERNEL_EX;
        }

        @Override
        LaunchShape shape() {
            return shape;
        }
    }
}
