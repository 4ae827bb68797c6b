/*
 * Sequences cut into splits (blockIdx.x of gridDim.x) that leave partial results, and the step that merges them.
 *
 * part [batch, heads, splits, HEAD_DIM + 2]: the sums of weighted values, the sum of the weights, and the largest score
 * (in units of log2) that both are relative to; -inf for a split without keys.
 */
#ifndef PANAMARK_DECODE_MERGE_CUH
#define PANAMARK_DECODE_MERGE_CUH

#include "decode.cuh"

#define CHUNK 32 /* keys: a split is whole chunks */
#define PART (HEAD_DIM + 2)

/* Keys begin, begin + 1, ..., end - 1. */
struct range {
    int begin, end;
};

PM_DEVICE range split_of(int len) {
    const int splits = gridDim.x, chunks = (len + CHUNK - 1) / CHUNK;
    const int each = (chunks + splits - 1) / splits * CHUNK;
    const int begin = min(blockIdx.x * each, len);
    return {begin, min(begin + each, len)};
}

/* By one warp. */
PM_DEVICE void leave(const partial &all, float *to) {
    const int lane = threadIdx.x % PM_WARP;
#pragma unroll
    for (int i = 0; i < OWN; i++) {
        int d = i * PM_WARP + lane;
        if (d < HEAD_DIM) {
            to[d] = all.sums[i];
        }
    }
    if (lane == 0) {
        to[HEAD_DIM] = all.sum;
        to[HEAD_DIM + 1] = all.best;
    }
}

/* Grid: [heads, batch], block: [128], of which the first warp works. */
PM_KERNEL __launch_bounds__(THREADS)
    attention_decode_merge(const float *part, element *out, float *lse, int splits) {
    if (threadIdx.x >= PM_WARP) {
        return;
    }
    const int64_t head = (int64_t)blockIdx.y * gridDim.x + blockIdx.x;
    const float *own = part + head * splits * PART;
    partial all;
    all.clear();
    for (int s = 0; s < splits; s++) {
        all.best = fmaxf(all.best, own[s * PART + HEAD_DIM + 1]);
    }
    for (int s = 0; s < splits; s++) {
        const float *from = own + s * PART;
        if (from[HEAD_DIM + 1] == -INFINITY) {
            continue; /* no keys, and -inf - -inf is no number */
        }
        float weight = exp2f(from[HEAD_DIM + 1] - all.best);
        all.sum += weight * from[HEAD_DIM];
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            int d = i * PM_WARP + threadIdx.x;
            all.sums[i] += d < HEAD_DIM ? weight * from[d] : 0;
        }
    }
    finish(all, out + head * HEAD_DIM, lse + head);
}

#endif
