/*
 * Quantizes f32 [rows, cols] to an 8-bit format: scale = amax / max (1 where that is 0), q = x / scale rounded to nearest
 * even, held at the format's largest number. A scale serves width columns, of one row or (partials > 0) of all rows.
 *
 * A warp takes a row's group of width columns. ROWS (of a block) and FORMAT_x are set when compiled; blocks are whole warps.
 * With NATIVE=1 the codes are made by instructions of sm_89, and width is a multiple of 4.
 * Step 1, grid [partials]: the largest magnitudes of ROWS rows. Step 2, grid [1]: scales for all rows. Both return at once
 * where each row has its own scales. Step 3, grid [ceil(rows / ROWS)]: those scales, and the codes.
 */
#include "fp8.cuh"
#if NATIVE
#include "fp8_native.cuh"
#endif

/* Magnitudes order as their bits do, and so a NaN is larger than every number and not lost. */
PM_DEVICE uint32_t largest(const float *x, int width) {
    uint32_t most = 0;
    for (int i = threadIdx.x % PM_WARP; i < width; i += PM_WARP) {
        most = max(most, __float_as_uint(x[i]) & 0x7fffffff);
    }
    for (int lanes = PM_WARP / 2; lanes > 0; lanes /= 2) {
        most = max(most, __shfl_xor_sync(PM_ALL, most, lanes));
    }
    return most;
}

PM_KERNEL fp8_amax(const float *x, float *partial, int rows, int cols, int width, int partials) {
    if (partials == 0) {
        return;
    }
    const int groups = cols / width, first = blockIdx.x * ROWS, last = min(first + ROWS, rows);
    for (int group = threadIdx.x / PM_WARP; group < groups; group += blockDim.x / PM_WARP) {
        uint32_t most = 0;
        for (int row = first; row < last; row++) {
            most = max(most, largest(x + (int64_t)row * cols + group * width, width));
        }
        if (threadIdx.x % PM_WARP == 0) {
            partial[blockIdx.x * groups + group] = __uint_as_float(most);
        }
    }
}

PM_KERNEL fp8_scales(const float *partial, float *s, int partials, int groups, float most) {
    if (partials == 0) {
        return;
    }
    for (int group = threadIdx.x; group < groups; group += blockDim.x) {
        uint32_t amax = 0;
        for (int i = 0; i < partials; i++) {
            amax = max(amax, __float_as_uint(partial[i * groups + group]));
        }
        s[group] = scale_for(__uint_as_float(amax), most);
    }
}

#if NATIVE
/* Four columns at a time, which lie where 16 bytes of x begin. */
PM_DEVICE void put_codes(uint8_t *q, const float *x, float scale, int width) {
    for (int col = threadIdx.x % PM_WARP * 4; col < width; col += PM_WARP * 4) {
        const float4 its = *reinterpret_cast<const float4 *>(x + col);
        *reinterpret_cast<uint32_t *>(q + col) =
            codes_of(make_float4(its.x / scale, its.y / scale, its.z / scale, its.w / scale));
    }
}
#else
PM_DEVICE void put_codes(uint8_t *q, const float *x, float scale, int width) {
    for (int col = threadIdx.x % PM_WARP; col < width; col += PM_WARP) {
        q[col] = encode(x[col] / scale);
    }
}
#endif

PM_KERNEL fp8_quantize(const float *x, uint8_t *q, float *s, int rows, int cols, int width, int partials, float most) {
    const int groups = cols / width, first = blockIdx.x * ROWS;
    const int own = (min(first + ROWS, rows) - first) * groups;
    for (int i = threadIdx.x / PM_WARP; i < own; i += blockDim.x / PM_WARP) {
        const int row = first + i / groups, group = i % groups;
        const int64_t at = (int64_t)row * cols + group * width;
        float scale;
        if (partials > 0) {
            scale = s[group];
        } else {
            scale = scale_for(__uint_as_float(largest(x + at, width)), most);
            if (threadIdx.x % PM_WARP == 0) {
                s[(int64_t)row * groups + group] = scale;
            }
        }
        put_codes(q + at, x + at, scale, width);
    }
}
