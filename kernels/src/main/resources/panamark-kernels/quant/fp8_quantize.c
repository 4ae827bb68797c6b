/*
 * Quantizes f32 to OCP E4M3 with one scale for the tensor, for each row, or for each run of group columns:
 * scale = amax / 448 (1 where amax is 0), q = x / scale rounded to nearest even, saturating.
 *
 * ROWS is set when compiled. Step 1, grid [partials]: the largest magnitude of ROWS rows, where the tensor has one scale (partials > 0).
 * Step 2, grid [ceil(rows / ROWS)]: a block quantizes ROWS rows.
 */
#include "quantize.h"

#define E4M3_MAX 448.0f

/*
 * E4M3 has 4 exponent bits with bias 7, 3 mantissa bits, subnormals down to 2^-9 and no infinity. Branch-free, so that
 * it vectorises: both the normal and the subnormal code are made, each rounded to nearest even, and one is chosen.
 */
PM_INLINE uint8_t to_e4m3(float x) {
    uint32_t sign = bits_of(x) >> 24 & 0x80;
    uint32_t magnitude = bits_of(x) & 0x7fffffff;
    uint32_t bounded = magnitude > 0x43e00000 ? 0x43e00000 : magnitude; /* 448.0f */
    /* Drop 20 mantissa bits, half an ulp less one up, one more when odd; a carry moves into the exponent, rightly. */
    uint32_t normal = ((bounded + 0x7ffff + (bounded >> 20 & 1)) >> 20) - ((127 - 7) << 3);
    /* At 2^14 an ulp is 2^-9, so the addition rounds to whole subnormals and leaves their number in the low bits. */
    uint32_t subnormal = bits_of(float_of(bounded) + 16384.0f) - 0x46800000;
    uint32_t code = bounded < 0x3c800000 ? subnormal : normal; /* 2^-6 */
    code = magnitude > 0x7f800000 ? 0x7f : code;               /* NaN */
    return (uint8_t)(sign | code);
}

static void quantize(const float *restrict x, uint8_t *restrict q, int64_t n, float scale) {
    for (int64_t i = 0; i < n; i++) {
        q[i] = to_e4m3(x[i] / scale);
    }
}

void fp8_amax(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *x = PM_IN(float, args, 0);
    float *partial = PM_OUT(float, args, 1);
    const int64_t rows = PM_NUMBER(int32_t, args, 2), cols = PM_NUMBER(int32_t, args, 3);
    const int64_t partials = PM_NUMBER(int32_t, args, 4);
    (void)grid;

    for (int64_t b = first; b < last && b < partials; b++) {
        int64_t row = b * ROWS;
        partial[b] = amax(x + row * cols, (pm_min(row + ROWS, rows) - row) * cols);
    }
}

void fp8_quantize(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *x = PM_IN(float, args, 0), *partial = PM_IN(float, args, 1);
    uint8_t *q = PM_OUT(uint8_t, args, 2);
    float *s = PM_OUT(float, args, 3);
    const int64_t rows = PM_NUMBER(int32_t, args, 4), cols = PM_NUMBER(int32_t, args, 5);
    const int64_t group = PM_NUMBER(int32_t, args, 6), partials = PM_NUMBER(int32_t, args, 7);
    const int64_t begin = first * ROWS, end = pm_min(last * ROWS, rows);
    (void)grid;

    if (partials > 0) {
        float scale = scale_for(amax(partial, partials), E4M3_MAX);
        if (begin == 0) {
            s[0] = scale;
        }
        quantize(x + begin * cols, q + begin * cols, (end - begin) * cols, scale);
        return;
    }
    for (int64_t at = begin * cols; at < end * cols; at += group) {
        float scale = scale_for(amax(x + at, group), E4M3_MAX);
        s[at / group] = scale;
        quantize(x + at, q + at, group, scale);
    }
}
