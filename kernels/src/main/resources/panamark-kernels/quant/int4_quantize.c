/*
 * Quantizes f32 to symmetric INT4 with a scale for every group columns of a row: scale = amax / 7 (1 where amax is 0),
 * q = x / scale rounded to nearest even, limited to [-8, 7], stored plus 8. Two to a byte, the lower column in the low
 * four bits.
 *
 * ROWS is set when compiled. Grid: [ceil(rows / ROWS)]; a block quantizes ROWS rows. group is even and divides cols.
 */
#include "quantize.h"

#define INT4_MAX 7.0f

/* 0 to 15, biased by 8. Adding 1.5 * 2^23 rounds to a whole number, to even on ties, and leaves it in the low bits. */
PM_INLINE uint8_t to_biased_int4(float x) {
    float bounded = x < -8.0f ? -8.0f : x;
    bounded = bounded > 7.0f ? 7.0f : bounded;
    return (uint8_t)(bits_of(bounded + 12582912.0f) - 0x4b400000 + 8);
}

/* Codes go through a small buffer: making them and pairing them are two loops that vectorise, together one that does not. */
#define BATCH 256

static void quantize(const float *restrict x, uint8_t *restrict q, int64_t n, float scale) {
    uint8_t code[BATCH];
    for (int64_t at = 0; at < n; at += BATCH) {
        int64_t count = pm_min(BATCH, n - at);
        for (int64_t i = 0; i < count; i++) {
            code[i] = to_biased_int4(x[at + i] / scale);
        }
        for (int64_t i = 0; i < count / 2; i++) {
            q[at / 2 + i] = (uint8_t)(code[2 * i] | code[2 * i + 1] << 4);
        }
    }
}

void int4_quantize(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *x = PM_IN(float, args, 0);
    uint8_t *q = PM_OUT(uint8_t, args, 1);
    float *s = PM_OUT(float, args, 2);
    const int64_t rows = PM_NUMBER(int32_t, args, 3), cols = PM_NUMBER(int32_t, args, 4);
    const int64_t group = PM_NUMBER(int32_t, args, 5);
    const int64_t end = pm_min(last * ROWS, rows) * cols;
    (void)grid;

    for (int64_t at = first * ROWS * cols; at < end; at += group) {
        float scale = scale_for(amax(x + at, group), INT4_MAX);
        s[at / group] = scale;
        quantize(x + at, q + at / 2, group, scale);
    }
}
