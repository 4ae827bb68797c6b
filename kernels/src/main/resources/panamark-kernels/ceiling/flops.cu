/*
 * How many fused multiply-adds a GPU's FMA units can do: independent chains in every thread, nothing in the loop but them.
 *
 * Grid: [blocks], block: [256]; a block is BLOCK elements, each a chain of its own: x = 1 + (i % 32) / 32, then chain
 * times x = x * a + b. BLOCK is set when compiled.
 */
#include "../panamark_cuda.cuh"

#define THREADS 256
#define CHAINS (BLOCK / THREADS) /* of a thread: more than a latency of four clocks, even for one warp a scheduler */

static_assert(CHAINS * THREADS == BLOCK, "a block is whole sets of chains");

PM_KERNEL __launch_bounds__(THREADS) ceiling_flops(float *out, float a, float b, int chain) {
    const int64_t at = (int64_t)blockIdx.x * BLOCK + threadIdx.x;
    float x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        x[c] = 1 + (at + c * THREADS) % 32 * 0.03125f;
    }
#pragma unroll 8
    for (int step = 0; step < chain; step++) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++) {
            x[c] = fmaf(x[c], a, b);
        }
    }
#pragma unroll
    for (int c = 0; c < CHAINS; c++) {
        out[at + c * THREADS] = x[c];
    }
}
