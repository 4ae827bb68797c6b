/*
 * Causal attention that never holds a whole row of scores (FlashAttention's online softmax): a tile of query rows stays
 * in cache while tiles of keys and values pass by, and both products run from registers.
 *
 * HEAD_DIM and QUERIES (query rows of a block) are set when compiled. Grid: [ceil(seq / QUERIES), heads, batch]; a block is one tile of query rows of one
 * head. Several heads share a key head (GQA).
 */
#include "softmax.h"

#define KEYS 64 /* keys of a tile: K and V tiles of 64 x 64 fill 32 KiB */

/* A register tile of ROWS x COLUMNS vectors leaves room for one row of the other factor and a broadcast. */
#define ROWS 6
#if PM_REGISTERS >= 32
#define COLUMNS 4
#else
#define COLUMNS 2
#endif
#define DIM_VECTORS ((HEAD_DIM + PM_LANES - 1) / PM_LANES)
#define DIM (DIM_VECTORS * PM_LANES) /* HEAD_DIM filled up to whole vectors */
#define GROUPS ((QUERIES + ROWS - 1) / ROWS)

/* ROWS query rows, which go through everything together. Rows past the end of the sequence are zero, and ignored. */
typedef struct {
    pm_vec out[ROWS][DIM_VECTORS];
    float q[ROWS][HEAD_DIM];
    pm_vec sum[ROWS]; /* of the exponentials, still lane by lane */
    float best[ROWS]; /* the largest score so far, scaled */
} row_group;

typedef struct {
    float k[HEAD_DIM][KEYS]; /* transposed, so that a vector holds one dimension of many keys */
    float v[KEYS][DIM];
} key_tile;

/* c (+)= a b for ROWS rows and columns vectors; a is ROWS x depth, b is depth x columns vectors. */
PM_INLINE void multiply_tile(
    const float *a, int a_row, const float *b, int b_row, int depth, float *c, int c_row, int columns, int add) {
    pm_vec sum[ROWS][COLUMNS];
    PM_UNROLL
    for (int r = 0; r < ROWS; r++) {
        PM_UNROLL
        for (int j = 0; j < columns; j++) {
            sum[r][j] = add ? pm_load(c + r * c_row + j * PM_LANES) : (pm_vec){0};
        }
    }
    for (int d = 0; d < depth; d++) {
        pm_vec line[COLUMNS];
        PM_UNROLL
        for (int j = 0; j < columns; j++) {
            line[j] = pm_load(b + (int64_t)d * b_row + j * PM_LANES);
        }
        PM_UNROLL
        for (int r = 0; r < ROWS; r++) {
            pm_vec x = pm_splat(a[r * a_row + d]);
            PM_UNROLL
            for (int j = 0; j < columns; j++) {
                sum[r][j] += x * line[j];
            }
        }
    }
    PM_UNROLL
    for (int r = 0; r < ROWS; r++) {
        PM_UNROLL
        for (int j = 0; j < columns; j++) {
            pm_store(c + r * c_row + j * PM_LANES, sum[r][j]);
        }
    }
}

/* The same for any number of vectors. */
PM_INLINE void multiply(
    const float *a, int a_row, const float *b, int b_row, int depth, float *c, int c_row, int vectors, int add) {
    const int whole = vectors - vectors % COLUMNS;
    for (int j = 0; j < whole; j += COLUMNS) {
        multiply_tile(a, a_row, b + j * PM_LANES, b_row, depth, c + j * PM_LANES, c_row, COLUMNS, add);
    }
    for (int j = whole; j < vectors; j++) {
        multiply_tile(a, a_row, b + j * PM_LANES, b_row, depth, c + j * PM_LANES, c_row, 1, add);
    }
}

/* Copies n keys and values; the rest of the tile is zero, so that what lies there cannot become NaN. */
static void pack(key_tile *tile, const float *k, const float *v, int64_t stride, int n) {
    for (int j = 0; j < n; j++) {
        for (int d = 0; d < HEAD_DIM; d++) {
            tile->k[d][j] = k[j * stride + d];
        }
        memcpy(tile->v[j], v + j * stride, HEAD_DIM * sizeof(float));
    }
    for (int j = n; j < KEYS; j++) {
        for (int d = 0; d < HEAD_DIM; d++) {
            tile->k[d][j] = 0;
        }
        memset(tile->v[j], 0, sizeof tile->v[j]);
    }
}

/* Row r of a group sees keys of this tile up to limit (inclusive, may be negative or beyond the tile). */
PM_INLINE void mask(pm_vec scores[KEYS / PM_LANES], int64_t limit) {
    for (int j = 0; j < KEYS / PM_LANES; j++) {
        pm_ivec hidden = pm_iota() + j * PM_LANES > (int32_t)limit;
        scores[j] = pm_select(hidden, pm_splat(-__builtin_inff()), scores[j]);
    }
}

