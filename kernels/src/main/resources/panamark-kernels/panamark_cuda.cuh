/*
 * What the CUDA kernels share: element types by the word that a kernel file puts into an option (-DTYPE=f16), and sums
 * over blocks. Widening to float is exact, narrowing rounds to nearest even.
 */
#ifndef PANAMARK_CUDA_CUH
#define PANAMARK_CUDA_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#define PM_JOIN_(a, b) a##b
#define PM_JOIN(a, b) PM_JOIN_(a, b)
#define PM_TYPE(type) PM_JOIN(pm_, type)

#define PM_KERNEL extern "C" __global__ void
#define PM_DEVICE static __device__ __forceinline__

#define PM_WARP 32
#define PM_ALL 0xffffffffu
#define PM_LOG2E 1.4426950408889634f
#define PM_LN2 0.6931471805599453f

typedef float pm_f32;
typedef __half pm_f16;
typedef __nv_bfloat16 pm_bf16;

struct pm_e4m3 { /* OCP E4M3 */
    uint8_t bits;
};
struct pm_int4 { /* two numbers, the first in the low four bits, each less 8 */
    uint8_t bits;
};
typedef int8_t pm_i8;

PM_DEVICE float pm_float(float x) {
    return x;
}

PM_DEVICE float pm_float(__half x) {
    return __half2float(x);
}

PM_DEVICE float pm_float(__nv_bfloat16 x) {
    return __bfloat162float(x);
}

PM_DEVICE float pm_float(int8_t x) {
    return x;
}

/* The bits of a normal number stand in the same order as in an f32; NaN is 0x7f. */
PM_DEVICE float pm_float(pm_e4m3 x) {
    uint32_t magnitude = x.bits & 0x7f, sign = (uint32_t)(x.bits & 0x80) << 24;
    float value = magnitude < 8 ? magnitude * 0x1p-9f : __uint_as_float((magnitude << 20) + (120u << 23));
    return __uint_as_float((magnitude == 0x7f ? 0x7fc00000u : __float_as_uint(value)) | sign);
}

PM_DEVICE void pm_put(float *to, float x) {
    *to = x;
}

PM_DEVICE void pm_put(__half *to, float x) {
    *to = __float2half_rn(x);
}

PM_DEVICE void pm_put(__nv_bfloat16 *to, float x) {
    *to = __float2bfloat16_rn(x);
}

PM_DEVICE float pm_warp_sum(float x) {
    for (int lanes = PM_WARP / 2; lanes > 0; lanes /= 2) {
        x += __shfl_xor_sync(PM_ALL, x, lanes);
    }
    return x;
}

PM_DEVICE float pm_warp_max(float x) {
    for (int lanes = PM_WARP / 2; lanes > 0; lanes /= 2) {
        x = fmaxf(x, __shfl_xor_sync(PM_ALL, x, lanes));
    }
    return x;
}

#endif
