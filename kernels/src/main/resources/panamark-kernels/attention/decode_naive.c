/*
 * Decoding as the textbook has it: for each head of each sequence the scores, the softmax, the weighted sum of values.
 * Heads that share keys and values read them once each. The baseline of the other decode kernels.
 *
 * Grid: [heads, batch]; a block is one head of one sequence. Options: see paged.h.
 */
#include "paged.h"

static float dot(const float *a, const float *b) {
    pm_vec sum = {0};
    int i = 0;
    for (; i + PM_LANES <= HEAD_DIM; i += PM_LANES) {
        sum += pm_load(a + i) * pm_load(b + i);
    }
    float total = pm_sum_lanes(sum);
    for (; i < HEAD_DIM; i++) {
        total += a[i] * b[i];
    }
    return total;
}

/* Scores in units of log2; returns the largest. */
static float score(const paged *p, const float *q, int64_t len, float scale, float *scores) {
    float best = -__builtin_inff(), key[HEAD_DIM];
    for (int64_t j = 0; j < len; j++) {
        float own = paged_read(p, 0, j, key);
        scores[j] = dot(q, key) * (own * scale);
        best = scores[j] > best ? scores[j] : best;
    }
    return best;
}

/* Scores become 2^(score - best); returns their sum. */
static float exponentiate(float *scores, int64_t len, float best) {
    float sum = 0;
    for (int64_t j = 0; j < len; j++) {
        scores[j] = pm_exp2(pm_splat(scores[j] - best))[0];
        sum += scores[j];
    }
    return sum;
}

static void weigh_values(const paged *p, const float *weights, int64_t len, float *sums) {
    float value[HEAD_DIM];
    memset(sums, 0, HEAD_DIM * sizeof(float));
    for (int64_t j = 0; j < len; j++) {
        float weight = paged_read(p, 1, j, value) * weights[j];
        for (int d = 0; d < HEAD_DIM; d++) {
            sums[d] += weight * value[d];
        }
    }
}

void attention_decode_naive(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const element *q = PM_IN(element, args, 0);
    const kv_element *kv = PM_IN(kv_element, args, 1);
    const float *ks = PM_IN(float, args, 2);
    const int32_t *table = PM_IN(int32_t, args, 3), *lens = PM_IN(int32_t, args, 4);
    float *scores = PM_OUT(float, args, 5);
    element *out = PM_OUT(element, args, 6);
    float *lse = PM_OUT(float, args, 7);
    const int64_t kv_heads = PM_NUMBER(int32_t, args, 8), pages = PM_NUMBER(int32_t, args, 9);
    const int64_t kv_len = PM_NUMBER(int32_t, args, 10);
    const float scale = PM_NUMBER(float, args, 11) * PM_LOG2E;
    const int64_t heads = grid[0];

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        paged p = {kv, ks, table + at.y * pages, kv_heads, at.x / (heads / kv_heads)};
        float row[HEAD_DIM], sums[HEAD_DIM], *own = scores + number * kv_len;
        int64_t len = lens[at.y];
        widen_query(q + number * HEAD_DIM, row);
        float best = score(&p, row, len, scale, own);
        float sum = exponentiate(own, len, best);
        weigh_values(&p, own, len, sums);
        finish_row(out + number * HEAD_DIM, lse + number, sums, sum, best);
    }
}
