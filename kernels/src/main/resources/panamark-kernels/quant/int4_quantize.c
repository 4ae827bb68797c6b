/*
 * Quantizes f32 [rows, cols] to INT4: scale and zero point for each group, codes packed as int4.h says.
 *
 * ROWS, TILE and PACKING_x are set when compiled. Grid, plain: [ceil(rows / ROWS)], a block quantizes ROWS rows; others:
 * [ceil(cols / TILE), groups], a block quantizes one group of TILE columns.
 */
#include "int4.h"

#if defined(PACKING_plain)

typedef uint64_t pairs __attribute__((vector_size(PM_LANES * 4)));
typedef uint8_t bytes __attribute__((vector_size(PM_LANES / 2)));

/*
 * The range of a group; 0 is always in it. As signed integers, the bits of numbers above 0 order as the numbers do; as
 * unsigned ones, those of numbers below 0 come after all others and order as their magnitudes do.
 */
PM_INLINE void range(const float *x, int64_t n, float *low, float *high) {
    int32_t most = 0;
    uint32_t least = 0x80000000;
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits = bits_of(x[i]);
        most = (int32_t)bits > most ? (int32_t)bits : most;
        least = bits > least ? bits : least;
    }
    *low = float_of(least);
    *high = float_of((uint32_t)most);
}

/* A strip is up to SIDE groups of each of ROWS rows: as many side by side as fill a batch. */
#define SIDE 16
#define GROUPS (ROWS * SIDE)

/* Of each group of a strip. up and down are the inverse of its scale, a little too large and a little too small. */
typedef struct {
    float low[GROUPS], high[GROUPS], scale[GROUPS], up[GROUPS], down[GROUPS];
    float rounding[GROUPS]; /* adding it rounds to a whole number, and leaves that and the zero point in the low bits */
    int32_t zero[GROUPS];
} strip;

/* Of all n groups at once: one division after the other would keep everything waiting, and this loop vectorises. */
PM_INLINE void find_grids(strip *t, int64_t n, int symmetric) {
    for (int64_t i = 0; i < n; i++) {
        grid4 g = grid_of(t->low[i], t->high[i], symmetric);
        float inverse = 1 / g.scale;
        t->scale[i] = g.scale;
        t->zero[i] = g.zero;
        t->rounding[i] = ROUNDING + (float)g.zero;
        t->up[i] = is_ordinary(g.scale) ? inverse * (1 + 0x1p-21f) : __builtin_nanf(""); /* which equals no down */
        t->down[i] = inverse * (1 - 0x1p-21f);
    }
}

/*
 * Codes of n numbers of a group. The rounded quotient lies between the products with the two inverses, which are off by
 * more than all roundings here together. Where both give the same code that is the one, and the quotient was no tie;
 * elsewhere, which is rare, there is the division.
 */
PM_INLINE void quantize(const float *restrict x, uint8_t *restrict q, int64_t n, const strip *t, int64_t group) {
    const float up = t->up[group], down = t->down[group], rounding = t->rounding[group];
    const grid4 grid = {t->scale[group], t->zero[group]};
    const pm_ivec sure = {0};
    pm_ivec unsure = sure;
    int64_t i = 0;
    for (; i + PM_LANES <= n; i += PM_LANES) {
        pm_vec v = pm_load(x + i);
        pm_ivec code = (pm_ivec)(v * up + rounding);
        /* Where a zero point and a quotient were both rounded up, their sum can be 16. */
        unsure |= (code ^ (pm_ivec)(v * down + rounding)) | (code & 16);
        /* Two codes are the halves of a 64-bit number; its low byte takes both. Bits 4 to 7 of each half are 0. */
        pairs two = (pairs)code;
        bytes packed = __builtin_convertvector(two | (two >> 28 & 0xf0), bytes);
        memcpy(q + i / 2, &packed, sizeof packed);
    }
    if (memcmp(&unsure, &sure, sizeof sure) != 0) {
        i = 0;
    }
    for (; i < n; i += 2) {
        q[i / 2] = (uint8_t)(code_of(x[i], grid) | code_of(x[i + 1], grid) << 4);
    }
}

/*
 * side groups of n numbers in each of some rows. x, q, s and z are where the first number, its code, the first scale and
 * zero point are. Going from row to row, because memory delivers more from several places at once than from one.
 */
PM_INLINE void quantize_strip(
    const float *x, uint8_t *q, float *s, uint8_t *z, int64_t rows, int64_t cols, int64_t n, int64_t side,
    int symmetric) {
    strip t;
    uint8_t codes[ROWS][BATCH / 2];
    const int64_t groups = cols / n;
    const int64_t next = side * n < cols ? side * n : rows * cols; /* from here to the strip that follows */
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t i = 0; i < side; i++) {
            const float *own = x + row * cols + i * n;
            float *low = &t.low[row * side + i], *high = &t.high[row * side + i];
            if (symmetric) {
                *low = 0;
                *high = amax(own, n);
            } else {
                range(own, n, low, high);
            }
        }
    }
    find_grids(&t, rows * side, symmetric);
    for (int64_t row = 0; row < rows; row++) {
        memcpy(s + row * groups, t.scale + row * side, (size_t)side * sizeof(float));
        for (int64_t i = 0; i < side; i++) {
            z[row * groups + i] = (uint8_t)t.zero[row * side + i];
        }
    }
    for (int64_t at = 0; at < n; at += BATCH) {
        const int64_t width = pm_min(BATCH, n - at);
        for (int64_t row = 0; row < rows; row++) {
            fetch_ahead(x + row * cols + at, side * width, next);
            for (int64_t i = 0; i < side; i++) {
                quantize(x + row * cols + i * n + at, codes[row] + i * n / 2, width, &t, row * side + i);
            }
        }
        /* Only now: a line that was just written in pieces cannot be read at once. */
        for (int64_t row = 0; row < rows; row++) {
            pm_stream_copy((char *)q + (row * cols + at) / 2, (char *)codes[row], side * width / 2);
        }
    }
}

