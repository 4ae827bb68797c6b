/*
 * Codes of e4m3 and e5m2 by the instructions that sm_89 brought: two numbers at a time, rounded to nearest even and held at
 * the format's largest number. FORMAT_x is set when compiled.
 */
#ifndef PANAMARK_FP8_NATIVE_CUH
#define PANAMARK_FP8_NATIVE_CUH

#include "../panamark_cuda.cuh"

#if defined(FORMAT_e4m3)
#define PAIR "e4m3x2"
#elif defined(FORMAT_e5m2)
#define PAIR "e5m2x2"
#else
#error "only e4m3 and e5m2 have instructions: define FORMAT_e4m3 or FORMAT_e5m2"
#endif

/* The first in the low byte. */
PM_DEVICE uint32_t codes_of(float first, float second) {
    uint16_t codes;
    asm("cvt.rn.satfinite." PAIR ".f32 %0, %1, %2;" : "=h"(codes) : "f"(second), "f"(first));
    return codes;
}

PM_DEVICE uint32_t codes_of(float4 x) {
    return codes_of(x.x, x.y) | codes_of(x.z, x.w) << 16;
}

/* Exact: f16 holds every number of either format. */
PM_DEVICE float2 numbers_of(uint16_t codes) {
    uint32_t two;
    asm("cvt.rn.f16x2." PAIR " %0, %1;" : "=r"(two) : "h"(codes));
    return __half22float2(*reinterpret_cast<__half2 *>(&two));
}

PM_DEVICE float4 numbers_of(uint32_t codes) {
    const float2 low = numbers_of((uint16_t)codes), high = numbers_of((uint16_t)(codes >> 16));
    return make_float4(low.x, low.y, high.x, high.y);
}

#endif
