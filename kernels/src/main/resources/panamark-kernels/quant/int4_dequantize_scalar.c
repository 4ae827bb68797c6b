/*
 * out = (code - zero point) * scale [rows, cols], element by element, in f32, rounded to the type of the output; packings
 * in int4.h. PACKING_x and REAL_x are set when compiled. Grid: [rows]; a block is a row.
 */
#include "int4.h"
#include "real.h"

void int4_dequantize_scalar(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const word *q = PM_IN(word, args, 0), *z = PM_IN(word, args, 2);
    const float *s = PM_IN(float, args, 1);
    real *out = PM_OUT(real, args, 3);
    const int64_t cols = PM_NUMBER(int32_t, args, 5), group = PM_NUMBER(int32_t, args, 6);
    (void)grid;

    for (int64_t row = first; row < last; row++) {
        for (int64_t col = 0; col < cols; col++) {
            int code = (int)(q[word_of(row, col, cols)] >> shift_of(row, col) & 15);
            int zero = zero_of(z, row, col, cols, group);
            float scale = s[scale_of(row, col, cols, group)];
            out[row * cols + col] = to_real((float)(code - zero) * scale);
        }
    }
}
