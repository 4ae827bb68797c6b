/*
 * y[rows, out] = x[rows, in] times 4-bit weights [in, out], packed as packing.cuh says, sums in f32, weight by weight.
 * Grid: [ceil(out / 128), rows], block: [128]; a thread is an output. REAL and PACKING_x are set when compiled.
 */
#include "packing.cuh"

typedef PM_TYPE(REAL) real;

PM_KERNEL w4a16_gemm_scalar(const uint32_t *q, const float *s, const uint32_t *z, const real *x, real *y, int rows, int in,
                            int out, int width) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (col >= out) {
        return;
    }
    float sum = 0;
    for (int i = 0; i < in; i++) {
        const int group = i / width;
        const float weight = (float)(code_of(q, i, col, out) - zero_of(z, group, col, out)) * s[(int64_t)group * out + col];
        sum += weight * pm_float(x[(int64_t)row * in + i]);
    }
    pm_put(y + (int64_t)row * out + col, sum);
}
