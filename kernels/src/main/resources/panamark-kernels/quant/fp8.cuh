/*
 * Codes of the 8-bit format in integer code: before sm_89 there are no instructions for them, and none anywhere for FNUZ.
 */
#ifndef PANAMARK_FP8_CUH
#define PANAMARK_FP8_CUH

#include "../panamark_cuda.cuh"
#include "fp8_format.h"

/* Of the smallest normal number; below it the steps between numbers stay the same. */
#define LEAST_EXPONENT (1 - BIAS)

/* Nearest even, held at the largest number. */
PM_DEVICE uint8_t encode(float x) {
    const uint32_t sign = __float_as_uint(x) >> 24 & 0x80, bits = __float_as_uint(x) & 0x7fffffff;
    if (bits > 0x7f800000) {
        return FNUZ ? 0x80 : sign | 0x7f;
    }
    const float magnitude = fminf(__uint_as_float(bits), LARGEST);
    const int exponent = max((int)(__float_as_uint(magnitude) >> 23) - 127, LEAST_EXPONENT);
    /* Dividing by a power of two is exact, and the conversion rounds to nearest even. */
    const float step = __uint_as_float((uint32_t)(127 - (exponent - FRACTION)) << 23);
    const int steps = __float2int_rn(magnitude * step);
    /* A normal number's leading one is not stored; a carry out of the steps moves into the exponent. */
    const int code = ((exponent - LEAST_EXPONENT) << FRACTION) + steps;
    return FNUZ && code == 0 ? 0 : sign | code;
}

PM_DEVICE float decode(uint32_t code) {
    const uint32_t magnitude = code & 0x7f, sign = (code & 0x80) << 24;
    if (FNUZ ? code == 0x80 : FRACTION == 3 ? magnitude == 0x7f : magnitude > 0x7c) {
        return __uint_as_float((FNUZ ? 0 : sign) | 0x7fc00000);
    }
    if (!FNUZ && FRACTION == 2 && magnitude == 0x7c) {
        return __uint_as_float(sign | 0x7f800000);
    }
    const uint32_t fraction = magnitude & ((1 << FRACTION) - 1), exponent = magnitude >> FRACTION;
    const float scale = __uint_as_float((uint32_t)(max(exponent, 1u) - BIAS - FRACTION + 127) << 23);
    const float value = (float)(exponent == 0 ? fraction : fraction + (1 << FRACTION)) * scale;
    return __uint_as_float(__float_as_uint(value) | sign);
}

/* The scale that brings amax to most; 1 where that would be 0, which nothing can be divided by. */
PM_DEVICE float scale_for(float amax, float most) {
    float scale = amax / most;
    return scale == 0 ? 1 : scale;
}

#endif