/*
 * Turns one row's scores into 2^(score * scale - best), after bringing sum and out to the new best. best is rounded once
 * and then used for both, so its rounding error cancels in out / sum.
 */
PM_INLINE void soften(row_group *group, int r, pm_vec scores[KEYS / PM_LANES], float scale) {
    pm_vec most = scores[0];
    for (int j = 1; j < KEYS / PM_LANES; j++) {
        most = pm_max(scores[j], most);
    }
    float best = pm_max_lane(most) * scale;
    if (best > group->best[r]) {
        pm_vec shrink = pm_exp2(pm_splat(group->best[r] - best));
        group->sum[r] *= shrink;
        for (int j = 0; j < DIM_VECTORS; j++) {
            group->out[r][j] *= shrink;
        }
        group->best[r] = best;
    }
    for (int j = 0; j < KEYS / PM_LANES; j++) {
        scores[j] = pm_exp2(scores[j] * scale - group->best[r]);
        group->sum[r] += scores[j];
    }
}

/* ahead: keys of this tile that the group's first row sees, less one (its diagonal's place in the tile). */
static void attend(row_group *group, const key_tile *tile, int64_t ahead, float scale) {
    pm_vec scores[ROWS][KEYS / PM_LANES];
    multiply(group->q[0], HEAD_DIM, tile->k[0], KEYS, HEAD_DIM, (float *)scores, KEYS, KEYS / PM_LANES, 0);
    for (int r = 0; r < ROWS; r++) {
        if (ahead + r < KEYS - 1) {
            mask(scores[r], ahead + r);
        }
        soften(group, r, scores[r], scale);
    }
    int seen = (int)pm_min(KEYS, ahead + ROWS); /* later keys have weight zero in every row */
    multiply((float *)scores, KEYS, tile->v[0], DIM, seen, (float *)group->out, DIM, DIM_VECTORS, 1);
}

static void start(row_group *group, const float *q, int64_t stride, int64_t rows) {
    memset(group, 0, sizeof *group);
    for (int r = 0; r < ROWS; r++) {
        group->best[r] = -__builtin_inff();
        if (r < rows) {
            memcpy(group->q[r], q + r * stride, sizeof group->q[r]);
        }
    }
}

static void finish(const row_group *group, float *out, int64_t stride, int64_t rows) {
    for (int r = 0; r < ROWS && r < rows; r++) {
        float sum = pm_sum_lanes(group->sum[r]);
        const float *from = (const float *)group->out[r];
        for (int d = 0; d < HEAD_DIM; d++) {
            out[r * stride + d] = from[d] / sum;
        }
    }
}

/* One head's pointers: q and out at row 0 of the sequence, k and v at key 0. */
typedef struct {
    const float *q, *k, *v;
    float *out;
    int64_t seq, q_stride, kv_stride;
    float scale;
} head;

static void query_tile(const head *h, int64_t begin) {
    row_group groups[GROUPS];
    key_tile tile;
    int64_t end = pm_min(begin + QUERIES, h->seq);

    for (int64_t row = begin, g = 0; row < end; row += ROWS, g++) {
        start(&groups[g], h->q + row * h->q_stride, h->q_stride, end - row);
    }
    memset(tile.v, 0, sizeof tile.v);
    for (int64_t key = 0; key < end; key += KEYS) {
        int64_t at = key * h->kv_stride;
        pack(&tile, h->k + at, h->v + at, h->kv_stride, (int)pm_min(KEYS, end - key));
        for (int64_t row = begin, g = 0; row < end; row += ROWS, g++) {
            if (key < row + ROWS) {
                attend(&groups[g], &tile, row - key, h->scale);
            }
        }
    }
    for (int64_t row = begin, g = 0; row < end; row += ROWS, g++) {
        finish(&groups[g], h->out + row * h->q_stride, h->q_stride, end - row);
    }
}

void attention_prefill_blocked(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *q = PM_IN(float, args, 0), *k = PM_IN(float, args, 1), *v = PM_IN(float, args, 2);
    float *out = PM_OUT(float, args, 3);
    const int64_t seq = PM_NUMBER(int32_t, args, 4), kv_heads = PM_NUMBER(int32_t, args, 5);
    const float scale = PM_NUMBER(float, args, 6);
    const int64_t heads = grid[1];

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        int64_t query = (at.z * seq * heads + at.y) * HEAD_DIM;
        int64_t keys = (at.z * seq * kv_heads + at.y / (heads / kv_heads)) * HEAD_DIM;
        head h = {q + query, k + keys, v + keys, out + query, seq, heads * HEAD_DIM, kv_heads * HEAD_DIM,
                  scale * PM_LOG2E};
        /* The last tile sees the most keys, so it starts first and the short ones even out the end. */
        query_tile(&h, (grid[0] - 1 - at.x) * QUERIES);
    }
}
