/*
 * Gathers a paged KV cache into one piece per sequence, 16 bytes a thread; tokens past a sequence's length become zero.
 *
 * pool [num_pages, 2, page, kv_heads, head_dim] (NHD) or [num_pages, 2, kv_heads, page, head_dim] (HND) and table [batch,
 * pages] give out [batch, 2, kv_len, kv_heads, head_dim]. What of a token lies in one piece is its piece: all heads in NHD,
 * one head in HND; a piece is a multiple of 16 bytes. Grid: [ceil(pages / chunk), 2, batch]; a block is chunk pages of the
 * keys or the values of one sequence.
 */
#include "../panamark_cuda.cuh"

#define BYTES 16

PM_KERNEL kv_gather_paged(const char *pool, const int32_t *table, const int32_t *lens, char *out, int kv_len,
                          int token_bytes, int pieces, int page, int chunk) {
    const int pages = (kv_len + page - 1) / page, len = min(lens[blockIdx.z], kv_len);
    const int32_t *row = table + (int64_t)blockIdx.z * pages;
    const int each = token_bytes / BYTES, piece = token_bytes / pieces / BYTES;
    const int first = blockIdx.x * chunk * page, last = min(first + chunk * page, kv_len);
    char *to = out + ((int64_t)blockIdx.z * 2 + blockIdx.y) * kv_len * token_bytes;
    for (int i = threadIdx.x; i < (last - first) * each; i += blockDim.x) {
        const int token = first + i / each, at = i % each;
        uint4 value = make_uint4(0, 0, 0, 0);
        if (token < len) {
            /* The table is read only where the sequence has a token; 64 bits, since pools exceed 2 GiB. */
            const int64_t id = (int64_t)row[token / page] * 2 + blockIdx.y;
            const int64_t from = ((id * pieces + at / piece) * page + token % page) * piece + at % piece;
            value = reinterpret_cast<const uint4 *>(pool)[from];
        }
        reinterpret_cast<uint4 *>(to)[(int64_t)token * each + at] = value;
    }
}
