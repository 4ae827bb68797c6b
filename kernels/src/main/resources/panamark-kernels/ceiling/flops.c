/*
 * How many fused multiply-adds a core can do: enough independent chains to cover their latency on every unit, nothing
 * in the loop but them.
 *
 * BLOCK is set when compiled. Grid: [blocks]; a block is BLOCK elements, each a chain of its own: x = 1 + (i % 32) / 32,
 * then chain times x = x * a + b.
 */
#include "../panamark_cpu.h"

/* At least latency x units: 4 x 2 on x86 (5 x 2 on Haswell), 4 x 4 on large Arm cores. Two registers hold a and b. */
#if PM_REGISTERS >= 32
#define CHAINS 24
#else
#define CHAINS 12
#endif

_Static_assert(BLOCK % (CHAINS * PM_LANES) == 0, "a block is whole sets of chains");

static void run_chains(float *out, int64_t at, float a, float b, int64_t chain) {
    pm_vec x[CHAINS];
    const pm_vec factor = pm_splat(a), addend = pm_splat(b);
    PM_UNROLL
    for (int c = 0; c < CHAINS; c++) {
        PM_UNROLL
        for (int i = 0; i < PM_LANES; i++) {
            x[c][i] = 1.0f + (float)((at + c * PM_LANES + i) % 32) * 0.03125f;
        }
    }
    for (int64_t step = 0; step < chain; step++) {
        PM_UNROLL
        for (int c = 0; c < CHAINS; c++) {
            x[c] = x[c] * factor + addend;
        }
    }
    PM_UNROLL
    for (int c = 0; c < CHAINS; c++) {
        pm_store(out + at + c * PM_LANES, x[c]);
    }
}

void ceiling_flops(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    float *out = PM_OUT(float, args, 0);
    const float a = PM_NUMBER(float, args, 1), b = PM_NUMBER(float, args, 2);
    const int64_t chain = PM_NUMBER(int32_t, args, 3);
    (void)grid;

    for (int64_t at = first * BLOCK; at < last * BLOCK; at += CHAINS * PM_LANES) {
        run_chains(out, at, a, b, chain);
    }
}
