/*
 * Gathers a paged KV cache into one piece per sequence; tokens past a sequence's length become zero.
 *
 * pool [num_pages, 2, page, kv_heads, head_dim] (NHD) or [num_pages, 2, kv_heads, page, head_dim] (HND) and table [batch,
 * pages] give out [batch, 2, kv_len, kv_heads, head_dim]. What of a token lies in one piece is its piece: all heads in NHD,
 * one head in HND. Grid: [ceil(pages / chunk), 2, batch]; a block is chunk pages of the keys or the values of one sequence.
 */
#include "../stream.h"

/* Gathers the valid tokens of one page. */
static void gather_page(char *out, const char *page, int64_t valid, int64_t pieces, int64_t piece_bytes,
                        int64_t page_tokens) {
    if (pieces == 1) {
        pm_stream_copy(out, page, valid * piece_bytes);
        return;
    }
    for (int64_t token = 0; token < valid; token++) {
        for (int64_t piece = 0; piece < pieces; piece++) {
            pm_stream_copy(out, page + (piece * page_tokens + token) * piece_bytes, piece_bytes);
            out += piece_bytes;
        }
    }
}

void kv_gather_paged(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const char *pool = PM_IN(char, args, 0);
    const int32_t *table = PM_IN(int32_t, args, 1), *lens = PM_IN(int32_t, args, 2);
    char *out = PM_OUT(char, args, 3);
    const int64_t kv_len = PM_NUMBER(int32_t, args, 4), token_bytes = PM_NUMBER(int32_t, args, 5);
    const int64_t pieces = PM_NUMBER(int32_t, args, 6);
    const int64_t page = PM_NUMBER(int32_t, args, 7), chunk = PM_NUMBER(int32_t, args, 8);
    const int64_t pages = (kv_len + page - 1) / page;

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        const int32_t *row = table + at.z * pages;
        char *to = out + (at.z * 2 + at.y) * kv_len * token_bytes;
        const int64_t len = pm_min(lens[at.z], kv_len);
        for (int64_t p = at.x * chunk; p < pm_min((at.x + 1) * chunk, pages); p++) {
            int64_t token = p * page, room = pm_min(page, kv_len - token);
            int64_t valid = len > token ? pm_min(room, len - token) : 0;
            if (valid > 0) {
                /* The table is read only where the sequence has a token; 64 bits, since pools exceed 2 GiB. */
                const char *from = pool + ((int64_t)row[p] * 2 + at.y) * page * token_bytes;
                gather_page(to + token * token_bytes, from, valid, pieces, token_bytes / pieces, page);
            }
            if (room > valid) {
                memset(to + (token + valid) * token_bytes, 0, (size_t)((room - valid) * token_bytes));
            }
        }
    }
    pm_stream_end();
}
