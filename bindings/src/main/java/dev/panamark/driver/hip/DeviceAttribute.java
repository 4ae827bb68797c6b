package dev.panamark.driver.hip;

import dev.panamark.raw.hip.hip_h;

/**
 * Properties of a device as {@code hipDeviceGetAttribute} gives them. Their numbers are the same from 5.2 on, where the
 * structure of all properties has changed.
 */
public enum DeviceAttribute {
    /** Work-items of a block. */
    MAX_THREADS_PER_BLOCK(hip_h.hipDeviceAttributeMaxThreadsPerBlock()),
    MAX_BLOCK_DIM_X(hip_h.hipDeviceAttributeMaxBlockDimX()),
    MAX_BLOCK_DIM_Y(hip_h.hipDeviceAttributeMaxBlockDimY()),
    MAX_BLOCK_DIM_Z(hip_h.hipDeviceAttributeMaxBlockDimZ()),
    MAX_GRID_DIM_X(hip_h.hipDeviceAttributeMaxGridDimX()),
    MAX_GRID_DIM_Y(hip_h.hipDeviceAttributeMaxGridDimY()),
    MAX_GRID_DIM_Z(hip_h.hipDeviceAttributeMaxGridDimZ()),
    /** Bytes of LDS. */
    MAX_SHARED_MEMORY_PER_BLOCK(hip_h.hipDeviceAttributeMaxSharedMemoryPerBlock()),
    /** Bytes of LDS of a CU. */
    MAX_SHARED_MEMORY_PER_MULTIPROCESSOR(hip_h.hipDeviceAttributeMaxSharedMemoryPerMultiprocessor()),
    /** Work-items of a wave. */
    WARP_SIZE(hip_h.hipDeviceAttributeWarpSize()),
    /** 32-bit registers. */
    MAX_REGISTERS_PER_BLOCK(hip_h.hipDeviceAttributeMaxRegistersPerBlock()),
    /** Work-items of a CU. */
    MAX_THREADS_PER_MULTIPROCESSOR(hip_h.hipDeviceAttributeMaxThreadsPerMultiProcessor()),
    /** CUs. */
    MULTIPROCESSOR_COUNT(hip_h.hipDeviceAttributeMultiprocessorCount()),
    /** The highest clock of the CUs, kHz. */
    CLOCK_RATE(hip_h.hipDeviceAttributeClockRate()),
    /** The highest clock of the memory, kHz. */
    MEMORY_CLOCK_RATE(hip_h.hipDeviceAttributeMemoryClockRate()),
    /** The clock that kernels read with {@code wall_clock64()}, kHz; since 5.7. */
    WALL_CLOCK_RATE(hip_h.hipDeviceAttributeWallClockRate()),
    /** Bits. */
    MEMORY_BUS_WIDTH(hip_h.hipDeviceAttributeMemoryBusWidth()),
    /** Bytes of one die: of the eight of an MI300X it tells 4 MiB. */
    L2_CACHE_SIZE(hip_h.hipDeviceAttributeL2CacheSize()),
    COMPUTE_CAPABILITY_MAJOR(hip_h.hipDeviceAttributeComputeCapabilityMajor()),
    COMPUTE_CAPABILITY_MINOR(hip_h.hipDeviceAttributeComputeCapabilityMinor()),
    /** 1 where the device shares the host's memory. */
    INTEGRATED(hip_h.hipDeviceAttributeIntegrated()),
    /** Who may use it: 0 anybody, 2 nobody, 3 one process. */
    COMPUTE_MODE(hip_h.hipDeviceAttributeComputeMode()),
    /** 1 where memory is protected by an error-correcting code. */
    ECC_ENABLED(hip_h.hipDeviceAttributeEccEnabled()),
    PCI_DOMAIN_ID(hip_h.hipDeviceAttributePciDomainID()),
    PCI_BUS_ID(hip_h.hipDeviceAttributePciBusId()),
    PCI_DEVICE_ID(hip_h.hipDeviceAttributePciDeviceId()),
    /** 1 where all blocks of a grid can be made to run together. */
    COOPERATIVE_LAUNCH(hip_h.hipDeviceAttributeCooperativeLaunch()),
    /** 1 where streams can wait for a value in memory. */
    CAN_USE_STREAM_WAIT_VALUE(hip_h.hipDeviceAttributeCanUseStreamWaitValue());

    private final int code;

    DeviceAttribute(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
