package dev.panamark.driver.cuda;

import dev.panamark.raw.cuda.cuda_h;

/** Properties of a device as {@code cuDeviceGetAttribute} gives them. */
public enum DeviceAttribute {
    /** Threads of a block. */
    MAX_THREADS_PER_BLOCK(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK()),
    MAX_BLOCK_DIM_X(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X()),
    MAX_BLOCK_DIM_Y(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y()),
    MAX_BLOCK_DIM_Z(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z()),
    MAX_GRID_DIM_X(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X()),
    MAX_GRID_DIM_Y(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y()),
    MAX_GRID_DIM_Z(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z()),
    /** Bytes, without asking for more. */
    MAX_SHARED_MEMORY_PER_BLOCK(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK()),
    /** Bytes, with {@link FunctionAttribute#MAX_DYNAMIC_SHARED_SIZE_BYTES} set. */
    MAX_SHARED_MEMORY_PER_BLOCK_OPTIN(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN()),
    /** Bytes. */
    MAX_SHARED_MEMORY_PER_MULTIPROCESSOR(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR()),
    /** Bytes that the driver takes of each block's shared memory. */
    RESERVED_SHARED_MEMORY_PER_BLOCK(cuda_h.CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK()),
    WARP_SIZE(cuda_h.CU_DEVICE_ATTRIBUTE_WARP_SIZE()),
    /** 32-bit registers. */
    MAX_REGISTERS_PER_BLOCK(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK()),
    /** 32-bit registers. */
    MAX_REGISTERS_PER_MULTIPROCESSOR(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR()),
    MAX_THREADS_PER_MULTIPROCESSOR(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR()),
    MAX_BLOCKS_PER_MULTIPROCESSOR(cuda_h.CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR()),
    MULTIPROCESSOR_COUNT(cuda_h.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT()),
    /** The highest clock of the multiprocessors, kHz. */
    CLOCK_RATE(cuda_h.CU_DEVICE_ATTRIBUTE_CLOCK_RATE()),
    /** The highest clock of the memory, kHz. */
    MEMORY_CLOCK_RATE(cuda_h.CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE()),
    /** Bits. */
    GLOBAL_MEMORY_BUS_WIDTH(cuda_h.CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH()),
    /** Bytes. */
    L2_CACHE_SIZE(cuda_h.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE()),
    COMPUTE_CAPABILITY_MAJOR(cuda_h.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR()),
    COMPUTE_CAPABILITY_MINOR(cuda_h.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR()),
    /** 1 where the system ends kernels that run for long. */
    KERNEL_EXEC_TIMEOUT(cuda_h.CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT()),
    /** 1 where the device shares the host's memory. */
    INTEGRATED(cuda_h.CU_DEVICE_ATTRIBUTE_INTEGRATED()),
    /** Who may use it: 0 anybody, 2 nobody, 3 one process. */
    COMPUTE_MODE(cuda_h.CU_DEVICE_ATTRIBUTE_COMPUTE_MODE()),
    /** 1 where memory is protected by an error-correcting code. */
    ECC_ENABLED(cuda_h.CU_DEVICE_ATTRIBUTE_ECC_ENABLED()),
    PCI_DOMAIN_ID(cuda_h.CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID()),
    PCI_BUS_ID(cuda_h.CU_DEVICE_ATTRIBUTE_PCI_BUS_ID()),
    PCI_DEVICE_ID(cuda_h.CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID()),
    /** 1 where all blocks of a grid can be made to run together. */
    COOPERATIVE_LAUNCH(cuda_h.CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH()),
    /** 1 where blocks can be grouped to clusters. */
    CLUSTER_LAUNCH(cuda_h.CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH()),
    /** 1 where tensor maps can be used. */
    TENSOR_MAP_ACCESS_SUPPORTED(cuda_h.CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED());

    private final int code;

    DeviceAttribute(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
