/*
 * Quantizes f32 [rows, cols] to INT4: a scale and a zero point for each group columns of a row, two codes a byte, the lower
 * column low. ROWS (of a block) is set when compiled; a warp takes a group. Grid: [ceil(rows / ROWS)].
 *
 * symmetric: scale = amax / 7, zero point 8. Otherwise the range of the group with 0 in it becomes 0 to 15.
 */
#include "../panamark_cuda.cuh"

/* 1 where that would be 0, which nothing can be divided by. */
PM_DEVICE float scale_for(float range, float codes) {
    float scale = range / codes;
    return scale == 0 ? 1 : scale;
}

PM_DEVICE int code_of(float x, float scale, int zero) {
    float y = fminf(fmaxf(x / scale, -15.0f), 15.0f);
    return min(max(__float2int_rn(y) + zero, 0), 15);
}

PM_KERNEL int4_quantize(const float *x, float *s, uint8_t *z, uint8_t *q, int rows, int cols, int group,
                        int symmetric) {
    const int groups = cols / group, first = blockIdx.x * ROWS, lane = threadIdx.x % PM_WARP;
    const int own = (min(first + ROWS, rows) - first) * groups;
    for (int i = threadIdx.x / PM_WARP; i < own; i += blockDim.x / PM_WARP) {
        const int64_t number = (int64_t)first * groups + i, at = number * group;
        float low = 0, high = 0;
        for (int col = lane; col < group; col += PM_WARP) {
            low = fminf(low, x[at + col]);
            high = fmaxf(high, x[at + col]);
        }
        high = pm_warp_max(high);
        low = -pm_warp_max(-low);
        const float scale = symmetric ? scale_for(fmaxf(high, -low), 7) : scale_for(high - low, 15);
        const int zero = symmetric ? 8 : __float2int_rn(fminf(-low / scale, 15));
        for (int pair = lane; pair < group / 2; pair += PM_WARP) {
            const int even = code_of(x[at + 2 * pair], scale, zero), odd = code_of(x[at + 2 * pair + 1], scale, zero);
            q[at / 2 + pair] = even | odd << 4;
        }
        if (lane == 0) {
            s[number] = scale;
            z[number] = zero;
        }
    }
}
