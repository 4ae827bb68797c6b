/*
 * Copies a KV cache that lies in one piece: the control that the paged gather is measured against.
 *
 * Grid: [ceil(kv_len / chunk), 2, batch]; a block is a run of chunk tokens of the keys or the values of one sequence.
 */
#include "../stream.h"

void kv_gather_contiguous(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const char *kv = PM_IN(char, args, 0);
    char *out = PM_OUT(char, args, 1);
    const int64_t kv_len = PM_NUMBER(int32_t, args, 2), token_bytes = PM_NUMBER(int32_t, args, 3);
    const int64_t chunk = PM_NUMBER(int32_t, args, 4);

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        int64_t begin = at.x * chunk, end = pm_min(begin + chunk, kv_len);
        int64_t from = ((at.z * 2 + at.y) * kv_len + begin) * token_bytes;
        pm_stream_copy(out + from, kv + from, (end - begin) * token_bytes);
    }
    pm_stream_end();
}
