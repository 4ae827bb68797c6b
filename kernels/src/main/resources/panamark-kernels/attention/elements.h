/*
 * Elements of q, k, v and out in every type that the attention kernels take, as f32 and back. A type is a word that the
 * kernel file puts into an option (-DTYPE=f16); PM_TYPE(TYPE), PM_WIDEN(TYPE) and so on are what belongs to it.
 *
 * Widening is exact. Narrowing rounds to nearest even; beyond the largest finite value it gives infinity, NaN stays NaN.
 */
#ifndef PANAMARK_ELEMENTS_H
#define PANAMARK_ELEMENTS_H

#include "../panamark_cpu.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#define PM_JOIN_(a, b) a##b
#define PM_JOIN(a, b) PM_JOIN_(a, b)
#define PM_TYPE(type) PM_JOIN(pm_, type)          /* what an element is stored in */
#define PM_WIDEN(type) PM_JOIN(pm_widen_, type)   /* pm_vec of(const void *): PM_LANES elements */
#define PM_VALUE(type) PM_JOIN(pm_value_, type)   /* float of(pm_type) */
#define PM_NARROW(type) PM_JOIN(pm_narrow_, type) /* pm_type of(float) */

typedef float pm_f32;
typedef uint16_t pm_f16, pm_bf16;
typedef uint8_t pm_e4m3, pm_int4; /* int4: two numbers, the first in the low four bits */
typedef int8_t pm_i8;

typedef uint32_t pm_uvec __attribute__((vector_size(PM_LANES * 4)));
typedef uint16_t pm_halves __attribute__((vector_size(PM_LANES * 2)));
typedef uint8_t pm_bytes __attribute__((vector_size(PM_LANES)));
typedef int8_t pm_sbytes __attribute__((vector_size(PM_LANES)));
typedef uint8_t pm_pairs __attribute__((vector_size(PM_LANES / 2)));
typedef uint16_t pm_pairs16 __attribute__((vector_size(PM_LANES)));
typedef uint32_t pm_pairs32 __attribute__((vector_size(PM_LANES * 2)));
typedef int16_t pm_shalves __attribute__((vector_size(PM_LANES * 2)));
typedef uint64_t pm_wide __attribute__((vector_size(PM_LANES * 4)));

PM_INLINE float pm_float_of(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

PM_INLINE uint32_t pm_bits_of(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

PM_INLINE pm_vec pm_widen_f32(const void *from) {
    return pm_load((const float *)from);
}

PM_INLINE float pm_value_f32(pm_f32 x) {
    return x;
}

PM_INLINE pm_f32 pm_narrow_f32(float x) {
    return x;
}

PM_INLINE pm_vec pm_widen_bf16(const void *from) {
    pm_halves h;
    memcpy(&h, from, sizeof h);
    return (pm_vec)(__builtin_convertvector(h, pm_uvec) << 16);
}

PM_INLINE float pm_value_bf16(pm_bf16 x) {
    return pm_float_of((uint32_t)x << 16);
}

PM_INLINE pm_bf16 pm_narrow_bf16(float x) {
    uint32_t bits = pm_bits_of(x);
    if ((bits & 0x7fffffff) > 0x7f800000) {
        return (pm_bf16)(bits >> 16 | 0x40); /* rounding could carry a NaN to infinity */
    }
    return (pm_bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The exponent is moved to its place and a multiplication corrects its bias, subnormals included. */
PM_INLINE pm_vec pm_widen_f16(const void *from) {
#if defined(__AVX512F__)
    return (pm_vec)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)from));
#elif defined(__F16C__) && PM_LANES == 8
    return (pm_vec)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from));
#else
    pm_halves h;
    memcpy(&h, from, sizeof h);
    pm_uvec bits = __builtin_convertvector(h, pm_uvec);
    pm_vec scaled = (pm_vec)((bits & 0x7fff) << 13) * 0x1p112f;
    pm_uvec special = (pm_uvec)((bits & 0x7c00) == 0x7c00) & 0x7f800000;
    return (pm_vec)((pm_uvec)scaled | special | (bits & 0x8000) << 16);
#endif
}

PM_INLINE float pm_value_f16(pm_f16 x) {
    uint32_t special = (x & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
    float scaled = pm_float_of((uint32_t)(x & 0x7fff) << 13) * 0x1p112f;
    return pm_float_of(pm_bits_of(scaled) | special | (uint32_t)(x & 0x8000) << 16);
}

PM_INLINE pm_f16 pm_narrow_f16(float x) {
    uint32_t bits = pm_bits_of(x), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) {
        return (pm_f16)(sign | 0x7e00);
    }
    if (magnitude >= 0x477ff000) { /* 65520, from where on the nearest is infinity */
        return (pm_f16)(sign | 0x7c00);
    }
    if (magnitude < 0x38800000) { /* below 2^-14: adding 1/2 leaves steps of 2^-24, rounded to nearest even */
        return (pm_f16)(sign | (pm_bits_of(pm_float_of(magnitude) + 0.5f) - 0x3f000000));
    }
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return (pm_f16)(sign | (magnitude - (112u << 23)) >> 13);
}

/* Bytes are widened step by step: gcc takes a conversion to four times the width apart, element by element. */

/* OCP E4M3: the bits of a normal number stand in the same order as in an f32; NaN is 0x7f. */
PM_INLINE pm_vec pm_widen_e4m3(const void *from) {
    pm_bytes b;
    memcpy(&b, from, sizeof b);
    pm_uvec bits = __builtin_convertvector(__builtin_convertvector(b, pm_halves), pm_uvec), magnitude = bits & 0x7f;
    pm_vec normal = (pm_vec)((magnitude << 20) + (120u << 23));
    pm_vec subnormal = (pm_vec)((magnitude << 20) + (121u << 23)) - 0x1p-6f;
    pm_vec value = pm_select((pm_ivec)(magnitude < 8), subnormal, normal);
    pm_uvec nan = (pm_uvec)(magnitude == 0x7f) & 0x7fc00000;
    return (pm_vec)((pm_uvec)value | nan | (bits & 0x80) << 24);
}

PM_INLINE float pm_value_e4m3(pm_e4m3 x) {
    uint32_t magnitude = x & 0x7f;
    float value = magnitude < 8 ? (float)magnitude * 0x1p-9f : pm_float_of((magnitude << 20) + (120u << 23));
    return pm_float_of((magnitude == 0x7f ? 0x7fc00000 : pm_bits_of(value)) | (uint32_t)(x & 0x80) << 24);
}

PM_INLINE pm_vec pm_widen_i8(const void *from) {
    pm_sbytes b;
    memcpy(&b, from, sizeof b);
    pm_shalves wider = __builtin_convertvector(b, pm_shalves);
    return __builtin_convertvector(__builtin_convertvector(wider, pm_ivec), pm_vec);
}

PM_INLINE float pm_value_i8(pm_i8 x) {
    return x;
}

/* Each byte is spread over a lane of 64 bits, whose halves are the lanes of its two numbers (little-endian hosts). */
PM_INLINE pm_vec pm_widen_int4(const void *from) {
    pm_pairs b;
    memcpy(&b, from, sizeof b);
    pm_pairs32 wider = __builtin_convertvector(__builtin_convertvector(b, pm_pairs16), pm_pairs32);
    pm_wide wide = __builtin_convertvector(wider, pm_wide);
    pm_ivec codes = (pm_ivec)((wide & 15) | (wide >> 4) << 32);
    return __builtin_convertvector(codes - 8, pm_vec);
}

#endif
