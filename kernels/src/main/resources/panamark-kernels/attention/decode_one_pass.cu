/* Paged decoding: one block a sequence and key head. Grid: [kv_heads, batch], block: [128]; the rest is in decode.cuh. */
#include "decode.cuh"

PM_KERNEL __launch_bounds__(THREADS)
    attention_decode_one_pass(const element *q, const kv_element *kv, const float *ks, const int32_t *table,
                              const int32_t *lens, element *out, float *lse, int pages, float scale) {
    const int64_t head = ((int64_t)blockIdx.y * gridDim.x + blockIdx.x) * GROUP;
    const cache c = {kv, ks, table + (int64_t)blockIdx.y * pages, gridDim.x, blockIdx.x};
    partial heads[GROUP];
    attend(heads, q + head * HEAD_DIM, c, 0, lens[blockIdx.y], scale * PM_LOG2E);
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        partial all = merged(heads[g]);
        if (threadIdx.x < PM_WARP) {
            finish(all, out + (head + g) * HEAD_DIM, lse + head + g);
        }
    }
}
