/*
 * How many bytes a GPU streams: dst[w][i] = (src[0][i] + src[1][i] + ...) * (w + 1), sums in that order.
 *
 * READS, WRITES and CHUNK are set when compiled. Grid: [n / CHUNK], block: [256]; a thread has four neighbours at a time, and
 * all it reads is on its way before the first sum.
 */
#include "../panamark_cuda.cuh"

#define THREADS 256
#define TURNS (CHUNK / (4 * THREADS))

static_assert(TURNS * 4 * THREADS == CHUNK, "a chunk is whole turns");

PM_DEVICE float4 plus(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

PM_KERNEL __launch_bounds__(THREADS) ceiling_bandwidth(const float *src, float *dst, int64_t n) {
    const int64_t begin = (int64_t)blockIdx.x * CHUNK + threadIdx.x * 4;
    for (int turn = 0; turn < TURNS; turn += 2) {
        float4 each[2][READS];
#pragma unroll
        for (int t = 0; t < 2; t++) {
#pragma unroll
            for (int r = 0; r < READS; r++) {
                each[t][r] = __ldcs(reinterpret_cast<const float4 *>(src + r * n + begin + (turn + t) * 4 * THREADS));
            }
        }
#pragma unroll
        for (int t = 0; t < 2; t++) {
            float4 sum = each[t][0];
#pragma unroll
            for (int r = 1; r < READS; r++) {
                sum = plus(sum, each[t][r]);
            }
#pragma unroll
            for (int w = 0; w < WRITES; w++) {
                const float by = w + 1;
                __stcs(reinterpret_cast<float4 *>(dst + w * n + begin + (turn + t) * 4 * THREADS),
                       make_float4(sum.x * by, sum.y * by, sum.z * by, sum.w * by));
            }
        }
    }
}
