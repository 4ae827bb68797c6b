/* What the quantizers share. */
#ifndef PANAMARK_QUANTIZE_H
#define PANAMARK_QUANTIZE_H

#include "../stream.h"

/* The loops here have no intrinsics; gcc vectorises them with half of the register unless told otherwise. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
#pragma GCC target("prefer-vector-width=512")
#endif

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

/* The scale that brings amax to max; 1 where that would be 0, which nothing can be divided by. */
PM_INLINE float scale_for(float amax, float max) {
    float scale = amax / max;
    return scale == 0 ? 1 : scale;
}

/* Whether quotient() is exact for this scale: no remainder of its may underflow. */
PM_INLINE int is_ordinary(float scale) {
    return scale >= 0x1p-60f && scale <= 0x1p60f;
}

/* An ordinary scale with its inverse to twice the precision. */
typedef struct {
    float scale, high, low;
} divisor;

PM_INLINE divisor divide_by(float scale) {
    float high = 1 / scale;
#if defined(__FMA__) || defined(__aarch64__)
    return (divisor){scale, high, __builtin_fmaf(-high, scale, 1) * high};
#else
    return (divisor){scale, high, 0};
#endif
}

/*
 * x / scale as a division rounds it. The first two operations are off by little more than half a unit in the last place;
 * from there the exact remainder leads to the rightly rounded quotient (P. Markstein, Computation of elementary functions
 * on the IBM RISC System/6000 processor, IBM J. Res. Dev. 34, 1990). A division takes several times as long.
 */
PM_INLINE float quotient(float x, divisor by) {
#if defined(__FMA__) || defined(__aarch64__)
    float q = __builtin_fmaf(x, by.high, x * by.low);
    return __builtin_fmaf(__builtin_fmaf(-q, by.scale, x), by.high, q);
#else
    return x / by.scale;
#endif
}

/* Adding it rounds to a whole number, to even on ties, and leaves that number in the low bits. */
#define ROUNDING 12582912.0f /* 1.5 * 2^23 */
#define ROUNDING_BITS 0x4b400000

/* Codes go through a small buffer: making them and packing them are two loops that vectorise, together one that does not. */
#define BATCH 256

/*
 * While n numbers at x are computed, asks for those one group further. A group is read twice, for its scale and for its
 * codes, and nothing overlaps the first reading with computing unless it is asked for.
 */
PM_INLINE void fetch_ahead(const float *x, int64_t n, int64_t group) {
    for (int64_t line = 0; line < n; line += 16) {
        __builtin_prefetch(x + group + line);
    }
}

#endif
