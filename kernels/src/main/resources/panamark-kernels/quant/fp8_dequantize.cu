/*
 * Multiplies 8-bit numbers [rows, cols] with their scales in f32 and rounds to the type of the output, REAL. A scale serves
 * width columns of one row, or (shared) of all rows.
 *
 * ROWS, FORMAT_x and REAL are set when compiled. Grid: [ceil(rows / ROWS)].
 */
#include "fp8.cuh"

typedef PM_TYPE(REAL) real;

PM_KERNEL fp8_dequantize(const uint8_t *q, const float *s, real *out, int rows, int cols, int width, int shared) {
    const int first = blockIdx.x * ROWS, own = (min(first + ROWS, rows) - first) * cols, groups = cols / width;
    for (int i = threadIdx.x; i < own; i += blockDim.x) {
        const int64_t row = first + i / cols, at = (int64_t)first * cols + i;
        const float scale = s[(shared ? 0 : row * groups) + i % cols / width];
        pm_put(out + at, decode(q[at]) * scale);
    }
}
