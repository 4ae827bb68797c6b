/*
 * Attention as the textbook has it: for each query row the scores, the softmax, the weighted sum of values, each a pass
 * over memory. The baseline that the blocked kernel is measured against, and simple enough to be trusted.
 *
 * HEAD_DIM and TYPE (of q, k, v, out) are set when compiled. Grid: [seq, heads, batch]; a block is one query row of one
 * head.
 */
#include "elements.h"
#include "softmax.h"

typedef PM_TYPE(TYPE) element;

typedef struct {
    float q[HEAD_DIM];
    const element *k, *v; /* the first key and value that this row sees */
    float *scores;
    element *out;
    int64_t keys, stride; /* keys that it sees; elements from one key to the next */
    float scale, cap;
} query_row;

static void widen_row(const element *from, float *to) {
    for (int d = 0; d < HEAD_DIM; d++) {
        to[d] = PM_VALUE(TYPE)(from[d]);
    }
}

static float dot(const float *a, const element *b) {
    pm_vec sum = {0};
    int i = 0;
    for (; i + PM_LANES <= HEAD_DIM; i += PM_LANES) {
        sum += pm_load(a + i) * PM_WIDEN(TYPE)(b + i);
    }
    float total = pm_sum_lanes(sum);
    for (; i < HEAD_DIM; i++) {
        total += a[i] * PM_VALUE(TYPE)(b[i]);
    }
    return total;
}

/* Scaled scores; returns the largest. */
static float score(const query_row *row) {
    float best = -__builtin_inff();
    for (int64_t j = 0; j < row->keys; j++) {
        float s = dot(row->q, row->k + j * row->stride) * row->scale;
        row->scores[j] = s;
        best = s > best ? s : best;
    }
    return best;
}

/* cap tanh(score / cap), or the score where there is no cap; in units of log2, so that the softmax needs 2^x only */
PM_INLINE pm_vec capped(pm_vec score, float cap) {
    return (cap == 0 ? score : pm_tanh(score / cap) * cap) * PM_LOG2E;
}

/* Scores become 2^(score - best), capped before; returns their sum. */
static float exponentiate(const query_row *row, float best) {
    pm_vec sum = {0}, most = capped(pm_splat(best), row->cap); /* tanh keeps the order, so the largest stays it */
    for (int64_t j = 0; j < row->keys; j += PM_LANES) {
        float lane[PM_LANES];
        int64_t n = pm_min(PM_LANES, row->keys - j);
        for (int i = 0; i < PM_LANES; i++) {
            lane[i] = i < n ? row->scores[j + i] : 0;
        }
        pm_vec p = pm_exp2(capped(pm_load(lane), row->cap) - most);
        p = pm_select(pm_iota() < (int32_t)n, p, pm_splat(0));
        pm_store(lane, p);
        memcpy(row->scores + j, lane, (size_t)n * sizeof(float));
        sum += p;
    }
    return pm_sum_lanes(sum);
}

/* A row without keys has a sum of 0 and becomes 0. */
static void weigh_values(const query_row *row, float sum) {
    float total[HEAD_DIM] = {0};
    for (int64_t j = 0; j < row->keys; j++) {
        const element *value = row->v + j * row->stride;
        const float p = row->scores[j];
        int d = 0;
        for (; d + PM_LANES <= HEAD_DIM; d += PM_LANES) {
            pm_store(total + d, pm_load(total + d) + p * PM_WIDEN(TYPE)(value + d));
        }
        for (; d < HEAD_DIM; d++) {
            total[d] += p * PM_VALUE(TYPE)(value[d]);
        }
    }
    for (int d = 0; d < HEAD_DIM; d++) {
        row->out[d] = PM_NARROW(TYPE)(row->keys == 0 ? 0 : total[d] / sum);
    }
}

void attention_prefill_naive(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const element *q = PM_IN(element, args, 0), *k = PM_IN(element, args, 1), *v = PM_IN(element, args, 2);
    float *scores = PM_OUT(float, args, 3);
    element *out = PM_OUT(element, args, 4);
    const int64_t keys = PM_NUMBER(int32_t, args, 5), kv_heads = PM_NUMBER(int32_t, args, 6);
    const int causal = PM_NUMBER(int32_t, args, 7);
    const int64_t window = PM_NUMBER(int32_t, args, 8);
    const float scale = PM_NUMBER(float, args, 9), cap = PM_NUMBER(float, args, 10);
    const int64_t seq = grid[0], heads = grid[1];

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        int64_t diagonal = at.x + keys - seq; /* bottom-right: the last row's is the last key */
        int64_t begin = window < 0 || diagonal < window ? 0 : diagonal - window;
        int64_t end = causal ? diagonal + 1 : keys;
        int64_t query = ((at.z * seq + at.x) * heads + at.y) * HEAD_DIM;
        int64_t key = ((at.z * keys + begin) * kv_heads + at.y / (heads / kv_heads)) * HEAD_DIM;
        query_row row = {.k = k + key,
                         .v = v + key,
                         .scores = scores + number * keys,
                         .out = out + query,
                         .keys = end > begin ? end - begin : 0,
                         .stride = kv_heads * HEAD_DIM,
                         .scale = scale,
                         .cap = cap};
        widen_row(q + query, row.q);
        weigh_values(&row, exponentiate(&row, score(&row)));
    }
}
