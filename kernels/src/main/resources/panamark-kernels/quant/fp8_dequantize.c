/*
 * Multiplies 8-bit numbers [rows, cols] with their scales in f32 and rounds to the type of the output. A scale serves
 * width columns, of one row or (shared) of all rows.
 *
 * ROWS, FORMAT_x and REAL_x are set when compiled. Grid: [ceil(rows / ROWS)]; a block is ROWS rows.
 */
#include "fp8.h"
#include "real.h"

/* Exact. Branch-free, so that it vectorises; a subnormal number is made with a leading one that is taken off again. */
PM_INLINE float decode(uint8_t code) {
    uint32_t magnitude = code & 0x7f, sign = (uint32_t)(code & 0x80) << 24;
    uint32_t fraction = magnitude << (23 - FRACTION);
    uint32_t normal = fraction + ((127 - BIAS) << 23);
    float leading = float_of((uint32_t)(127 + 1 - BIAS) << 23);
    uint32_t subnormal = bits_of(float_of(fraction + ((127 + 1 - BIAS) << 23)) - leading);
    uint32_t bits = magnitude < 1 << FRACTION ? subnormal : normal;
#if FNUZ
    return float_of(code == 0x80 ? 0x7fc00000 : sign | bits);
#elif FRACTION == 3
    return float_of(sign | (magnitude == 0x7f ? 0x7fc00000 : bits));
#else
    return float_of(sign | (magnitude > 0x7c ? 0x7fc00000 : magnitude == 0x7c ? 0x7f800000 : bits));
#endif
}

static void dequantize(const uint8_t *restrict q, real *restrict out, int64_t n, float scale) {
    float x[BATCH];
    for (int64_t at = 0; at < n; at += BATCH) {
        int64_t count = pm_min(BATCH, n - at);
        for (int64_t i = 0; i < count; i++) {
            x[i] = decode(q[at + i]) * scale;
        }
        stream_reals(x, out + at, count);
    }
}

void fp8_dequantize(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const uint8_t *q = PM_IN(uint8_t, args, 0);
    const float *s = PM_IN(float, args, 1);
    real *out = PM_OUT(real, args, 2);
    const int64_t rows = PM_NUMBER(int32_t, args, 3), cols = PM_NUMBER(int32_t, args, 4);
    const int64_t width = PM_NUMBER(int32_t, args, 5), shared = PM_NUMBER(int32_t, args, 6);
    const int64_t groups = cols / width;
    (void)grid;

    for (int64_t row = first * ROWS; row < pm_min(last * ROWS, rows); row++) {
        for (int64_t g = 0; g < groups; g++) {
            int64_t at = row * cols + g * width;
            dequantize(q + at, out + at, width, s[(shared ? 0 : row) * groups + g]);
        }
    }
    pm_stream_end();
}
