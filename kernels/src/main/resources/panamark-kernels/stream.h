/*
 * Stores that go past the caches: writing a line need not read it first, which a plain store does (measured: 5 to 25 %
 * more on the copies here). Only for buffers too large to be read again from cache. Plain stores where the compiler or
 * the host has none.
 */
#ifndef PANAMARK_STREAM_H
#define PANAMARK_STREAM_H

#include "panamark_cpu.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define PM_VECTOR_BYTES ((int64_t)sizeof(pm_vec))

/* to is aligned to a vector. */
PM_INLINE void pm_stream(float *to, pm_vec v) {
#if defined(__clang__)
    __builtin_nontemporal_store(v, (pm_vec *)to);
#elif defined(__AVX512F__)
    _mm512_stream_ps(to, (__m512)v);
#elif defined(__AVX__)
    _mm256_stream_ps(to, (__m256)v);
#elif defined(__SSE2__)
    _mm_stream_ps(to, (__m128)v);
#else
    *(pm_vec *)to = v;
#endif
}

/* Before a thread says that its blocks are done: streamed stores are not ordered with later plain ones. */
PM_INLINE void pm_stream_end(void) {
#if defined(__SSE2__)
    _mm_sfence();
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* A copy that streams all but the ends; pm_stream_end must follow the last one. */
PM_INLINE void pm_stream_copy(char *to, const char *from, int64_t bytes) {
    int64_t head = pm_min(-(int64_t)(uintptr_t)to & (PM_VECTOR_BYTES - 1), bytes);
    memcpy(to, from, (size_t)head);
    int64_t i = head;
    for (; i + PM_VECTOR_BYTES <= bytes; i += PM_VECTOR_BYTES) {
        pm_vec v; /* its bits; a load of floats changes none */
        memcpy(&v, from + i, sizeof v);
        pm_stream((float *)(void *)(to + i), v);
    }
    memcpy(to + i, from + i, (size_t)(bytes - i));
}

#endif
