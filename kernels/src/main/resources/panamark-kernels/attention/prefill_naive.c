/*
 * Causal attention as the textbook has it: for each query row the scores, the softmax, the weighted sum of values, each
 * a pass over memory. The baseline that the blocked kernel is measured against, and simple enough to be trusted.
 *
 * HEAD_DIM is set when compiled. Grid: [seq, heads, batch]; a block is one query row of one head.
 */
#include "softmax.h"

typedef struct {
    const float *q, *k, *v; /* this row, and the first key and value of its head */
    float *scores, *out;
    int64_t keys, stride; /* keys that this row sees; floats from one key to the next */
    float scale;
} query_row;

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

/* Scores in units of log2, so that the softmax needs 2^x only; returns the largest. */
static float score(const query_row *row) {
    float best = -__builtin_inff();
    for (int64_t j = 0; j < row->keys; j++) {
        float s = dot(row->q, row->k + j * row->stride) * (row->scale * PM_LOG2E);
        row->scores[j] = s;
        best = s > best ? s : best;
    }
    return best;
}

/* Scores become 2^(score - best); returns their sum. */
static float exponentiate(const query_row *row, float best) {
    pm_vec sum = {0};
    for (int64_t j = 0; j < row->keys; j += PM_LANES) {
        float lane[PM_LANES];
        int64_t n = pm_min(PM_LANES, row->keys - j);
        for (int i = 0; i < PM_LANES; i++) {
            lane[i] = i < n ? row->scores[j + i] - best : -__builtin_inff();
        }
        pm_vec p = pm_exp2(pm_load(lane));
        pm_store(lane, p);
        memcpy(row->scores + j, lane, (size_t)n * sizeof(float));
        sum += p;
    }
    return pm_sum_lanes(sum);
}

static void weigh_values(const query_row *row, float sum) {
    float total[HEAD_DIM] = {0};
    for (int64_t j = 0; j < row->keys; j++) {
        const float *value = row->v + j * row->stride;
        for (int d = 0; d < HEAD_DIM; d++) {
            total[d] += row->scores[j] * value[d];
        }
    }
    for (int d = 0; d < HEAD_DIM; d++) {
        row->out[d] = total[d] / sum;
    }
}

void attention_prefill_naive(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *q = PM_IN(float, args, 0), *k = PM_IN(float, args, 1), *v = PM_IN(float, args, 2);
    float *scores = PM_OUT(float, args, 3), *out = PM_OUT(float, args, 4);
    const int64_t kv_heads = PM_NUMBER(int32_t, args, 5);
    const float scale = PM_NUMBER(float, args, 6);
    const int64_t seq = grid[0], heads = grid[1];

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        int64_t query = ((at.z * seq + at.x) * heads + at.y) * HEAD_DIM;
        int64_t keys = (at.z * seq * kv_heads + at.y / (heads / kv_heads)) * HEAD_DIM;
        query_row row = {
            q + query, k + keys, v + keys, scores + number * seq, out + query, at.x + 1, kv_heads * HEAD_DIM, scale};
        weigh_values(&row, exponentiate(&row, score(&row)));
    }
}
