/*
 * Paged keys and values of decoding, one query a sequence.
 *
 * Pool kv [num_pages, 2, page, kv_heads, WIDTH], keys first; table [batch, pages]; lens [batch]. Stored numbers times
 * their scale are the keys and values: SCALES is 0 (none), 1 (one for the keys and one for the values of a head, ks [1,
 * 2, 1, kv_heads]) or 2 (one for each of a token and head, ks [num_pages, 2, page, kv_heads]).
 *
 * HEAD_DIM, PAGE, TYPE (of q and out), KV_TYPE and SCALES are set when compiled.
 */
#ifndef PANAMARK_PAGED_H
#define PANAMARK_PAGED_H

#include "elements.h"
#include "softmax.h"

#define PM_IS_int4 2
#define PM_IS_f32 1
#define PM_IS_f16 1
#define PM_IS_bf16 1
#define PM_IS_e4m3 1
#define PM_IS_i8 1
#define PM_PACKED PM_JOIN(PM_IS_, KV_TYPE) /* numbers in an element */
#define WIDTH (HEAD_DIM / PM_PACKED)       /* elements of a key */

typedef PM_TYPE(TYPE) element;
typedef PM_TYPE(KV_TYPE) kv_element;

typedef struct {
    const kv_element *kv;
    const float *ks;
    const int32_t *pages; /* this sequence's row of the table */
    int64_t kv_heads, kv_head;
} paged;

/* n numbers from a place on, a whole number of elements. */
PM_INLINE void widen_numbers(const kv_element *from, float *to, int n) {
    int d = 0;
    for (; d + PM_LANES <= n; d += PM_LANES) {
        pm_store(to + d, PM_WIDEN(KV_TYPE)(from + d / PM_PACKED));
    }
    for (; d < n; d++) {
#if PM_PACKED == 2
        to[d] = (float)((from[d / 2] >> d % 2 * 4 & 15) - 8);
#else
        to[d] = PM_VALUE(KV_TYPE)(from[d]);
#endif
    }
}

/* Where the key (plane 0) or value (plane 1) of a token lies, counted in heads of tokens. */
PM_INLINE int64_t paged_place(const paged *p, int plane, int64_t token) {
    int64_t page = p->pages[token / PAGE];
    return ((page * 2 + plane) * PAGE + token % PAGE) * p->kv_heads + p->kv_head;
}

PM_INLINE float paged_scale(const paged *p, int plane, int64_t place) {
    (void)p, (void)plane, (void)place;
#if SCALES == 2
    return p->ks[place];
#elif SCALES == 1
    return p->ks[plane * p->kv_heads + p->kv_head];
#else
    return 1;
#endif
}

/* Reads a key or value without its scale, which is returned. */
PM_INLINE float paged_read(const paged *p, int plane, int64_t token, float *to) {
    int64_t place = paged_place(p, plane, token);
    widen_numbers(p->kv + place * WIDTH, to, HEAD_DIM);
    return paged_scale(p, plane, place);
}

/*
 * Has the second-level cache fetch a token's key and value: pages lie scattered, and heads of tokens apart. The first
 * level is full of what was widened.
 */
PM_INLINE void paged_prefetch(const paged *p, int64_t token) {
    for (int plane = 0; plane < 2; plane++) {
        const char *at = (const char *)(p->kv + paged_place(p, plane, token) * WIDTH);
        for (size_t byte = 0; byte < WIDTH * sizeof(kv_element); byte += 64) {
            __builtin_prefetch(at + byte, 0, 2);
        }
    }
}

PM_INLINE void widen_query(const element *from, float *to) {
    for (int d = 0; d < HEAD_DIM; d++) {
        to[d] = PM_VALUE(TYPE)(from[d]);
    }
}

/* out = sums / sum, the whole weight; without keys 0 and an lse of -inf. best: the largest score in units of log2. */
PM_INLINE void finish_row(element *out, float *lse, const float *sums, float sum, float best) {
    for (int d = 0; d < HEAD_DIM; d++) {
        out[d] = PM_NARROW(TYPE)(sum == 0 ? 0 : sums[d] / sum);
    }
    *lse = sum == 0 ? -__builtin_inff() : (float)(((double)best + pm_log2(sum)) * PM_LN2);
}

#endif
