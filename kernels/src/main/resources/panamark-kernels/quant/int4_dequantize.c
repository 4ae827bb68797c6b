/*
 * out = (code - zero point) * scale [rows, cols] in f32, rounded to the type of the output; packings in int4.h.
 *
 * ROWS, TILE, PACKING_x and REAL_x are set when compiled. Grid, plain: [ceil(rows / ROWS)], a block is ROWS rows; others:
 * [ceil(cols / TILE), groups], a block is one group of TILE columns.
 */
#include "int4.h"
#include "real.h"

#if defined(PACKING_plain)

static void dequantize(const uint8_t *restrict q, real *restrict out, int64_t n, float scale, int zero) {
    float x[BATCH];
    for (int64_t at = 0; at < n; at += BATCH) {
        int64_t count = pm_min(BATCH, n - at);
        for (int64_t i = 0; i < count / 2; i++) {
            int both = q[at / 2 + i];
            x[2 * i] = (float)((both & 15) - zero) * scale;
            x[2 * i + 1] = (float)((both >> 4) - zero) * scale;
        }
        stream_reals(x, out + at, count);
    }
}

void int4_dequantize(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const uint8_t *q = PM_IN(uint8_t, args, 0), *z = PM_IN(uint8_t, args, 2);
    const float *s = PM_IN(float, args, 1);
    real *out = PM_OUT(real, args, 3);
    const int64_t rows = PM_NUMBER(int32_t, args, 4), cols = PM_NUMBER(int32_t, args, 5);
    const int64_t group = PM_NUMBER(int32_t, args, 6);
    (void)grid;

    int64_t number = first * ROWS * (cols / group);
    for (int64_t at = first * ROWS * cols; at < pm_min(last * ROWS, rows) * cols; at += group, number++) {
        dequantize(q + at / 2, out + at, group, s[number], z[number]);
    }
    pm_stream_end();
}

#else

/* The codes of a row of a tile of columns. */
static void unpack(const uint32_t *restrict q, int64_t row, int64_t n, int32_t *restrict code) {
#if defined(PACKING_awq)
    (void)row;
    for (int64_t w = 0; w < n / 8; w++) {
        PM_UNROLL
        for (int c = 0; c < 8; c++) {
            code[8 * w + c] = (int32_t)(q[w] >> shift_of_column(c) & 15);
        }
    }
#else
    const int shift = shift_of(row, 0);
    for (int64_t c = 0; c < n; c++) {
        code[c] = (int32_t)(q[c] >> shift & 15);
    }
#endif
}

void int4_dequantize(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const uint32_t *q = PM_IN(uint32_t, args, 0), *z = PM_IN(uint32_t, args, 2);
    const float *s = PM_IN(float, args, 1);
    real *out = PM_OUT(real, args, 3);
    const int64_t cols = PM_NUMBER(int32_t, args, 5), group = PM_NUMBER(int32_t, args, 6);
    int32_t zero[TILE], code[TILE];
    float x[TILE];

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        const int64_t begin = at.x * TILE, n = pm_min(TILE, cols - begin);
        const float *scale = s + at.y * cols + begin;
        for (int64_t c = 0; c < n; c++) {
            zero[c] = zero_of(z, at.y * group, begin + c, cols, group);
        }
        for (int64_t row = at.y * group; row < (at.y + 1) * group; row++) {
            unpack(q + word_of(row, begin, cols), row, n, code);
            for (int64_t c = 0; c < n; c++) {
                x[c] = (float)(code[c] - zero[c]) * scale[c];
            }
            stream_reals(x, out + row * cols + begin, n);
        }
    }
    pm_stream_end();
}

#endif
