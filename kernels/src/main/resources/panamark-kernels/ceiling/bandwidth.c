/*
 * How fast memory can be streamed at a given mix of reads and writes:
 *     dst[w][i] = (src[0][i] + src[1][i] + ...) * (w + 1)
 *
 * READS, WRITES and CHUNK are set when compiled. Grid: [ceil(n / CHUNK)]; a block is CHUNK consecutive elements of every
 * array.
 */
#include "../stream.h"

PM_INLINE pm_vec sum_vectors(const float *src, int64_t n) {
    pm_vec sum = pm_load(src);
    PM_UNROLL
    for (int r = 1; r < READS; r++) {
        sum += pm_load(src + r * n);
    }
    return sum;
}

static void run_plain(const float *src, float *dst, int64_t n, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) {
        float sum = src[i];
        for (int64_t r = 1; r < READS; r++) {
            sum += src[r * n + i];
        }
        for (int64_t w = 0; w < WRITES; w++) {
            dst[w * n + i] = sum * (float)(w + 1);
        }
    }
}

void ceiling_bandwidth(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *src = PM_IN(float, args, 0);
    float *dst = PM_OUT(float, args, 1);
    const int64_t n = PM_NUMBER(int64_t, args, 2);
    const int64_t begin = first * CHUNK, end = pm_min(last * CHUNK, n);
    (void)grid;

    int64_t i = begin;
    /* Every destination starts at a multiple of n, so all are aligned when the first is and n is whole vectors. */
    if ((uintptr_t)dst % sizeof(pm_vec) == 0 && n % PM_LANES == 0) {
        for (; i < end; i += PM_LANES) {
            pm_vec sum = sum_vectors(src + i, n);
            for (int64_t w = 0; w < WRITES; w++) {
                pm_stream(dst + w * n + i, sum * (float)(w + 1));
            }
        }
        pm_stream_end();
    }
    run_plain(src, dst, n, i, end);
}
