package dev.panamark.device.hip;

import dev.panamark.device.Counted;
import dev.panamark.device.gpu.ResidentBlocks;
import dev.panamark.driver.hip.DeviceAttribute;
import dev.panamark.driver.hip.FunctionAttribute;
import dev.panamark.driver.hip.HipKernel;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Step;

/** Theoretical occupancy by {@code hipModuleOccupancyMaxActiveBlocksPerMultiprocessor}. */
final class HipOccupancy {
    /** HIP does not tell how many blocks of any size a CU holds. */
    private static final int UNTOLD = 0;

    private HipOccupancy() {}

    static Availability<Counted.Occupancy> of(HipGpu gpu, HipKernel kernel, Step.Launch launch) {
        int most = gpu.attribute(DeviceAttribute.MAX_THREADS_PER_MULTIPROCESSOR);
        if (most == 0) {
            return Availability.missing("HIP does not tell how many work-items a CU holds", "Install a newer ROCm.");
        }
        int threads = Math.toIntExact(launch.block().count());
        ResidentBlocks resident = new ResidentBlocks(
                kernel.name(),
                kernel.maxActiveBlocks(threads, launch.shared()),
                threads,
                launch.shared() + kernel.attribute(FunctionAttribute.SHARED_SIZE_BYTES));
        return Availability.of(resident.of(
                new ResidentBlocks.Unit(
                        gpu.value("warp"),
                        most,
                        gpu.attribute(DeviceAttribute.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
                        UNTOLD),
                "waves a CU"));
    }
}
