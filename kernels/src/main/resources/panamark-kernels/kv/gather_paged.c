/*
 * Gathers a paged KV cache into one piece per sequence; tokens past a sequence's length become zero.
 *
 * pool [num_pages, 2, page, kv_heads, head_dim] and table [batch, pages] give out [batch, 2, kv_len, kv_heads,
 * head_dim]. Grid: [ceil(pages / chunk), 2, batch]; a block is chunk pages of the keys or the values of one sequence.
 */
#include "../stream.h"

/* Gathers one page's worth of a sequence into out. The table is read only where the sequence has a token. */
static void gather_page(char *out, const char *pool, const int32_t *entry, int64_t half, int64_t valid, int64_t room,
                        int64_t page, int64_t token_bytes) {
    if (valid > 0) {
        /* 64 bits: a pool of more than 2 GiB is common */
        int64_t from = ((int64_t)*entry * 2 + half) * page * token_bytes;
        pm_stream_copy(out, pool + from, valid * token_bytes);
    }
    if (room > valid) {
        memset(out + valid * token_bytes, 0, (size_t)((room - valid) * token_bytes));
    }
}

void kv_gather_paged(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const char *pool = PM_IN(char, args, 0);
    const int32_t *table = PM_IN(int32_t, args, 1), *lens = PM_IN(int32_t, args, 2);
    char *out = PM_OUT(char, args, 3);
    const int64_t kv_len = PM_NUMBER(int32_t, args, 4), token_bytes = PM_NUMBER(int32_t, args, 5);
    const int64_t page = PM_NUMBER(int32_t, args, 6), chunk = PM_NUMBER(int32_t, args, 7);
    const int64_t pages = (kv_len + page - 1) / page;

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        const int32_t *row = table + at.z * pages;
        char *to = out + (at.z * 2 + at.y) * kv_len * token_bytes;
        const int64_t len = pm_min(lens[at.z], kv_len);
        for (int64_t p = at.x * chunk; p < pm_min((at.x + 1) * chunk, pages); p++) {
            int64_t token = p * page, room = pm_min(page, kv_len - token);
            int64_t valid = len > token ? pm_min(room, len - token) : 0;
            gather_page(to + token * token_bytes, pool, row + p, at.y, valid, room, page, token_bytes);
        }
    }
    pm_stream_end();
}
