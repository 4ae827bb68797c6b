/*
 * out = (code - zero point) * scale [rows, cols] in f32, rounded to the type of the output, REAL; two codes a byte, the
 * lower column low, a scale and a zero point for each group columns of a row. ROWS (of a block) is set when compiled.
 * Grid: [ceil(rows / ROWS)]; a thread takes a byte.
 */
#include "../panamark_cuda.cuh"

typedef PM_TYPE(REAL) real;

PM_KERNEL int4_dequantize(const uint8_t *q, const float *s, const uint8_t *z, real *out, int rows, int cols,
                          int group) {
    const int first = blockIdx.x * ROWS, own = (min(first + ROWS, rows) - first) * (cols / 2);
    for (int i = threadIdx.x; i < own; i += blockDim.x) {
        const int64_t at = (int64_t)first * (cols / 2) + i, number = at * 2 / group;
        const int byte = q[at], zero = z[number];
        pm_put(out + 2 * at, (float)((byte & 15) - zero) * s[number]);
        pm_put(out + 2 * at + 1, (float)((byte >> 4) - zero) * s[number]);
    }
}
