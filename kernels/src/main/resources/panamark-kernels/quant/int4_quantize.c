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

PM_INLINE void quantize(const float *restrict x, uint8_t *restrict q, int64_t n, grid4 g, int symmetric) {
    const divisor by = divide_by(g.scale);
    const int32_t offset = g.zero - ROUNDING_BITS;
    uint32_t code[BATCH];
    uint8_t both[BATCH / 2];
    for (int64_t at = 0; at < n; at += BATCH) {
        int64_t count = pm_min(BATCH, n - at), i = 0;
        fetch_ahead(x + at, count, n);
        if (symmetric) {
            /* Codes are 1 to 15; 8 is even, so that adding it before rounding leaves ties where they are. */
            for (int64_t k = 0; k < count; k++) {
                code[k] = bits_of(quotient(x[at + k], by) + (ROUNDING + 8));
            }
        } else {
            for (int64_t k = 0; k < count; k++) {
                int32_t c = (int32_t)bits_of(quotient(x[at + k], by) + ROUNDING) + offset;
                code[k] = (uint32_t)(c < 15 ? c : 15);
            }
        }
        /* Two codes are the halves of a 64-bit number; its low byte takes both. Bits 4 to 7 of each half are 0. */
        for (; i + PM_LANES <= count; i += PM_LANES) {
            pairs two;
            memcpy(&two, code + i, sizeof two);
            bytes packed = __builtin_convertvector(two | (two >> 28 & 0xf0), bytes);
            memcpy(both + i / 2, &packed, sizeof packed);
        }
        for (; i < count; i += 2) {
            both[i / 2] = (uint8_t)(code[i] | code[i + 1] << 4);
        }
        pm_stream_copy((char *)q + at / 2, (char *)both, count / 2);
    }
}

static void quantize_extreme(const float *x, uint8_t *q, int64_t n, grid4 g) {
    for (int64_t i = 0; i < n; i += 2) {
        q[i / 2] = (uint8_t)(code_of(x[i], g) | code_of(x[i + 1], g) << 4);
    }
}

PM_INLINE void quantize_group(const float *x, uint8_t *q, int64_t n, int symmetric, float *s, uint8_t *z) {
    float low = 0, high = 0;
    if (symmetric) {
        high = amax(x, n);
    } else {
        range(x, n, &low, &high);
    }
    grid4 g = grid_of(low, high, symmetric);
    *s = g.scale;
    *z = (uint8_t)g.zero;
    if (is_ordinary(g.scale)) {
        quantize(x, q, n, g, symmetric);
    } else {
        quantize_extreme(x, q, n, g);
    }
}

void int4_quantize(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *x = PM_IN(float, args, 0);
    float *s = PM_OUT(float, args, 1);
    uint8_t *z = PM_OUT(uint8_t, args, 2), *q = PM_OUT(uint8_t, args, 3);
    const int64_t rows = PM_NUMBER(int32_t, args, 4), cols = PM_NUMBER(int32_t, args, 5);
    const int64_t group = PM_NUMBER(int32_t, args, 6);
    const int symmetric = PM_NUMBER(int32_t, args, 7);
    const int64_t groups = cols / group;
    (void)grid;

    for (int64_t block = first; block < last; block++) {
        /* Row by row within the innermost loop: memory delivers more from several places at once than from one. */
        const int64_t top = block * ROWS, bottom = pm_min(top + ROWS, rows);
        for (int64_t g = 0; g < groups; g++) {
            for (int64_t row = top; row < bottom; row++) {
                const int64_t at = row * cols + g * group, number = row * groups + g;
                /* Loops of a known length are unrolled, which pays where groups are short. */
                switch (group) {
                case 32:
                    quantize_group(x + at, q + at / 2, 32, symmetric, s + number, z + number);
                    break;
                case 64:
                    quantize_group(x + at, q + at / 2, 64, symmetric, s + number, z + number);
                    break;
                case 128:
                    quantize_group(x + at, q + at / 2, 128, symmetric, s + number, z + number);
                    break;
                default:
                    quantize_group(x + at, q + at / 2, group, symmetric, s + number, z + number);
                }
            }
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
