package dev.panamark.device.cuda;

import dev.panamark.device.Counted;
import dev.panamark.driver.cuda.CudaFunction;
import dev.panamark.driver.cuda.CudaKernel;
import dev.panamark.driver.cuda.DeviceAttribute;
import dev.panamark.driver.cuda.FunctionAttribute;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Step;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Theoretical occupancy as the driver calculates it: blocks that a multiprocessor holds at once, in warps, over the most
 * warps that it holds (CUDA C++ Best Practices Guide, "Calculating Occupancy").
 */
final class DriverOccupancy {
    private DriverOccupancy() {}

    static Availability<Counted.Occupancy> of(CudaGpu gpu, CudaKernel kernel, Step.Launch launch) {
        int warp = gpu.value("warp");
        int most = gpu.attribute(DeviceAttribute.MAX_THREADS_PER_MULTIPROCESSOR) / warp;
        if (most == 0) {
            return Availability.missing(
                    "the driver does not tell how many threads a multiprocessor holds", "Update NVIDIA's driver.");
        }
        if (gpu.driver().has(CudaFunction.OCCUPANCY_MAX_ACTIVE_BLOCKS)
                instanceof Availability.Unavailable<CudaFunction> no) {
            return no.as();
        }
        int threads = Math.toIntExact(launch.block().count());
        int warps = (threads + warp - 1) / warp;
        int blocks = kernel.maxActiveBlocks(threads, launch.shared());
        return Availability.of(new Counted.Occupancy(
                (double) blocks * warps / most,
                limiter(gpu, kernel, launch, warps, blocks),
                kernel.name() + ": " + blocks + " blocks of " + warps + " warps a multiprocessor, by the driver"));
    }

    /** What a further block would exceed, from what the driver tells of kernel and device. */
    private static String limiter(CudaGpu gpu, CudaKernel kernel, Step.Launch launch, int warps, int blocks) {
        int warp = gpu.value("warp");
        long shared = launch.shared()
                + kernel.attribute(FunctionAttribute.SHARED_SIZE_BYTES)
                + gpu.attribute(DeviceAttribute.RESERVED_SHARED_MEMORY_PER_BLOCK);
        SequencedMap<String, Boolean> limits = new LinkedHashMap<>();
        long more = blocks + 1L;
        limits.put("warps", exceeds(more * warps * warp, gpu, DeviceAttribute.MAX_THREADS_PER_MULTIPROCESSOR));
        limits.put("shared memory", exceeds(more * shared, gpu, DeviceAttribute.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
        limits.put("blocks", exceeds(more, gpu, DeviceAttribute.MAX_BLOCKS_PER_MULTIPROCESSOR));
        return limits.entrySet().stream()
                .filter(e -> e.getValue())
                .map(e -> e.getKey())
                .findFirst()
                .orElse("registers");
    }

    /** Never, where the driver does not tell the limit. */
    private static boolean exceeds(long wanted, CudaGpu gpu, DeviceAttribute limit) {
        int most = gpu.attribute(limit);
        return most > 0 && wanted > most;
    }
}
