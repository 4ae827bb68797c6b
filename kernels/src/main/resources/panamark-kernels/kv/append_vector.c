/*
 * Writes the newest token of each sequence, new [batch, 2, kv_heads, head_dim], into a paged cache whose pages are there
 * already. lens counts the new token: it goes to position lens - 1; a sequence of length 0 has none.
 *
 * Layouts and pieces as in gather_paged.c. Grid: [2, batch]; a block is the keys or the values of one sequence.
 */
#include "../panamark_cpu.h"

void kv_append_vector(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    char *pool = PM_OUT(char, args, 0);
    const int32_t *table = PM_IN(int32_t, args, 1), *lens = PM_IN(int32_t, args, 2);
    const char *new = PM_IN(char, args, 3);
    const int64_t pages = PM_NUMBER(int32_t, args, 4), token_bytes = PM_NUMBER(int32_t, args, 5);
    const int64_t pieces = PM_NUMBER(int32_t, args, 6), page = PM_NUMBER(int32_t, args, 7);
    const int64_t piece_bytes = token_bytes / pieces;

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        const int64_t position = lens[at.y] - 1;
        if (position < 0) {
            continue;
        }
        const char *from = new + (at.y * 2 + at.x) * token_bytes;
        char *to = pool + ((int64_t)table[at.y * pages + position / page] * 2 + at.x) * page * token_bytes +
                   position % page * piece_bytes;
        for (int64_t piece = 0; piece < pieces; piece++) {
            memcpy(to + piece * page * piece_bytes, from + piece * piece_bytes, (size_t)piece_bytes);
        }
    }
}
