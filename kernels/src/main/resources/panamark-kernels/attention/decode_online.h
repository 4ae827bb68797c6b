/*
 * The heads that share a key head, over a stretch of its keys, with an online softmax: each key and value is read and
 * widened once for all of them.
 *
 * GROUP (heads that share a key head) and the options of paged.h are set when compiled.
 */
#ifndef PANAMARK_DECODE_ONLINE_H
#define PANAMARK_DECODE_ONLINE_H

#include "paged.h"

#define KEYS 32 /* keys at a time: widened, 32 x 128 f32 fill 16 KiB */
#define DIM_VECTORS ((HEAD_DIM + PM_LANES - 1) / PM_LANES)
#define DIM (DIM_VECTORS * PM_LANES) /* HEAD_DIM filled up to whole vectors with zeros */

/* Accumulators of a product: rows are heads, columns vectors along head_dim. */
#define ROWS (GROUP < 4 ? GROUP : 4)
#define COLUMNS 2

typedef struct {
    float q[GROUP][DIM];
    pm_vec out[GROUP][DIM_VECTORS];
    float sum[GROUP];
    float best[GROUP]; /* the largest score so far, in units of log2 */
} heads_state;

typedef struct {
    float k[KEYS][DIM], v[KEYS][DIM];
    float k_scale[KEYS], v_scale[KEYS];
    float weights[GROUP][KEYS];
} key_chunk;

static void start(heads_state *s, const element *q) {
    memset(s, 0, sizeof *s);
    for (int g = 0; g < GROUP; g++) {
        widen_query(q + g * HEAD_DIM, s->q[g]);
        s->best[g] = -__builtin_inff();
    }
}

static void load_chunk(key_chunk *chunk, const paged *p, int64_t token, int64_t end, int n) {
    for (int j = 0; j < n; j++) {
        if (token + KEYS + j < end) {
            paged_prefetch(p, token + KEYS + j);
        }
        chunk->k_scale[j] = paged_read(p, 0, token + j, chunk->k[j]);
        chunk->v_scale[j] = paged_read(p, 1, token + j, chunk->v[j]);
    }
}

/*
 * weights[g][j] = q[g] . k[j] in units of log2, for heads g, g + 1, ... so that a key's vectors are loaded once for
 * several heads. Past n they are of keys that were here before, and ignored.
 */
PM_INLINE void score_heads(const heads_state *s, key_chunk *chunk, int g, int heads, int n, float scale) {
    for (int first = 0; first < n; first += PM_LANES) {
        pm_vec sums[4][PM_LANES];
        for (int j = 0; j < PM_LANES; j++) {
            pm_vec sum[4] = {{0}};
            for (int d = 0; d < DIM_VECTORS; d++) {
                pm_vec key = pm_load(chunk->k[first + j] + d * PM_LANES);
                PM_UNROLL
                for (int i = 0; i < heads; i++) {
                    sum[i] += key * pm_load(s->q[g + i] + d * PM_LANES);
                }
            }
            PM_UNROLL
            for (int i = 0; i < heads; i++) {
                sums[i][j] = sum[i];
            }
        }
        for (int i = 0; i < heads; i++) {
            pm_store(chunk->weights[g + i] + first, pm_sum_each(sums[i]) * (pm_load(chunk->k_scale + first) * scale));
        }
    }
}

/* Scores become 2^(score - best), times the scale of the value; out and sum are brought to the new best before. */
PM_INLINE void soften(heads_state *s, key_chunk *chunk, int g, int n) {
    float *w = chunk->weights[g], best = s->best[g];
    for (int j = 0; j < n; j++) {
        best = w[j] > best ? w[j] : best;
    }
    if (best > s->best[g]) {
        pm_vec shrink = pm_exp2(pm_splat(s->best[g] - best));
        s->sum[g] *= shrink[0];
        for (int d = 0; d < DIM_VECTORS; d++) {
            s->out[g][d] *= shrink;
        }
        s->best[g] = best;
    }
    pm_vec sum = {0};
    for (int j = n; j < KEYS; j++) {
        w[j] = -__builtin_inff();
    }
    for (int j = 0; j < KEYS; j += PM_LANES) {
        pm_vec p = pm_exp2(pm_load(w + j) - best);
        sum += p;
        pm_store(w + j, p);
    }
    for (int j = 0; SCALES != 0 && j < n; j++) {
        w[j] *= chunk->v_scale[j];
    }
    s->sum[g] += pm_sum_lanes(sum);
}

/* out[g] += weights[g] V for heads g, g + 1, ... and a few vectors from d on. */
PM_INLINE void weigh(heads_state *s, const key_chunk *chunk, int g, int heads, int d, int vectors, int n) {
    pm_vec sum[4][COLUMNS];
    PM_UNROLL
    for (int i = 0; i < heads; i++) {
        PM_UNROLL
        for (int c = 0; c < vectors; c++) {
            sum[i][c] = s->out[g + i][d + c];
        }
    }
    for (int j = 0; j < n; j++) {
        PM_UNROLL
        for (int c = 0; c < vectors; c++) {
            pm_vec value = pm_load(chunk->v[j] + (d + c) * PM_LANES);
            PM_UNROLL
            for (int i = 0; i < heads; i++) {
                sum[i][c] += chunk->weights[g + i][j] * value;
            }
        }
    }
    PM_UNROLL
    for (int i = 0; i < heads; i++) {
        PM_UNROLL
        for (int c = 0; c < vectors; c++) {
            s->out[g + i][d + c] = sum[i][c];
        }
    }
}

PM_INLINE void some_heads(heads_state *s, key_chunk *chunk, int g, int heads, int n, float scale) {
    score_heads(s, chunk, g, heads, n, scale);
    for (int i = 0; i < heads; i++) {
        soften(s, chunk, g + i, n);
    }
    int d = 0;
    for (; d + COLUMNS <= DIM_VECTORS; d += COLUMNS) {
        weigh(s, chunk, g, heads, d, COLUMNS, n);
    }
    for (; d < DIM_VECTORS; d++) {
        weigh(s, chunk, g, heads, d, 1, n);
    }
}

/* Takes in the keys [begin, end) of the sequence. */
static void attend(heads_state *s, const paged *p, int64_t begin, int64_t end, float scale) {
    key_chunk chunk;
    memset(&chunk, 0, sizeof chunk); /* what fills HEAD_DIM up stays zero */
    for (int64_t token = begin; token < end; token += KEYS) {
        const int n = (int)pm_min(KEYS, end - token);
        load_chunk(&chunk, p, token, end, n);
        int g = 0;
        for (; g + ROWS <= GROUP; g += ROWS) {
            some_heads(s, &chunk, g, ROWS, n, scale);
        }
        for (; g < GROUP; g++) {
            some_heads(s, &chunk, g, 1, n, scale);
        }
    }
}

#endif
