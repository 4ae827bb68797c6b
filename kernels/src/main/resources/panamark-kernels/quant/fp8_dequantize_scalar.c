/*
 * Multiplies 8-bit numbers [rows, cols] with their scales in f32, number by number, and rounds to the type of the output.
 *
 * FORMAT_x and REAL_x are set when compiled. Grid: [rows]; a block is a row.
 */
#include "fp8.h"
#include "real.h"

static float decode(uint8_t code) {
    int exponent = (code & 0x7f) >> FRACTION, fraction = code & ((1 << FRACTION) - 1);
#if FNUZ
    if (code == 0x80) {
        return float_of(0x7fc00000);
    }
#elif FRACTION == 3
    if ((code & 0x7f) == 0x7f) {
        return float_of((uint32_t)(code & 0x80) << 24 | 0x7fc00000);
    }
#else
    if (exponent == 31) {
        return float_of((uint32_t)(code & 0x80) << 24 | (fraction == 0 ? 0x7f800000 : 0x7fc00000));
    }
#endif
    if (exponent == 0) {
        exponent = 1; /* subnormal */
    } else {
        fraction += 1 << FRACTION;
    }
    float value = (float)fraction * float_of((uint32_t)(exponent - BIAS - FRACTION + 127) << 23);
    return code & 0x80 ? -value : value;
}

void fp8_dequantize_scalar(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const uint8_t *q = PM_IN(uint8_t, args, 0);
    const float *s = PM_IN(float, args, 1);
    real *out = PM_OUT(real, args, 2);
    const int64_t cols = PM_NUMBER(int32_t, args, 3), width = PM_NUMBER(int32_t, args, 4);
    const int64_t shared = PM_NUMBER(int32_t, args, 5);
    (void)grid;

    for (int64_t row = first; row < last; row++) {
        for (int64_t col = 0; col < cols; col++) {
            float scale = s[(shared ? 0 : row) * (cols / width) + col / width];
            out[row * cols + col] = to_real(decode(q[row * cols + col]) * scale);
        }
    }
}
