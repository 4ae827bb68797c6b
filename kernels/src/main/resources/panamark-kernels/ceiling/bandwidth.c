/*
 * How fast memory can be streamed at a given mix of reads and writes: dst[w][i] = src[0][i] + src[1][i] + ...
 *
 * READS, WRITES are set when compiled. Grid: [ceil(n / CHUNK)]; a block is CHUNK consecutive elements of every array.
 */
#include "../panamark_cpu.h"

#define CHUNK 8192

void ceiling_bandwidth(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *src = PM_IN(float, args, 0);
    float *dst = PM_OUT(float, args, 1);
    const int64_t n = PM_NUMBER(int64_t, args, 2);
    const int64_t end = pm_min(last * CHUNK, n);
    (void)grid;

    int64_t i = first * CHUNK;
    for (; i + PM_LANES <= end; i += PM_LANES) {
        pm_vec sum = pm_load(src + i);
        for (int64_t r = 1; r < READS; r++) {
            sum += pm_load(src + r * n + i);
        }
        for (int64_t w = 0; w < WRITES; w++) {
            pm_store(dst + w * n + i, sum);
        }
    }
    for (; i < end; i++) {
        float sum = src[i];
        for (int64_t r = 1; r < READS; r++) {
            sum += src[r * n + i];
        }
        for (int64_t w = 0; w < WRITES; w++) {
            dst[w * n + i] = sum;
        }
    }
}
