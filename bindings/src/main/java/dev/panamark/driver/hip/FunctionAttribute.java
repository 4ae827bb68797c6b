package dev.panamark.driver.hip;

import dev.panamark.raw.hip.hip_h;

/** Properties of a kernel as {@code hipFuncGetAttribute} gives them. {@code CodeObject} tells more of an image. */
public enum FunctionAttribute {
    /** Work-items of a block that the kernel can be launched with. */
    MAX_THREADS_PER_BLOCK(hip_h.HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK()),
    /** Bytes of LDS that the kernel declares itself. */
    SHARED_SIZE_BYTES(hip_h.HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES()),
    CONST_SIZE_BYTES(hip_h.HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES()),
    /** Bytes of scratch memory of a work-item: spilled registers and arrays. */
    LOCAL_SIZE_BYTES(hip_h.HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES()),
    /** Vector registers of a work-item. */
    NUM_REGS(hip_h.HIP_FUNC_ATTRIBUTE_NUM_REGS()),
    BINARY_VERSION(hip_h.HIP_FUNC_ATTRIBUTE_BINARY_VERSION()),
    /** Bytes of LDS that a launch may ask for on top. */
    MAX_DYNAMIC_SHARED_SIZE_BYTES(hip_h.HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES());

    private final int code;

    FunctionAttribute(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
