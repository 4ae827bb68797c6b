/* Reals as a kernel reads and writes them: f32, f16 or bf16, chosen when compiled with REAL_f32, REAL_f16 or REAL_bf16. */
#ifndef PANAMARK_REAL_H
#define PANAMARK_REAL_H

#include "quantize.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

#if defined(REAL_f32)
typedef float real;
#elif defined(REAL_f16) || defined(REAL_bf16)
typedef uint16_t real;
#else
#error "define REAL_f32, REAL_f16 or REAL_bf16"
#endif

/* Rounded to nearest even, infinite beyond the largest number. Branch-free; see encode() in fp8_quantize.c. */
PM_INLINE real to_real(float x) {
#if defined(REAL_f32)
    return x;
#elif defined(REAL_bf16)
    uint32_t bits = bits_of(x), odd = bits >> 16 & 1;
    return (real)(x == x ? (bits + 0x7fff + odd) >> 16 : (bits >> 16 & 0x8000) | 0x7fc0);
#else
    uint32_t bits = bits_of(x), magnitude = bits & 0x7fffffff;
    magnitude = magnitude > 0x47800000 ? 0x47800000 : magnitude; /* 65536, which rounds to infinity */
    uint32_t power = magnitude & 0x7f800000;
    power = power < 0x38800000 ? 0x38800000 : power; /* 2^-14 */
    uint32_t adding = power + (13 << 23);
    uint32_t code = bits_of(float_of(magnitude) + float_of(adding)) - adding + ((power - 0x38800000) >> 13);
    return (real)((bits >> 16 & 0x8000) | (x == x ? code : 0x7e00));
#endif
}

/* Rounds up to BATCH numbers and stores them past the caches; pm_stream_end must follow the last of them. */
PM_INLINE void stream_reals(const float *restrict x, real *restrict out, int64_t n) {
#if defined(REAL_f32)
    pm_stream_copy((char *)out, (const char *)x, n * (int64_t)sizeof *x);
#else
    real rounded[BATCH];
    int64_t i = 0;
    /* What to_real does in a dozen operations, with the same result. */
#if defined(REAL_f16) && defined(__AVX512F__)
    for (; i + 16 <= n; i += 16) {
        __m256i halves = _mm512_cvtps_ph(_mm512_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        _mm256_storeu_si256((__m256i *)(void *)(rounded + i), halves);
    }
#elif defined(REAL_f16) && defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128((__m128i *)(void *)(rounded + i), halves);
    }
#endif
    for (; i < n; i++) {
        rounded[i] = to_real(x[i]);
    }
    pm_stream_copy((char *)out, (const char *)rounded, n * (int64_t)sizeof *rounded);
#endif
}

/* Exact. */
PM_INLINE float from_real(real x) {
#if defined(REAL_f32)
    return x;
#elif defined(REAL_bf16)
    return float_of((uint32_t)x << 16);
#else
    uint32_t sign = (uint32_t)(x & 0x8000) << 16, magnitude = x & 0x7fff;
    uint32_t normal = (magnitude << 13) + ((127 - 15) << 23);
    uint32_t special = (magnitude << 13) | 0x7f800000;
    /* With one exponent more, of which the leading one is taken off again. */
    uint32_t subnormal = bits_of(float_of((magnitude << 13) + ((127 - 14) << 23)) - 0x1p-14f);
    return float_of(sign | (magnitude >= 0x7c00 ? special : magnitude < 0x400 ? subnormal : normal));
#endif
}

#endif
