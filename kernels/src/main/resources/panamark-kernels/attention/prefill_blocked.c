/*
 * Attention that never holds a whole row of scores (FlashAttention's online softmax): a block of query rows stays in
 * cache while tiles of keys and values pass by, and both products run from registers.
 *
 * The lanes of a vector are query rows: scores are computed as K Q^T and the output as V^T P. So keys and values are
 * only ever spread over a vector one by one, nothing but the queries and the output is transposed, and the largest score
 * of a row and the sum of its exponentials need no step across lanes.
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
#define WIDE ((HEAD_DIM + PM_LANES - 1) / PM_LANES * PM_LANES) /* HEAD_DIM filled up to whole vectors */

#define CHAINS 4 /* maxima taken side by side; a divisor of ROWS */
#define SLACK 8  /* by how much, as a power of two, scores may outgrow what they are scaled by before all is scaled anew */

typedef PM_TYPE(TYPE) element;

#define LINE (64 / (int)sizeof(element)) /* elements of a cache line */

/* GROUP query rows, which go through everything together. Past the last row of the tile it is repeated, and ignored. */
typedef struct {
    pm_vec q[HEAD_DIM][COLUMNS];
    pm_vec out[WIDE][COLUMNS];
    pm_vec sum[COLUMNS];  /* of the exponentials */
    pm_vec base[COLUMNS]; /* of their exponents: the largest score times the multiplier, or one a little smaller that was
                             the largest before; -inf where no key was seen */
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

/* The largest score of each row of a column. */
PM_INLINE pm_vec largest(pm_vec (*scores)[COLUMNS], int c, int end) {
    pm_vec most[CHAINS];
    PM_UNROLL
    for (int i = 0; i < CHAINS; i++) {
        most[i] = pm_splat(-__builtin_inff());
    }
    for (int k = 0; k < end; k += CHAINS) {
        PM_UNROLL
        for (int i = 0; i < CHAINS; i++) {
            most[i] = pm_max(scores[k + i][c], most[i]);
        }
    }
    return pm_max(pm_max(most[0], most[1]), pm_max(most[2], most[3]));
}

PM_INLINE int any(pm_ivec mask) {
    const pm_ivec none = {0};
    return memcmp(&mask, &none, sizeof mask) != 0;
}

/*
 * Turns one column's scores into 2^(score * multiplier - base), after bringing sum and out to a new base where one is
 * needed. base is rounded once and then used for both, so its rounding error cancels in out / sum; and as any base does,
 * one that lags a little behind the largest score saves most of the times that out is scaled.
 */
PM_INLINE void soften(query_group *group, pm_vec (*scores)[COLUMNS], int c, int end, float multiplier) {
    const pm_vec before = group->base[c];
    pm_vec most = pm_max(largest(scores, c, end) * multiplier, before);
    if (any(most > before + SLACK)) {
        pm_ivec unseen = most == -__builtin_inff();
        pm_vec shrink = pm_exp2(before - pm_select(unseen, pm_splat(0), most));
        group->sum[c] *= shrink;
        for (int d = 0; d < DIM; d++) {
            group->out[d][c] *= shrink;
        }
        group->base[c] = most;
    }
    pm_vec base = group->base[c], sum = group->sum[c];
    base = pm_select(base == -__builtin_inff(), pm_splat(0), base); /* a row that has seen no key: 2^(-inf - 0) = 0 */
    for (int k = 0; k < end; k++) {
        scores[k][c] = pm_exp2(scores[k][c] * multiplier - base);
        sum += scores[k][c];
    }
    group->sum[c] = sum;
}

/* high: the last of the tile's n keys that the group's first row sees under a causal mask. */
static void attend(query_group *group, const key_tile *tile, int n, int64_t high, const head *h) {
    pm_vec scores[KEYS][COLUMNS];
    int end[COLUMNS]; /* keys that some row of a column sees, filled up to whole ROWS */
    for (int c = 0; c < COLUMNS; c++) {
        int64_t seen = high + (c + 1) * PM_LANES;
        int keys = !h->causal || seen > n ? n : seen < 0 ? 0 : (int)seen;
        end[c] = (keys + ROWS - 1) / ROWS * ROWS;
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
        for (int k = n; k < end[c]; k++) {
            scores[k][c] = pm_splat(-__builtin_inff());
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

/* Takes the rows of q from begin on, and asks for those of out, which are written when all is done. */
static void start(query_group *group, const head *h, int64_t begin, int64_t end) {
    memset(group->out, 0, sizeof group->out);
    for (int c = 0; c < COLUMNS; c++) {
        const element *row[PM_LANES];
        for (int r = 0; r < PM_LANES; r++) {
            int64_t at = pm_min(begin + c * PM_LANES + r, end - 1) * h->q_stride;
            row[r] = h->q + at;
            for (int d = 0; d < HEAD_DIM; d += LINE) {
                __builtin_prefetch(h->out + at + d, 1);
            }
        }
        group->sum[c] = pm_splat(0);
        group->base[c] = pm_splat(-__builtin_inff());
        int d = 0;
        for (; d + PM_LANES <= HEAD_DIM; d += PM_LANES) {
            pm_vec square[PM_LANES];
            PM_UNROLL
            for (int r = 0; r < PM_LANES; r++) {
                square[r] = PM_WIDEN(TYPE)(row[r] + d);
            }
            pm_transpose(square);
            PM_UNROLL
            for (int i = 0; i < PM_LANES; i++) {
                group->q[d + i][c] = square[i];
            }
        }
        for (; d < HEAD_DIM; d++) {
            for (int r = 0; r < PM_LANES; r++) {
                group->q[d][c][r] = PM_VALUE(TYPE)(row[r][d]);
            }
        }
    }
}

/* One column's rows of out and lse, n of them from begin on. */
static void finish(const query_group *group, int c, const head *h, int64_t begin, int n) {
    float rows[PM_LANES][WIDE];
    pm_ivec empty = group->sum[c] == 0; /* no key: the row is zero */
    pm_vec inverse = 1.0f / pm_select(empty, pm_splat(1), group->sum[c]);
    for (int d = 0; d < WIDE; d += PM_LANES) {
        pm_vec square[PM_LANES];
        PM_UNROLL
        for (int i = 0; i < PM_LANES; i++) {
            square[i] = group->out[d + i][c] * inverse;
        }
        pm_transpose(square);
        PM_UNROLL
        for (int r = 0; r < PM_LANES; r++) {
            pm_store(rows[r] + d, square[r]);
        }
    }
    for (int r = 0; r < n; r++) {
        element *out = h->out + (begin + r) * h->q_stride;
        for (int d = 0; d < HEAD_DIM; d++) {
            out[d] = PM_NARROW(TYPE)(rows[r][d]);
        }
        float sum = group->sum[c][r], base = group->base[c][r];
        h->lse[begin + r] = sum == 0 ? -__builtin_inff() : (float)(((double)base + pm_log2(sum)) * PM_LN2);
    }
}

/* The query rows that end before this one. */
static void query_tile(const head *h, int64_t end) {
    query_group groups[GROUPS];
    key_tile tile;
    const int64_t begin = end < QUERIES ? 0 : end - QUERIES;
    const int64_t ahead = h->keys - h->seq; /* row i has its diagonal at key i + ahead */
    const int64_t last = h->causal ? pm_min(end + ahead, h->keys) : h->keys;
    int64_t key = h->window < 0 || begin + ahead < h->window ? 0 : begin + ahead - h->window;

    for (int64_t row = begin, g = 0; row < end; row += GROUP, g++) {
        start(&groups[g], h, row, end);
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
    for (int64_t row = begin; row < end; row += PM_LANES) {
        int64_t vector = (row - begin) / PM_LANES;
        finish(&groups[vector / COLUMNS], (int)(vector % COLUMNS), h, row, (int)pm_min(PM_LANES, end - row));
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
        /*
         * Under a causal mask the last tile sees the most keys, so it starts first and the short ones even out the end;
         * and a tile that is not full is the first, where filling it up costs least.
         */
        query_tile(&h, seq - at.x * QUERIES);
    }
}
