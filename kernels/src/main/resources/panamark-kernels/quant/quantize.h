/* What the quantizers share. */
#ifndef PANAMARK_QUANTIZE_H
#define PANAMARK_QUANTIZE_H

#include "../panamark_cpu.h"

PM_INLINE uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

PM_INLINE float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/*
 * The largest magnitude. Magnitudes order as their bits do, and a maximum of integers vectorises; a NaN is larger than
 * every number and so is not lost.
 */
PM_INLINE float amax(const float *x, int64_t n) {
    uint32_t most = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t magnitude = bits_of(x[i]) & 0x7fffffff;
        most = magnitude > most ? magnitude : most;
    }
    return float_of(most);
}

/* The scale that brings amax to max. */
PM_INLINE float scale_for(float amax, float max) {
    return amax == 0 ? 1 : amax / max;
}

#endif
