/*
 * Multiplies 8-bit numbers [rows, cols] with their scales in f32 and rounds to the type of the output, REAL. A scale serves
 * width columns of one row, or (shared) of all rows.
 *
 * ROWS, FORMAT_x and REAL are set when compiled; with NATIVE=1 codes are read by instructions of sm_89, four columns at a
 * time, and width is a multiple of 4. Grid: [ceil(rows / ROWS)].
 */
#include "fp8.cuh"
#if NATIVE
#include "fp8_native.cuh"
#endif

typedef PM_TYPE(REAL) real;

#if NATIVE
#define STEP 4
/* As many bytes as four numbers have. */
struct alignas(4 * sizeof(real)) four {
    real of[4];
};

PM_DEVICE void put_numbers(real *out, const uint8_t *q, float scale) {
    const float4 its = numbers_of(*reinterpret_cast<const uint32_t *>(q));
    four all;
    pm_put(all.of, its.x * scale);
    pm_put(all.of + 1, its.y * scale);
    pm_put(all.of + 2, its.z * scale);
    pm_put(all.of + 3, its.w * scale);
    *reinterpret_cast<four *>(out) = all;
}
#else
#define STEP 1
PM_DEVICE void put_numbers(real *out, const uint8_t *q, float scale) {
    pm_put(out, decode(*q) * scale);
}
#endif

PM_KERNEL fp8_dequantize(const uint8_t *q, const float *s, real *out, int rows, int cols, int width, int shared) {
    const int first = blockIdx.x * ROWS, own = (min(first + ROWS, rows) - first) * cols, groups = cols / width;
    for (int i = threadIdx.x * STEP; i < own; i += blockDim.x * STEP) {
        const int64_t row = first + i / cols, at = (int64_t)first * cols + i;
        put_numbers(out + at, q + at, s[(shared ? 0 : row * groups) + i % cols / width]);
    }
}
