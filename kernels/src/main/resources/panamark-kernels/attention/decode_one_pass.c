/*
 * Decoding in one pass over keys and values: a block holds all heads that share a key head, so each key and value is
 * read once, and the softmax is brought up to date as they pass.
 *
 * Grid: [kv_heads, batch]. Options: see decode_online.h.
 */
#include "decode_online.h"

void attention_decode_one_pass(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const element *q = PM_IN(element, args, 0);
    const kv_element *kv = PM_IN(kv_element, args, 1);
    const float *ks = PM_IN(float, args, 2);
    const int32_t *table = PM_IN(int32_t, args, 3), *lens = PM_IN(int32_t, args, 4);
    element *out = PM_OUT(element, args, 5);
    float *lse = PM_OUT(float, args, 6);
    const int64_t pages = PM_NUMBER(int32_t, args, 7);
    const float scale = PM_NUMBER(float, args, 8) * PM_LOG2E;

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        paged p = {kv, ks, table + at.y * pages, grid[0], at.x};
        heads_state s;
        start(&s, q + number * GROUP * HEAD_DIM);
        attend(&s, &p, 0, lens[at.y], scale);
        for (int g = 0; g < GROUP; g++) {
            int64_t head = number * GROUP + g;
            finish_row(out + head * HEAD_DIM, lse + head, (const float *)s.out[g], s.sum[g], s.best[g]);
        }
    }
}
