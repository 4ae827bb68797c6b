/*
 * Gathers vLLM's legacy paged layout element by element: keys [num_pages, kv_heads, head_dim / x, page, x] with x elements
 * in 16 bytes, values [num_pages, kv_heads, head_dim, page], to out [batch, 2, kv_len, kv_heads, head_dim].
 *
 * ELEMENT is set when compiled: the integer as wide as an element. Grid: [kv_len, batch]; a block is one token.
 */
#include "../panamark_cpu.h"

#define X ((int64_t)(16 / sizeof(ELEMENT)))

void kv_gather_vllm_scalar(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const ELEMENT *k = PM_IN(ELEMENT, args, 0), *v = PM_IN(ELEMENT, args, 1);
    const int32_t *table = PM_IN(int32_t, args, 2), *lens = PM_IN(int32_t, args, 3);
    ELEMENT *out = PM_OUT(ELEMENT, args, 4);
    const int64_t kv_len = PM_NUMBER(int32_t, args, 5), heads = PM_NUMBER(int32_t, args, 6);
    const int64_t dim = PM_NUMBER(int32_t, args, 7), page = PM_NUMBER(int32_t, args, 8);
    const int64_t pages = (kv_len + page - 1) / page;

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        const int64_t token = at.x, slot = token % page;
        for (int64_t head = 0; head < heads; head++) {
            for (int64_t d = 0; d < dim; d++) {
                ELEMENT key = 0, value = 0;
                if (token < lens[at.y]) {
                    const int64_t id = table[at.y * pages + token / page];
                    key = k[(((id * heads + head) * (dim / X) + d / X) * page + slot) * X + d % X];
                    value = v[((id * heads + head) * dim + d) * page + slot];
                }
                int64_t to = ((at.y * 2 * kv_len + token) * heads + head) * dim + d;
                out[to] = key;
                out[to + kv_len * heads * dim] = value;
            }
        }
    }
}
