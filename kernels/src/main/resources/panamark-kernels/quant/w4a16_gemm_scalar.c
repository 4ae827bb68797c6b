/*
 * y[rows, out] = x[rows, in] times 4-bit weights [in, out], packed as int4.h says for [in, out], sums in f32, weight by
 * weight. PACKING_x and REAL_x are set when compiled. Grid: [out, rows]; a block is one output.
 */
#include "int4.h"
#include "real.h"

void w4a16_gemm_scalar(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const word *q = PM_IN(word, args, 0), *z = PM_IN(word, args, 2);
    const float *s = PM_IN(float, args, 1);
    const real *x = PM_IN(real, args, 3);
    real *y = PM_OUT(real, args, 4);
    const int64_t in = PM_NUMBER(int32_t, args, 6), out = PM_NUMBER(int32_t, args, 7);
    const int64_t width = PM_NUMBER(int32_t, args, 8);

    for (int64_t number = first; number < last; number++) {
        const int64_t col = number % grid[0], row = number / grid[0];
        float sum = 0;
        for (int64_t i = 0; i < in; i++) {
            int code = (int)(q[word_of(i, col, out)] >> shift_of(i, col) & 15);
            int zero = zero_of(z, i, col, out, width);
            sum += (float)(code - zero) * s[scale_of(i, col, out, width)] * from_real(x[row * in + i]);
        }
        y[row * out + col] = to_real(sum);
    }
}
