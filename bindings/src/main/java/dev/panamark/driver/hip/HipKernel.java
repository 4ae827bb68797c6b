package dev.panamark.driver.hip;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.hip.PFN_hipFuncGetAttribute;
import dev.panamark.raw.hip.PFN_hipModuleOccupancyMaxActiveBlocksPerMultiprocessor;
import java.lang.foreign.MemorySegment;

/** A kernel of a loaded module; gone when the module is closed. */
public final class HipKernel {
    private final HipContext context;
    private final OwnedHandle module;
    private final String name;
    private final MemorySegment function;

    HipKernel(HipContext context, OwnedHandle module, String name, MemorySegment function) {
        this.context = context;
        this.module = module;
        this.name = name;
        this.function = function;
    }

    /** As in the image. */
    public String name() {
        return name;
    }

    HipCalls calls() {
        return context.calls();
    }

    MemorySegment function() {
        module.requireOpen();
        return function;
    }

    /** A property ({@code hipFuncGetAttribute}). */
    public int attribute(FunctionAttribute attribute) {
        return calls().integer(
                        HipFunction.FUNC_GET_ATTRIBUTE,
                        () -> "kernel '" + name + "', " + attribute,
                        (f, out) -> PFN_hipFuncGetAttribute.invoke(f, out, attribute.code(), function()));
    }

    /**
     * Blocks that one CU holds at once ({@code hipModuleOccupancyMaxActiveBlocksPerMultiprocessor}).
     *
     * @param threads of a block
     * @param sharedBytes dynamic LDS of a block
     */
    public int maxActiveBlocks(int threads, long sharedBytes) {
        return calls().integer(
                        HipFunction.OCCUPANCY_MAX_ACTIVE_BLOCKS,
                        () -> "kernel '" + name + "', " + threads + " threads, " + sharedBytes + " bytes of LDS",
                        (f, out) -> PFN_hipModuleOccupancyMaxActiveBlocksPerMultiprocessor.invoke(
                                f, out, function(), threads, sharedBytes));
    }

    @Override
    public String toString() {
        return name;
    }
}
