/*
 * Attention that never holds a whole row of scores (FlashAttention's online softmax): a block of query rows stays in
 * cache while tiles of keys and values pass by, and both products run from registers.
 *
 * The lanes of a vector are query rows: scores are computed as K Q^T and the output as V^T P. So keys and values are
 * only ever spread over a vector one by one, nothing but the queries is transposed, and the largest score of a row and
 * the sum of its exponentials need no step across lanes.
 *
 * HEAD_DIM, QUERIES (query rows of a block) and TYPE (of q, k, v, out) are set when compiled. Grid: [ceil(seq /
 * QUERIES), heads, batch]; a block is one tile of query rows of one head. Several heads share a key head (GQA).
 */
#include "elements.h"
#include "softmax.h"

#define KEYS 64 /* keys of a tile: K and V tiles of 64 x 64 f32 fill 32 KiB */

/* ROWS x COLUMNS accumulators leave room for one row of the other factor and a broadcast. */
#define COLUMNS 3
#if PM_REGISTERS >= 32
#define ROWS 8
#else
#define ROWS 4
#endif
#define DIM ((HEAD_DIM + ROWS - 1) / ROWS * ROWS) /* HEAD_DIM filled up to whole rows */
#define GROUP (COLUMNS * PM_LANES)
#define GROUPS ((QUERIES + GROUP - 1) / GROUP)

typedef PM_TYPE(TYPE) element;

/* GROUP query rows, which go through everything together. Rows past the end of the sequence are zero, and ignored. */
typedef struct {
    pm_vec q[HEAD_DIM][COLUMNS];
    pm_vec out[DIM][COLUMNS];
    pm_vec sum[COLUMNS];  /* of the exponentials */
    pm_vec best[COLUMNS]; /* the largest score so far, times the multiplier; -inf where no key was seen */
} query_group;

typedef struct {
    float k[KEYS][HEAD_DIM];
    float v[KEYS][DIM];
} key_tile;

/* One head: q, out and lse at row 0 of the sequence, k and v at key 0. */
typedef struct {
    const element *q, *k, *v;
    element *out;
    float *lse;
    int64_t seq, keys, q_stride, kv_stride;
    int64_t window; /* keys before the diagonal that a row sees; below 0 all */
    int causal;
    float scale;      /* of the scores, softmax by powers of two included */
    float cap;        /* where scores are capped, in the same units; 0 for nowhere */
    float multiplier; /* of the scores that soften gets: scale, or 1 where they went through the cap */
} head;

/* c (+)= a b for ROWS rows and columns [first, COLUMNS) of vectors; a's steps from row to row and along the depth. */
PM_INLINE void multiply_tile(
    const float *a, int a_row, int a_depth, const pm_vec (*b)[COLUMNS], int depth, pm_vec (*c)[COLUMNS], int first,
    int add) {
    pm_vec sum[ROWS][COLUMNS];
    PM_UNROLL
    for (int r = 0; r < ROWS; r++) {
        PM_UNROLL
        for (int j = first; j < COLUMNS; j++) {
            sum[r][j] = add ? c[r][j] : (pm_vec){0};
        }
    }
    for (int d = 0; d < depth; d++) {
        pm_vec line[COLUMNS];
        PM_UNROLL
        for (int j = first; j < COLUMNS; j++) {
            line[j] = b[d][j];
        }
        PM_UNROLL
        for (int r = 0; r < ROWS; r++) {
            pm_vec x = pm_splat(a[r * a_row + d * a_depth]);
            PM_UNROLL
            for (int j = first; j < COLUMNS; j++) {
                sum[r][j] += x * line[j];
            }
        }
    }
    PM_UNROLL
    for (int r = 0; r < ROWS; r++) {
        PM_UNROLL
        for (int j = first; j < COLUMNS; j++) {
            c[r][j] = sum[r][j];
        }
    }
}

/* The same where the first column is known only now. */
PM_INLINE void multiply(
    const float *a, int a_row, int a_depth, const pm_vec (*b)[COLUMNS], int depth, pm_vec (*c)[COLUMNS], int first,
    int add) {
    if (first == 0) {
        multiply_tile(a, a_row, a_depth, b, depth, c, 0, add);
    } else if (first == 1) {
        multiply_tile(a, a_row, a_depth, b, depth, c, 1, add);
    } else {
        multiply_tile(a, a_row, a_depth, b, depth, c, 2, add);
    }
}

