/*
 * Gathers a paged KV cache element by element: every element finds its page, its slot and its place by itself.
 *
 * Layouts as in gather_paged.c; pieces is 1 for NHD, kv_heads for HND. ELEMENT is set when compiled: the integer as wide
 * as an element. Grid: [kv_len, 2, batch]; a block is one token's keys or values.
 */
#include "../panamark_cpu.h"

void kv_gather_scalar(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const ELEMENT *pool = PM_IN(ELEMENT, args, 0);
    const int32_t *table = PM_IN(int32_t, args, 1), *lens = PM_IN(int32_t, args, 2);
    ELEMENT *out = PM_OUT(ELEMENT, args, 3);
    const int64_t kv_len = PM_NUMBER(int32_t, args, 4), width = PM_NUMBER(int32_t, args, 5);
    const int64_t pieces = PM_NUMBER(int32_t, args, 6), page = PM_NUMBER(int32_t, args, 7);
    const int64_t pages = (kv_len + page - 1) / page, piece = width / pieces;

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        const int64_t token = at.x;
        for (int64_t p = 0; p < pieces; p++) {
            for (int64_t i = 0; i < piece; i++) {
                ELEMENT value = 0;
                if (token < lens[at.z]) {
                    const int64_t id = table[at.z * pages + token / page], slot = token % page;
                    value = pool[(((id * 2 + at.y) * pieces + p) * page + slot) * piece + i];
                }
                out[((at.z * 2 + at.y) * kv_len + token) * width + p * piece + i] = value;
            }
        }
    }
}
