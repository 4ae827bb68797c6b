/*
 * y[out] = sum over in of (code - zero point) * scale * x[in]: 4-bit weights [in, out], packed as int4.h says for [rows,
 * cols], x and y f16, sums in f32, weight by weight. PACKING_x is set when compiled. Grid: [out]; a block is one output.
 */
#define REAL_f16
#include "int4.h"
#include "real.h"

void w4a16_gemv_scalar(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const word *q = PM_IN(word, args, 0), *z = PM_IN(word, args, 2);
    const float *s = PM_IN(float, args, 1);
    const real *x = PM_IN(real, args, 3);
    real *y = PM_OUT(real, args, 4);
    const int64_t in = PM_NUMBER(int32_t, args, 5), out = PM_NUMBER(int32_t, args, 6);
    const int64_t group = PM_NUMBER(int32_t, args, 7);
    (void)grid;

    for (int64_t col = first; col < last; col++) {
        float sum = 0;
        for (int64_t row = 0; row < in; row++) {
            int code = (int)(q[word_of(row, col, out)] >> shift_of(row, col) & 15);
            int zero = zero_of(z, row, col, out, group);
            sum += (float)(code - zero) * s[scale_of(row, col, out, group)] * from_real(x[row]);
        }
        y[col] = to_real(sum);
    }
}
