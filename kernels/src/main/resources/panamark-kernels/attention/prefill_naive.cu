/*
 * Attention as the formula is written: the scores of a query with all its keys, their softmax, the weighted values. One
 * block a query and head, scores in global memory.
 *
 * q [batch, seq, heads, HEAD_DIM], k and v [batch, keys, kv_heads, HEAD_DIM], scores [batch, heads, seq, keys], out like q.
 * Grid: [seq, heads, batch]; any block of whole warps up to 1024 threads. HEAD_DIM and TYPE are set when compiled.
 */
#include "prefill.cuh"

/* Over the whole block; every thread gets it. */
template <bool SUM> static __device__ float block_reduce(float x) {
    __shared__ float warps[PM_WARP];
    x = SUM ? pm_warp_sum(x) : pm_warp_max(x);
    __syncthreads(); /* the reduction before this one has been read */
    if (threadIdx.x % PM_WARP == 0) {
        warps[threadIdx.x / PM_WARP] = x;
    }
    __syncthreads();
    float all = warps[0];
    for (int w = 1; w < blockDim.x / PM_WARP; w++) {
        all = SUM ? all + warps[w] : fmaxf(all, warps[w]);
    }
    return all;
}

PM_KERNEL attention_prefill_naive(const element *q, const element *k, const element *v, float *scores, element *out,
                                  int keys, int kv_heads, int causal, int window, float scale, float softcap) {
    const int seq = gridDim.x, heads = gridDim.y, row = blockIdx.x, head = blockIdx.y;
    const int64_t batch = blockIdx.z;
    const span seen = keys_of(row, seq, keys, causal, window);
    const int kv_head = head / (heads / kv_heads);
    const element *query = q + ((batch * seq + row) * heads + head) * HEAD_DIM;
    const int64_t stride = (int64_t)kv_heads * HEAD_DIM;
    const element *key = k + batch * keys * stride + kv_head * HEAD_DIM;
    const element *value = v + batch * keys * stride + kv_head * HEAD_DIM;
    float *own = scores + ((batch * heads + head) * seq + row) * keys;

    float best = -INFINITY;
    for (int j = seen.begin + threadIdx.x; j < seen.end; j += blockDim.x) {
        float sum = 0;
        for (int d = 0; d < HEAD_DIM; d++) {
            sum += pm_float(query[d]) * pm_float(key[j * stride + d]);
        }
        own[j] = capped(sum * scale, softcap);
        best = fmaxf(best, own[j]);
    }
    best = block_reduce<false>(best);
    float sum = 0;
    for (int j = seen.begin + threadIdx.x; j < seen.end; j += blockDim.x) {
        float weight = expf(own[j] - best);
        own[j] = weight;
        sum += weight;
    }
    sum = block_reduce<true>(sum); /* its barriers also make all weights visible to the block */
    for (int d = threadIdx.x; d < HEAD_DIM; d += blockDim.x) {
        float weighted = 0;
        for (int j = seen.begin; j < seen.end; j++) {
            weighted += own[j] * pm_float(value[j * stride + d]);
        }
        pm_put(out + ((batch * seq + row) * heads + head) * HEAD_DIM + d, sum == 0 ? 0 : weighted / sum);
    }
}
