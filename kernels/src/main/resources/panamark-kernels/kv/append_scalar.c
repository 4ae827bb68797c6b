/*
 * Writes the newest token of each sequence into a paged cache, element by element; see append_vector.c.
 *
 * ELEMENT is set when compiled: the integer as wide as an element. Grid: [2, batch]; a block is the keys or the values of
 * one sequence.
 */
#include "../panamark_cpu.h"

void kv_append_scalar(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    ELEMENT *pool = PM_OUT(ELEMENT, args, 0);
    const int32_t *table = PM_IN(int32_t, args, 1), *lens = PM_IN(int32_t, args, 2);
    const ELEMENT *new = PM_IN(ELEMENT, args, 3);
    const int64_t pages = PM_NUMBER(int32_t, args, 4), width = PM_NUMBER(int32_t, args, 5);
    const int64_t pieces = PM_NUMBER(int32_t, args, 6), page = PM_NUMBER(int32_t, args, 7);
    const int64_t piece = width / pieces;

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        for (int64_t p = 0; p < pieces && lens[at.y] > 0; p++) {
            for (int64_t i = 0; i < piece; i++) {
                const int64_t position = lens[at.y] - 1;
                const int64_t id = table[at.y * pages + position / page], slot = position % page;
                pool[(((id * 2 + at.x) * pieces + p) * page + slot) * piece + i] =
                    new[(at.y * 2 + at.x) * width + p * piece + i];
            }
        }
    }
}
