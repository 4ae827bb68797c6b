/*
 * Quantizes f32 [rows, cols] to an 8-bit format number by number, as the formula is written: scale = amax / max (1 where
 * that is 0), q = x / scale rounded to nearest even, held at the format's largest number. A scale serves width columns, of
 * one row or (partials > 0) of all rows.
 *
 * FORMAT_x is set when compiled. Step 1, grid [scales]: one scale. Step 2, grid [rows]: the codes of one row.
 */
#include "fp8.h"

static uint8_t encode(float x) {
    uint8_t sign = bits_of(x) >> 31 ? 0x80 : 0;
    float magnitude = x < 0 ? -x : x;
    if (x != x) {
        return FNUZ ? 0x80 : sign | 0x7f;
    }
    if (magnitude >= LARGEST) {
        magnitude = LARGEST;
    }
    /* The exponent; subnormal numbers have that of the smallest normal one. */
    int exponent = (int)(bits_of(magnitude) >> 23) - 127;
    if (exponent < 1 - BIAS) {
        exponent = 1 - BIAS;
    }
    /* Whole steps of the format at this exponent, and what is left of the number, both exact. */
    float step = float_of((uint32_t)(exponent - FRACTION + 127) << 23);
    int steps = (int)(magnitude / step);
    float rest = magnitude - (float)steps * step;
    if (rest > step / 2 || (rest == step / 2 && steps % 2 == 1)) {
        steps++;
    }
    /* A normal number has a leading one, which is not stored; a carry out of the steps moves into the exponent. */
    int code = ((exponent + BIAS - 1) << FRACTION) + steps;
    if (FNUZ && code == 0) {
        return 0;
    }
    return (uint8_t)(sign | code);
}

void fp8_scales_scalar(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *x = PM_IN(float, args, 0);
    float *s = PM_OUT(float, args, 1);
    const int64_t rows = PM_NUMBER(int32_t, args, 2), cols = PM_NUMBER(int32_t, args, 3);
    const int64_t width = PM_NUMBER(int32_t, args, 4), shared = PM_NUMBER(int32_t, args, 5);
    const float max = PM_NUMBER(float, args, 6);
    const int64_t groups = cols / width;
    (void)grid;

    for (int64_t at = first; at < last; at++) {
        const float *own = x + at / groups * cols + at % groups * width;
        float most = 0;
        for (int64_t row = 0; row < (shared ? rows : 1); row++) {
            for (int64_t col = 0; col < width; col++) {
                float magnitude = own[row * cols + col] < 0 ? -own[row * cols + col] : own[row * cols + col];
                most = magnitude > most ? magnitude : most;
            }
        }
        s[at] = scale_for(most, max);
    }
}

void fp8_quantize_scalar(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *x = PM_IN(float, args, 0), *s = PM_IN(float, args, 1);
    uint8_t *q = PM_OUT(uint8_t, args, 2);
    const int64_t cols = PM_NUMBER(int32_t, args, 3), width = PM_NUMBER(int32_t, args, 4);
    const int64_t shared = PM_NUMBER(int32_t, args, 5);
    (void)grid;

    for (int64_t row = first; row < last; row++) {
        for (int64_t col = 0; col < cols; col++) {
            float scale = s[(shared ? 0 : row) * (cols / width) + col / width];
            q[row * cols + col] = encode(x[row * cols + col] / scale);
        }
    }
}
