/*
 * Paged decoding, one query a sequence: a warp takes keys one by one for the GROUP heads that share a key head, with an
 * online softmax, and the warps of a block are merged at the end.
 *
 * Pool kv [num_pages, 2, PAGE, kv_heads, head_dim], keys first; table [batch, pages]; lens [batch]. Stored numbers times
 * their scale are the keys and values: SCALES is 0 (none), 1 (ks [1, 2, 1, kv_heads]) or 2 (ks [num_pages, 2, PAGE,
 * kv_heads]). HEAD_DIM, PAGE, TYPE (of q and out), KV_TYPE, SCALES and GROUP are set when compiled.
 */
#ifndef PANAMARK_DECODE_CUH
#define PANAMARK_DECODE_CUH

#include "../panamark_cuda.cuh"

typedef PM_TYPE(TYPE) element;
typedef PM_TYPE(KV_TYPE) kv_element;

#define WARPS 4
#define THREADS (WARPS * PM_WARP)
#define OWN ((HEAD_DIM + PM_WARP - 1) / PM_WARP) /* dims of a lane: lane, lane + 32, ... */

/* Number d of a key or value; packed numbers lie two in an element. */
template <typename T> PM_DEVICE float number_at(const T *from, int d) {
    return pm_float(from[d]);
}

PM_DEVICE float number_at(const pm_int4 *from, int d) {
    return (float)((from[d / 2].bits >> d % 2 * 4 & 15) - 8);
}

template <typename T> struct packed {
    static const int numbers = 1;
};

template <> struct packed<pm_int4> {
    static const int numbers = 2;
};

struct cache {
    const kv_element *kv;
    const float *ks;
    const int32_t *pages; /* this sequence's row of the table */
    int64_t kv_heads, kv_head;

    /* Where the key (plane 0) or value (plane 1) of a token lies, counted in heads of tokens. */
    __device__ __forceinline__ int64_t place(int plane, int token) const {
        int64_t page = pages[token / PAGE];
        return ((page * 2 + plane) * PAGE + token % PAGE) * kv_heads + kv_head;
    }

    __device__ __forceinline__ float scale(int plane, int64_t place) const {
        return SCALES == 2 ? ks[place] : SCALES == 1 ? ks[plane * kv_heads + kv_head] : 1;
    }

    /* This lane's numbers, scaled. */
    __device__ __forceinline__ void read(int plane, int token, float *to) const {
        int64_t at = place(plane, token);
        float by = scale(plane, at);
        const kv_element *from = kv + at * (HEAD_DIM / packed<kv_element>::numbers);
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            int d = i * PM_WARP + threadIdx.x % PM_WARP;
            to[i] = d < HEAD_DIM ? number_at(from, d) * by : 0;
        }
    }
};

/* What is known of a head after some keys; the largest score is in units of log2, -inf before the first. */
struct partial {
    float sums[OWN];
    float sum, best;

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            sums[i] = 0;
        }
        sum = 0;
        best = -INFINITY;
    }

    __device__ __forceinline__ void scale_to(float most) {
        float shrink = most == -INFINITY ? 1 : exp2f(best - most);
        best = most;
        sum *= shrink;
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            sums[i] *= shrink;
        }
    }

    __device__ __forceinline__ void take(float score, const float *value) {
        scale_to(fmaxf(best, score));
        float weight = exp2f(score - best);
        sum += weight;
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            sums[i] += weight * value[i];
        }
    }
};

/* The keys begin, ..., end - 1, of which the warps of the block take turns; what each warp saw is in its partials. */
static __device__ void attend(partial *heads, const element *q, const cache &c, int begin, int end, float scale) {
    const int lane = threadIdx.x % PM_WARP, warp = threadIdx.x / PM_WARP;
    float query[GROUP][OWN];
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        heads[g].clear();
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            int d = i * PM_WARP + lane;
            query[g][i] = d < HEAD_DIM ? pm_float(q[g * HEAD_DIM + d]) * scale : 0;
        }
    }
    for (int token = begin + warp; token < end; token += WARPS) {
        float key[OWN], value[OWN];
        c.read(0, token, key);
        c.read(1, token, value);
#pragma unroll
        for (int g = 0; g < GROUP; g++) {
            float product = 0;
#pragma unroll
            for (int i = 0; i < OWN; i++) {
                product += query[g][i] * key[i];
            }
            heads[g].take(pm_warp_sum(product), value);
        }
    }
}

/* Merges a head over the warps of the block; the first warp has the result. */
static __device__ partial merged(const partial &own) {
    __shared__ float sums[WARPS][HEAD_DIM];
    __shared__ float sum[WARPS], best[WARPS];
    const int lane = threadIdx.x % PM_WARP, warp = threadIdx.x / PM_WARP;
    __syncthreads(); /* the head before has been read */
#pragma unroll
    for (int i = 0; i < OWN; i++) {
        int d = i * PM_WARP + lane;
        if (d < HEAD_DIM) {
            sums[warp][d] = own.sums[i];
        }
    }
    if (lane == 0) {
        sum[warp] = own.sum;
        best[warp] = own.best;
    }
    __syncthreads();
    partial all;
    all.clear();
    for (int w = 0; w < WARPS; w++) {
        all.best = fmaxf(all.best, best[w]);
    }
    for (int w = 0; w < WARPS; w++) {
        float weight = best[w] == -INFINITY ? 0 : exp2f(best[w] - all.best);
        all.sum += weight * sum[w];
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            int d = i * PM_WARP + lane;
            all.sums[i] += d < HEAD_DIM ? weight * sums[w][d] : 0;
        }
    }
    return all;
}

/* By one warp: sums over sum, the whole weight; without keys 0 and an lse of -inf. */
static __device__ void finish(const partial &all, element *out, float *lse) {
    const int lane = threadIdx.x % PM_WARP;
#pragma unroll
    for (int i = 0; i < OWN; i++) {
        int d = i * PM_WARP + lane;
        if (d < HEAD_DIM) {
            pm_put(out + d, all.sum == 0 ? 0 : all.sums[i] / all.sum);
        }
    }
    if (lane == 0) {
        *lse = all.sum == 0 ? -INFINITY : (all.best + log2f(all.sum)) * PM_LN2;
    }
}

#endif
