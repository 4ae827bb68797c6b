package dev.panamark.device.cuda;

import dev.panamark.device.Counted;
import dev.panamark.device.gpu.ResidentBlocks;
import dev.panamark.driver.cuda.CudaFunction;
import dev.panamark.driver.cuda.CudaKernel;
import dev.panamark.driver.cuda.DeviceAttribute;
import dev.panamark.driver.cuda.FunctionAttribute;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Step;

/** Theoretical occupancy by {@code cuOccupancyMaxActiveBlocksPerMultiprocessor}. */
final class DriverOccupancy {
    private DriverOccupancy() {}

    static Availability<Counted.Occupancy> of(CudaGpu gpu, CudaKernel kernel, Step.Launch launch) {
        int most = gpu.attribute(DeviceAttribute.MAX_THREADS_PER_MULTIPROCESSOR);
        if (most == 0) {
            return Availability.missing(
                    "the driver does not tell how many threads a multiprocessor holds", "Update NVIDIA's driver.");
        }
        if (gpu.driver().has(CudaFunction.OCCUPANCY_MAX_ACTIVE_BLOCKS)
                instanceof Availability.Unavailable<CudaFunction> no) {
            return no.as();
        }
        int threads = Math.toIntExact(launch.block().count());
        long shared = launch.shared()
                + kernel.attribute(FunctionAttribute.SHARED_SIZE_BYTES)
                + gpu.attribute(DeviceAttribute.RESERVED_SHARED_MEMORY_PER_BLOCK);
        return Availability.of(
                new ResidentBlocks(kernel.name(), kernel.maxActiveBlocks(threads, launch.shared()), threads, shared)
                        .of(
                                new ResidentBlocks.Unit(
                                        gpu.value("warp"),
                                        most,
                                        gpu.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
                                        gpu.attribute(DeviceAttribute.MAX_BLOCKS_PER_MULTIPROCESSOR)),
                                "warps a multiprocessor"));
    }
}