PM_INLINE void widen_row(const element *from, float *to) {
    int d = 0;
    for (; d + PM_LANES <= HEAD_DIM; d += PM_LANES) {
        pm_store(to + d, PM_WIDEN(TYPE)(from + d));
    }
    for (; d < HEAD_DIM; d++) {
        to[d] = PM_VALUE(TYPE)(from[d]);
    }
}

/* Widens n keys and values; keys up to a whole number of ROWS are zero, so that what lies there cannot become NaN. */
static void load_tile(key_tile *tile, const element *k, const element *v, int64_t stride, int n) {
    for (int j = 0; j < n; j++) {
        widen_row(k + j * stride, tile->k[j]);
        widen_row(v + j * stride, tile->v[j]);
    }
    for (int j = n; j % ROWS != 0; j++) {
        memset(tile->k[j], 0, sizeof tile->k[j]);
    }
}

/* scores = cap tanh(scores / cap), after which they are in units of log2 */
PM_INLINE void cap_scores(pm_vec (*scores)[COLUMNS], int c, int end, const head *h) {
    for (int k = 0; k < end; k++) {
        scores[k][c] = pm_tanh(scores[k][c] * (h->scale / h->cap)) * h->cap;
    }
}

/* Row r of the column sees the keys of this tile from low + r to high + r. */
PM_INLINE void mask(pm_vec (*scores)[COLUMNS], int c, int end, int64_t low, int64_t high) {
    pm_ivec first = pm_iota() + (int32_t)low, last = pm_iota() + (int32_t)high;
    for (int k = 0; k < end; k++) {
        pm_ivec hidden = (k < first) | (k > last);
        scores[k][c] = pm_select(hidden, pm_splat(-__builtin_inff()), scores[k][c]);
    }
}

/*
 * Turns one column's scores into 2^(score * multiplier - best), after bringing sum and out to the new best. best is
 * rounded once and then used for both, so its rounding error cancels in out / sum.
 */
PM_INLINE void soften(query_group *group, pm_vec (*scores)[COLUMNS], int c, int end, float multiplier) {
    const pm_vec nothing = pm_splat(-__builtin_inff()), before = group->best[c];
    pm_vec most = nothing;
    for (int k = 0; k < end; k++) {
        most = pm_max(scores[k][c], most);
    }
    most = pm_max(most * multiplier, before);
    pm_vec base = pm_select(most == nothing, pm_splat(0), most); /* a row that has seen no key: 2^(-inf - 0) = 0 */
    if (memcmp(&most, &before, sizeof most) != 0) {
        pm_vec shrink = pm_exp2(before - base);
        group->sum[c] *= shrink;
        for (int d = 0; d < DIM; d++) {
            group->out[d][c] *= shrink;
        }
        group->best[c] = most;
    }
    pm_vec sum = group->sum[c];
    for (int k = 0; k < end; k++) {
        scores[k][c] = pm_exp2(scores[k][c] * multiplier - base);
        sum += scores[k][c];
    }
    group->sum[c] = sum;
}

/* high: the last of the tile's n keys that the group's first row sees under a causal mask. */
static void attend(query_group *group, const key_tile *tile, int n, int64_t high, const head *h) {
    pm_vec scores[KEYS][COLUMNS];
    int end[COLUMNS]; /* keys that some row of a column sees */
    for (int c = 0; c < COLUMNS; c++) {
        int64_t seen = high + (c + 1) * PM_LANES;
        end[c] = !h->causal || seen > n ? n : seen < 0 ? 0 : (int)seen;
    }
    for (int k = 0, first = 0; k < end[COLUMNS - 1]; k += ROWS) {
        while (end[first] <= k) {
            first++;
        }
        multiply(tile->k[k], HEAD_DIM, 1, group->q, HEAD_DIM, scores + k, first, 0);
    }
    int64_t low = h->window < 0 || high - h->window < -GROUP ? -GROUP : high - h->window;
    for (int c = 0; c < COLUMNS; c++) {
        int64_t row = c * PM_LANES;
        if (h->cap != 0) {
            cap_scores(scores, c, end[c], h);
        }
        if ((h->causal && high + row < n - 1) || low + row + PM_LANES > 1) {
            /* Every key of a tile is below KEYS, so limits beyond that say the same. */
            mask(scores, c, end[c], pm_min(low + row, KEYS), h->causal ? pm_min(high + row, KEYS) : KEYS);
        }
        soften(group, scores, c, end[c], h->multiplier);
    }
    for (int c = 0, from = 0; c < COLUMNS; from = end[c], c++) {
        for (int d = 0; d < DIM && from < end[c]; d += ROWS) {
            multiply(tile->v[from] + d, 1, DIM, (const pm_vec(*)[COLUMNS])scores + from, end[c] - from,
                     group->out + d, c, 1);
        }
    }
}

