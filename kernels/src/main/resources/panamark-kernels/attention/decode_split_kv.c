/*
 * Decoding where there are more threads than pairs of sequence and key head: the keys of a sequence are cut into splits
 * that run side by side and leave partial results, which a second step merges.
 *
 * part [batch, heads, splits, HEAD_DIM + 2]: the sums of weighted values, the sum of the weights, and the largest score
 * (in units of log2) that both are relative to; -inf for a split without keys. Options: see decode_online.h.
 */
#include "decode_online.h"

#define PART (HEAD_DIM + 2)

/* Grid: [splits, kv_heads, batch]. Splits are whole chunks of KEYS, and equal but for the last of a sequence. */
void attention_decode_split(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const element *q = PM_IN(element, args, 0);
    const kv_element *kv = PM_IN(kv_element, args, 1);
    const float *ks = PM_IN(float, args, 2);
    const int32_t *table = PM_IN(int32_t, args, 3), *lens = PM_IN(int32_t, args, 4);
    float *part = PM_OUT(float, args, 5);
    const int64_t pages = PM_NUMBER(int32_t, args, 6);
    const float scale = PM_NUMBER(float, args, 7) * PM_LOG2E;
    const int64_t splits = grid[0], kv_heads = grid[1];

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        int64_t len = lens[at.z], chunks = (len + KEYS - 1) / KEYS;
        int64_t each = (chunks + splits - 1) / splits * KEYS;
        int64_t begin = pm_min(at.x * each, len), head = (at.z * kv_heads + at.y) * GROUP;
        paged p = {kv, ks, table + at.z * pages, kv_heads, at.y};
        heads_state s;
        start(&s, q + head * HEAD_DIM);
        attend(&s, &p, begin, pm_min(begin + each, len), scale);
        for (int g = 0; g < GROUP; g++) {
            float *to = part + ((head + g) * splits + at.x) * PART;
            memcpy(to, s.out[g], HEAD_DIM * sizeof(float));
            to[HEAD_DIM] = s.sum[g];
            to[HEAD_DIM + 1] = s.best[g];
        }
    }
}

/* Grid: [heads, batch]. */
void attention_decode_merge(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *part = PM_IN(float, args, 0);
    element *out = PM_OUT(element, args, 1);
    float *lse = PM_OUT(float, args, 2);
    const int64_t splits = PM_NUMBER(int32_t, args, 3);
    (void)grid;

    for (int64_t head = first; head < last; head++) {
        const float *own = part + head * splits * PART;
        float best = -__builtin_inff(), sum = 0, sums[HEAD_DIM] = {0};
        for (int64_t s = 0; s < splits; s++) {
            float b = own[s * PART + HEAD_DIM + 1];
            best = b > best ? b : best;
        }
        for (int64_t s = 0; s < splits; s++) {
            const float *from = own + s * PART;
            if (from[HEAD_DIM + 1] == -__builtin_inff()) {
                continue; /* no keys, and -inf - -inf is no number */
            }
            float weight = pm_exp2(pm_splat(from[HEAD_DIM + 1] - best))[0];
            sum += weight * from[HEAD_DIM];
            for (int d = 0; d < HEAD_DIM; d++) {
                sums[d] += weight * from[d];
            }
        }
        finish_row(out + head * HEAD_DIM, lse + head, sums, sum, best);
    }
}
