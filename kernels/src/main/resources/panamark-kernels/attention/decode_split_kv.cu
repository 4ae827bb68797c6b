/*
 * Paged decoding for few sequences: the keys of a sequence are cut into splits that run side by side and leave partial
 * results, which a second step merges.
 *
 * part [batch, heads, splits, HEAD_DIM + 2]: the sums of weighted values, the sum of the weights, and the largest score
 * (in units of log2) that both are relative to; -inf for a split without keys. The rest is in decode.cuh.
 */
#include "decode.cuh"

#define CHUNK 32 /* keys: a split is whole chunks */
#define PART (HEAD_DIM + 2)

/* Grid: [splits, kv_heads, batch], block: [128]. */
PM_KERNEL __launch_bounds__(THREADS)
    attention_decode_split(const element *q, const kv_element *kv, const float *ks, const int32_t *table,
                           const int32_t *lens, float *part, int pages, float scale) {
    const int splits = gridDim.x, len = lens[blockIdx.z], chunks = (len + CHUNK - 1) / CHUNK;
    const int each = (chunks + splits - 1) / splits * CHUNK;
    const int begin = min(blockIdx.x * each, len);
    const int64_t head = ((int64_t)blockIdx.z * gridDim.y + blockIdx.y) * GROUP;
    const cache c = {kv, ks, table + (int64_t)blockIdx.z * pages, gridDim.y, blockIdx.y};
    partial heads[GROUP];
    attend(heads, q + head * HEAD_DIM, c, begin, min(begin + each, len), scale * PM_LOG2E);
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        partial all = merged(heads[g]);
        float *to = part + ((head + g) * splits + blockIdx.x) * PART;
        if (threadIdx.x < PM_WARP) {
#pragma unroll
            for (int i = 0; i < OWN; i++) {
                int d = i * PM_WARP + threadIdx.x;
                if (d < HEAD_DIM) {
                    to[d] = all.sums[i];
                }
            }
            if (threadIdx.x == 0) {
                to[HEAD_DIM] = all.sum;
                to[HEAD_DIM + 1] = all.best;
            }
        }
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