static void start(query_group *group, const element *q, int64_t stride, int64_t rows) {
    memset(group, 0, sizeof *group);
    for (int c = 0; c < COLUMNS; c++) {
        group->best[c] = pm_splat(-__builtin_inff());
    }
    for (int r = 0; r < GROUP && r < rows; r++) {
        float row[HEAD_DIM];
        widen_row(q + r * stride, row);
        for (int d = 0; d < HEAD_DIM; d++) {
            ((float *)group->q[d])[r] = row[d];
        }
    }
}

static void finish(query_group *group, const head *h, int64_t begin) {
    float sum[GROUP], best[GROUP];
    memcpy(sum, group->sum, sizeof sum);
    memcpy(best, group->best, sizeof best);
    for (int c = 0; c < COLUMNS; c++) {
        pm_ivec empty = group->sum[c] == 0; /* no key: the row is zero */
        pm_vec divisor = pm_select(empty, pm_splat(1), group->sum[c]);
        for (int d = 0; d < HEAD_DIM; d++) {
            group->out[d][c] /= divisor;
        }
    }
    for (int64_t r = 0; r < GROUP && begin + r < h->seq; r++) {
        element *out = h->out + (begin + r) * h->q_stride;
        for (int d = 0; d < HEAD_DIM; d++) {
            out[d] = PM_NARROW(TYPE)(((const float *)group->out[d])[r]);
        }
        h->lse[begin + r] = sum[r] == 0 ? -__builtin_inff() : (float)(((double)best[r] + pm_log2(sum[r])) * PM_LN2);
    }
}

static void query_tile(const head *h, int64_t begin) {
    query_group groups[GROUPS];
    key_tile tile;
    const int64_t end = pm_min(begin + QUERIES, h->seq);
    const int64_t ahead = h->keys - h->seq; /* row i has its diagonal at key i + ahead */
    const int64_t last = h->causal ? pm_min(end + ahead, h->keys) : h->keys;
    int64_t key = h->window < 0 || begin + ahead < h->window ? 0 : begin + ahead - h->window;

    for (int64_t row = begin, g = 0; row < end; row += GROUP, g++) {
        start(&groups[g], h->q + row * h->q_stride, h->q_stride, end - row);
    }
    memset(tile.v, 0, sizeof tile.v);
    for (; key < last; key += KEYS) {
        const int n = (int)pm_min(KEYS, last - key);
        load_tile(&tile, h->k + key * h->kv_stride, h->v + key * h->kv_stride, h->kv_stride, n);
        for (int64_t row = begin, g = 0; row < end; row += GROUP, g++) {
            int64_t high = row + ahead - key;
            int above = h->causal && high + GROUP <= 0;
            int behind = h->window >= 0 && high - h->window >= n;
            if (!above && !behind) {
                attend(&groups[g], &tile, n, high, h);
            }
        }
    }
    for (int64_t row = begin, g = 0; row < end; row += GROUP, g++) {
        finish(&groups[g], h, row);
    }
}

void attention_prefill_blocked(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const element *q = PM_IN(element, args, 0), *k = PM_IN(element, args, 1), *v = PM_IN(element, args, 2);
    element *out = PM_OUT(element, args, 3);
    float *lse = PM_OUT(float, args, 4);
    const int64_t seq = PM_NUMBER(int32_t, args, 5), keys = PM_NUMBER(int32_t, args, 6);
    const int64_t kv_heads = PM_NUMBER(int32_t, args, 7), window = PM_NUMBER(int32_t, args, 9);
    const int causal = PM_NUMBER(int32_t, args, 8);
    const float scale = PM_NUMBER(float, args, 10) * PM_LOG2E, cap = PM_NUMBER(float, args, 11) * PM_LOG2E;
    const int64_t heads = grid[1];

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        int64_t query = (at.z * seq * heads + at.y) * HEAD_DIM;
        int64_t key = (at.z * keys * kv_heads + at.y / (heads / kv_heads)) * HEAD_DIM;
        head h = {q + query,        k + key,    v + key,   out + query,
                  lse + (at.z * heads + at.y) * seq,       seq,
                  keys,             heads * HEAD_DIM,      kv_heads * HEAD_DIM,
                  window,           causal,     scale,     cap,
                  cap != 0 ? 1 : scale};
        /* Under a causal mask the last tile sees the most keys, so it starts first and the short ones even out the end. */
        query_tile(&h, (grid[0] - 1 - at.x) * QUERIES);
    }
}
