package dev.panamark.driver.cuda;

import dev.panamark.ffi.OwnedHandle;
import dev.panamark.raw.cuda.PFN_cuFuncGetAttribute;
import dev.panamark.raw.cuda.PFN_cuFuncGetParamInfo;
import dev.panamark.raw.cuda.PFN_cuFuncLoad;
import dev.panamark.raw.cuda.PFN_cuFuncSetAttribute;
import dev.panamark.raw.cuda.PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor;
import dev.panamark.raw.cuda.PFN_cuOccupancyMaxActiveClusters;
import dev.panamark.raw.cuda.PFN_cuOccupancyMaxPotentialClusterSize;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A kernel of a loaded module; gone when the module is closed. */
public final class CudaKernel {
    private final CudaContext context;
    private final CudaCalls calls;
    private final OwnedHandle module;
    private final String name;
    private final MemorySegment function;

    CudaKernel(CudaContext context, OwnedHandle module, String name, MemorySegment function) {
        this.context = context;
        this.calls = context.calls();
        this.module = module;
        this.name = name;
        this.function = function;
    }

    /**
     * A parameter's place among the parameters.
     *
     * @param offset bytes from the first
     * @param bytes its size
     */
    public record Parameter(long offset, long bytes) {}

    /** As in the image. */
    public String name() {
        return name;
    }

    CudaContext context() {
        return context;
    }

    MemorySegment function() {
        requireOpen();
        return function;
    }

    void requireOpen() {
        module.requireOpen();
    }

    /** A property ({@code cuFuncGetAttribute}). */
    public int attribute(FunctionAttribute attribute) {
        requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(cuda_h.C_INT);
            check(
                    CudaFunction.FUNC_GET_ATTRIBUTE,
                    PFN_cuFuncGetAttribute.invoke(
                            calls.address(CudaFunction.FUNC_GET_ATTRIBUTE), value, attribute.code(), function),
                    attribute.toString());
            return value.get(cuda_h.C_INT, 0);
        }
    }

    /** Sets a property that can be set ({@code cuFuncSetAttribute}). */
    public void setAttribute(FunctionAttribute attribute, int value) {
        requireOpen();
        check(
                CudaFunction.FUNC_SET_ATTRIBUTE,
                PFN_cuFuncSetAttribute.invoke(
                        calls.address(CudaFunction.FUNC_SET_ATTRIBUTE), function, attribute.code(), value),
                attribute + " = " + value);
    }

    /**
     * Puts its code on the device now, where the driver would otherwise do it at the first launch
     * ({@code cuFuncLoad}, CUDA 12.4).
     */
    public void load() {
        requireOpen();
        check(CudaFunction.FUNC_LOAD, PFN_cuFuncLoad.invoke(calls.address(CudaFunction.FUNC_LOAD), function), "");
    }

    /**
     * A parameter ({@code cuFuncGetParamInfo}, CUDA 12.4).
     *
     * @param index from 0 on
     * @return empty where the kernel has fewer
     */
    public Optional<Parameter> parameter(int index) {
        requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment offset = arena.allocate(cuda_h.C_LONG);
            MemorySegment bytes = arena.allocate(cuda_h.C_LONG);
            int status = PFN_cuFuncGetParamInfo.invoke(
                    calls.address(CudaFunction.FUNC_GET_PARAM_INFO), function, index, offset, bytes);
            if (status == cuda_h.CUDA_ERROR_INVALID_VALUE() && index >= 0) {
                return Optional.empty();
            }
            check(CudaFunction.FUNC_GET_PARAM_INFO, status, "parameter " + index);
            return Optional.of(new Parameter(offset.get(cuda_h.C_LONG, 0), bytes.get(cuda_h.C_LONG, 0)));
        }
    }

    /**
     * Blocks that one multiprocessor holds at once ({@code cuOccupancyMaxActiveBlocksPerMultiprocessor}).
     *
     * @param threads of a block
     * @param sharedBytes dynamic shared memory of a block
     */
    public int maxActiveBlocks(int threads, long sharedBytes) {
        requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment blocks = arena.allocate(cuda_h.C_INT);
            check(
                    CudaFunction.OCCUPANCY_MAX_ACTIVE_BLOCKS,
                    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor.invoke(
                            calls.address(CudaFunction.OCCUPANCY_MAX_ACTIVE_BLOCKS),
                            blocks,
                            function,
                            threads,
                            sharedBytes),
                    threads + " threads, " + sharedBytes + " bytes of shared memory");
            return blocks.get(cuda_h.C_INT, 0);
        }
    }

    /** Clusters of the shape that the device holds at once ({@code cuOccupancyMaxActiveClusters}, CUDA 11.7). */
    public int maxActiveClusters(LaunchShape shape) {
        requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment clusters = arena.allocate(cuda_h.C_INT);
            check(
                    CudaFunction.OCCUPANCY_MAX_ACTIVE_CLUSTERS,
                    PFN_cuOccupancyMaxActiveClusters.invoke(
                            calls.address(CudaFunction.OCCUPANCY_MAX_ACTIVE_CLUSTERS),
                            clusters,
                            function,
                            LaunchConfig.of(shape, MemorySegment.NULL, arena)),
                    shape.toString());
            return clusters.get(cuda_h.C_INT, 0);
        }
    }

    /**
     * Blocks of the largest cluster that can be launched with the shape's other sizes
     * ({@code cuOccupancyMaxPotentialClusterSize}, CUDA 11.7).
     */
    public int maxClusterSize(LaunchShape shape) {
        requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment blocks = arena.allocate(cuda_h.C_INT);
            check(
                    CudaFunction.OCCUPANCY_MAX_POTENTIAL_CLUSTER_SIZE,
                    PFN_cuOccupancyMaxPotentialClusterSize.invoke(
                            calls.address(CudaFunction.OCCUPANCY_MAX_POTENTIAL_CLUSTER_SIZE),
                            blocks,
                            function,
                            LaunchConfig.of(shape, MemorySegment.NULL, arena)),
                    shape.toString());
            return blocks.get(cuda_h.C_INT, 0);
        }
    }

    private void check(CudaFunction called, int status, String about) {
        if (status != cuda_h.CUDA_SUCCESS()) {
            throw calls.failure(called, status, "kernel '" + name + "'" + (about.isEmpty() ? "" : ", " + about));
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
