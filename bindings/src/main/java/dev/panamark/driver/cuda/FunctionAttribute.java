package dev.panamark.driver.cuda;

import dev.panamark.raw.cuda.cuda_h;

/** Properties of a kernel as {@code cuFuncGetAttribute} gives them. */
public enum FunctionAttribute {
    /** Threads of a block that the kernel can be launched with on this device. */
    MAX_THREADS_PER_BLOCK(cuda_h.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK()),
    /** Bytes of shared memory that the kernel declares itself. */
    SHARED_SIZE_BYTES(cuda_h.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES()),
    CONST_SIZE_BYTES(cuda_h.CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES()),
    /** Bytes of local memory of a thread: spilled registers and arrays. */
    LOCAL_SIZE_BYTES(cuda_h.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES()),
    /** Registers of a thread. */
    NUM_REGS(cuda_h.CU_FUNC_ATTRIBUTE_NUM_REGS()),
    /** Architecture of the PTX that it was made of: 10 times the major version and the minor. */
    PTX_VERSION(cuda_h.CU_FUNC_ATTRIBUTE_PTX_VERSION()),
    /** Architecture of the machine code: 10 times the major version and the minor. */
    BINARY_VERSION(cuda_h.CU_FUNC_ATTRIBUTE_BINARY_VERSION()),
    /** Bytes of shared memory that a launch may ask for on top; can be set, above 48 KiB it must be. */
    MAX_DYNAMIC_SHARED_SIZE_BYTES(cuda_h.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES()),
    /** Percent of the L1 cache to be shared memory, -1 for the driver's choice; can be set. */
    PREFERRED_SHARED_MEMORY_CARVEOUT(cuda_h.CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT()),
    /** 1 where clusters of more than 8 blocks are allowed; can be set. */
    NON_PORTABLE_CLUSTER_SIZE_ALLOWED(cuda_h.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED());

    private final int code;

    FunctionAttribute(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
