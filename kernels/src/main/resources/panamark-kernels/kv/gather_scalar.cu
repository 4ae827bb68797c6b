/*
 * Gathers a paged KV cache element by element: every thread finds page, slot and place of its element by itself.
 *
 * Layouts as in gather_paged.cu; pieces is 1 for NHD, kv_heads for HND. ELEMENT is set when compiled: the integer as wide
 * as an element. Grid: [kv_len, 2, batch]; a block is one token's keys or values.
 */
#include "../panamark_cuda.cuh"

PM_KERNEL kv_gather_scalar(const ELEMENT *pool, const int32_t *table, const int32_t *lens, ELEMENT *out, int kv_len,
                           int width, int pieces, int page) {
    const int token = blockIdx.x, pages = (kv_len + page - 1) / page, piece = width / pieces;
    const int64_t sequence = blockIdx.z;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        ELEMENT value = 0;
        if (token < lens[sequence]) {
            const int64_t id = table[sequence * pages + token / page], slot = token % page;
            value = pool[(((id * 2 + blockIdx.y) * pieces + i / piece) * page + slot) * piece + i % piece];
        }
        out[((sequence * 2 + blockIdx.y) * kv_len + token) * width + i] = value;
    }
}