PM_INLINE void quantize_rows(
    const float *x, uint8_t *q, float *s, uint8_t *z, int64_t rows, int64_t cols, int64_t group, int symmetric) {
    const int64_t groups = cols / group, side = group > BATCH ? 1 : pm_min(SIDE, BATCH / group);
    for (int64_t g = 0; g < groups; g += side) {
        quantize_strip(x + g * group, q + g * group / 2, s + g, z + g, rows, cols, group, pm_min(side, groups - g),
                       symmetric);
    }
}

void int4_quantize(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const int64_t rows = PM_NUMBER(int32_t, args, 4), cols = PM_NUMBER(int32_t, args, 5);
    const int64_t group = PM_NUMBER(int32_t, args, 6);
    const int symmetric = PM_NUMBER(int32_t, args, 7);
    (void)grid;

    for (int64_t block = first; block < last; block++) {
        const int64_t top = block * ROWS, n = pm_min(ROWS, rows - top);
        const float *x = PM_IN(float, args, 0) + top * cols;
        float *s = PM_OUT(float, args, 1) + top * (cols / group);
        uint8_t *z = PM_OUT(uint8_t, args, 2) + top * (cols / group), *q = PM_OUT(uint8_t, args, 3) + top * (cols / 2);
        /* Loops of a known length are unrolled, which pays where groups are short. */
        switch (group) {
        case 32:
            quantize_rows(x, q, s, z, n, cols, 32, symmetric);
            break;
        case 64:
            quantize_rows(x, q, s, z, n, cols, 64, symmetric);
            break;
        case 128:
            quantize_rows(x, q, s, z, n, cols, 128, symmetric);
            break;
        default:
            quantize_rows(x, q, s, z, n, cols, group, symmetric);
        }
    }
    pm_stream_end();
}

#else

/* Of a tile of columns; loops over it vectorise. */
typedef struct {
    float low[TILE], high[TILE], scale[TILE], by_high[TILE], by_low[TILE];
    int32_t zero[TILE];
    uint32_t code[TILE];
} tile;

static void ranges(tile *t, const float *x, int64_t group, int64_t cols, int64_t n) {
    memset(t->low, 0, sizeof t->low);
    memset(t->high, 0, sizeof t->high);
    for (int64_t r = 0; r < group; r++) {
        const float *row = x + r * cols;
        for (int64_t c = 0; c < n; c++) {
            t->low[c] = row[c] < t->low[c] ? row[c] : t->low[c];
            t->high[c] = row[c] > t->high[c] ? row[c] : t->high[c];
        }
    }
}

static void codes(tile *t, const float *row, int64_t n, int ordinary) {
    if (ordinary) {
        for (int64_t c = 0; c < n; c++) {
            int32_t code = rounded(quotient(row[c], (divisor){t->scale[c], t->by_high[c], t->by_low[c]})) + t->zero[c];
            t->code[c] = (uint32_t)(code < 15 ? code : 15);
        }
    } else {
        for (int64_t c = 0; c < n; c++) {
            t->code[c] = (uint32_t)code_of(row[c], (grid4){t->scale[c], t->zero[c]});
        }
    }
}

/* Eight columns a word. */
static void pack_columns(const uint32_t *code, uint32_t *words, int64_t n) {
    for (int64_t w = 0; w < n / 8; w++) {
        uint32_t packed = 0;
        PM_UNROLL
        for (int c = 0; c < 8; c++) {
            packed |= code[8 * w + c] << shift_of_column(c);
        }
        words[w] = packed;
    }
}

void int4_quantize(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *x = PM_IN(float, args, 0);
    float *s = PM_OUT(float, args, 1);
    uint32_t *z = PM_OUT(uint32_t, args, 2), *q = PM_OUT(uint32_t, args, 3);
    const int64_t cols = PM_NUMBER(int32_t, args, 5), group = PM_NUMBER(int32_t, args, 6);
    const int symmetric = PM_NUMBER(int32_t, args, 7);
    tile t;

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        const int64_t begin = at.x * TILE, n = pm_min(TILE, cols - begin);
        const float *own = x + at.y * group * cols + begin;
        int ordinary = 1;
        ranges(&t, own, group, cols, n);
        for (int64_t c = 0; c < n; c++) {
            grid4 g = grid_of(t.low[c], t.high[c], symmetric);
            t.scale[c] = g.scale;
            divisor by = divide_by(g.scale);
            t.by_high[c] = by.high;
            t.by_low[c] = by.low;
            t.zero[c] = g.zero;
            t.code[c] = (uint32_t)(g.zero - STORED_LESS) & 15;
            ordinary &= is_ordinary(g.scale);
        }
        memcpy(s + at.y * cols + begin, t.scale, (size_t)n * sizeof(float));
        pack_columns(t.code, z + (at.y * cols + begin) / 8, n);
        for (int64_t r = 0; r < group; r++) {
            codes(&t, own + r * cols, n, ordinary);
            const int64_t row = at.y * group + r;
#if defined(PACKING_awq)
            pack_columns(t.code, q + word_of(row, begin, cols), n);
#else
            uint32_t *words = q + word_of(row, begin, cols);
            for (int64_t c = 0; c < n; c++) {
                words[c] = (r % 8 == 0 ? 0 : words[c]) | t.code[c] << (r % 8 * 4);
            }
#endif
        }
    }
}

#endif
