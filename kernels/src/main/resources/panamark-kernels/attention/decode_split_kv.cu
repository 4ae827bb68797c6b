/*
 * Paged decoding for few sequences: the keys of a sequence are cut into splits that run side by side and leave partial
 * results, which a second step merges (decode_merge.cuh). The rest is in decode.cuh.
 */
#include "decode_merge.cuh"

/* Grid: [splits, kv_heads, batch], block: [128]. */
PM_KERNEL __launch_bounds__(THREADS)
    attention_decode_split(const element *q, const kv_element *kv, const float *ks, const int32_t *table,
                           const int32_t *lens, float *part, int pages, float scale) {
    const range own = split_of(lens[blockIdx.z]);
    const int64_t head = ((int64_t)blockIdx.z * gridDim.y + blockIdx.y) * GROUP;
    const cache c = {kv, ks, table + (int64_t)blockIdx.z * pages, gridDim.y, blockIdx.y};
    partial heads[GROUP];
    attend(heads, q + head * HEAD_DIM, c, own.begin, own.end, scale * PM_LOG2E);
#pragma unroll
    for (int g = 0; g < GROUP; g++) {
        partial all = merged(heads[g]);
        if (threadIdx.x < PM_WARP) {
            leave(all, part + ((head + g) * gridDim.x + blockIdx.x) * PART);
        }
    }
}
