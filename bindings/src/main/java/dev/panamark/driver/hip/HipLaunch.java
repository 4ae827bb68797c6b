package dev.panamark.driver.hip;

import dev.panamark.driver.launch.KernelArguments;
import dev.panamark.raw.hip.PFN_hipModuleLaunchCooperativeKernel;
import dev.panamark.raw.hip.PFN_hipModuleLaunchKernel;
import java.lang.foreign.MemorySegment;

/** A launch with everything prepared but the call, which allocates nothing. For one thread at a time. */
public final class HipLaunch {
    private final HipKernel kernel;
    private final HipStream stream;
    private final LaunchShape shape;

    /** Held so that their memory stays. */
    private final KernelArguments arguments;

    private final MemorySegment address;
    private final int gridX;
    private final int gridY;
    private final int gridZ;
    private final int blockX;
    private final int blockY;
    private final int blockZ;

    private HipLaunch(HipKernel kernel, HipStream stream, LaunchShape shape, KernelArguments arguments) {
        this.kernel = kernel;
        this.stream = stream;
        this.shape = shape;
        this.arguments = arguments;
        this.address = kernel.calls().address(function());
        this.gridX = shape.grid().x();
        this.gridY = shape.grid().y();
        this.gridZ = shape.grid().z();
        this.blockX = shape.block().x();
        this.blockY = shape.block().y();
        this.blockZ = shape.block().z();
    }

    /**
     * Prepares a launch: by {@code hipModuleLaunchKernel}, or for a cooperative shape by
     * {@code hipModuleLaunchCooperativeKernel} (HIP 5.5).
     *
     * @param arguments one for each that the source declares: hidden ones are the runtime's to fill
     * @throws MissingHipFunctionException where the library cannot launch in this way
     */
    public static HipLaunch prepare(HipKernel kernel, HipStream stream, LaunchShape shape, KernelArguments arguments) {
        return new HipLaunch(kernel, stream, shape, arguments);
    }

    /** Puts the launch into the stream, with the arguments' values of now. Does not wait for it. */
    public void launch() {
        MemorySegment function = kernel.function();
        MemorySegment into = stream.stream();
        MemorySegment pointers = arguments.pointers();
        int shared = shape.sharedBytes();
        int status = shape.cooperative()
                ? PFN_hipModuleLaunchCooperativeKernel.invoke(
                        address, function, gridX, gridY, gridZ, blockX, blockY, blockZ, shared, into, pointers)
                : PFN_hipModuleLaunchKernel.invoke(
                        address,
                        function,
                        gridX,
                        gridY,
                        gridZ,
                        blockX,
                        blockY,
                        blockZ,
                        shared,
                        into,
                        pointers,
                        MemorySegment.NULL);
        if (status != 0) {
            throw kernel.calls()
                    .failure(function(), status, "kernel '" + kernel.name() + "' was launched with " + shape);
        }
    }

    private HipFunction function() {
        return shape.cooperative() ? HipFunction.LAUNCH_COOPERATIVE_KERNEL : HipFunction.LAUNCH_KERNEL;
    }
}
