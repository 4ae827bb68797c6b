/*
 * y[rows, out] = x[rows, in] times 4-bit weights [in, out], packed as packing.cuh says, on tensor cores. Codes less their zero
 * points are whole numbers, which REAL (f16 or bf16) holds exactly, so that products are exact; scales multiply the sums in
 * f32 of a chunk of inputs, which lies in one group.
 *
 * A block has TILES times 16 rows and 64 outputs; its warps take turns at chunks and add what they have at the end. In a step a
 * warp has 32 inputs. Which of them stands where in a product does not matter as long as both sides agree, so they stand
 * where they lie in memory: lane l has inputs 8 (l % 4), ..., of row l / 4 of x, 16 bytes, and the eight words that hold
 * the codes of these inputs for outputs of its own. Nothing but the sums goes through shared memory.
 *
 * Outputs of a lane are eight, number t one of product t. A word of gptq is eight inputs of one output: output t is 8 t +
 * l / 4. One of awq is an input of eight outputs: output t is 8 (l / 4) + t.
 *
 * Grid: [ceil(out / 64), ceil(rows / (16 TILES))], block: [128]. REAL, PACKING_x and TILES are set when compiled.
 */
#include "../panamark_mma.cuh"
#include "packing.cuh"

typedef PM_TYPE(REAL) real;

#define WARPS 4
#define OUTPUTS 64
#define INPUTS 32 /* of a step */
#define LIFT_f16 0x64006400u /* 1024, twice */
#define LIFT_bf16 0x43004300u /* 128, twice */
#define LIFT PM_JOIN(LIFT_, REAL)

/* Eight words of a lane for 32 inputs from i on: by output for gptq, by input for awq. */
struct words {
    uint32_t of[8];

    __device__ __forceinline__ void load(const uint32_t *q, int i, int begin, int out) {
        const int own = threadIdx.x % 4 * 8 + i, line = threadIdx.x % PM_WARP / 4;
#pragma unroll
        for (int w = 0; w < 8; w++) {
            const int col = begin + 8 * (BY_OUTPUTS ? line : w);
            const int64_t at = BY_OUTPUTS ? (int64_t)(own + w) * (out / 8) + col / 8 : (int64_t)(own / 8) * out + col + line;
            of[w] = col < out ? __ldg(q + at) : 0;
        }
    }

    /* Codes of inputs p and p + 4 for output t, in the low four bits of either half; p is less than 4. */
    __device__ __forceinline__ uint32_t codes(int t, int p) const {
#if BY_OUTPUTS
        /* Even outputs lie in the low halves of words, odd ones in the high halves. */
        return __byte_perm(of[p], of[p + 4], t % 2 ? 0x7632 : 0x5410) >> t / 2 * 4 & 0x000f000f;
#else
        return of[t] >> p * 4 & 0x000f000f;
#endif
    }
};

/* Two whole numbers up to 15 as the last bits of larger ones: 1024 + code in f16, 128 + code in bf16. */
PM_DEVICE uint32_t lifted(uint32_t codes) {
    return codes | LIFT;
}

/* Inputs 8 (lane % 4), ... of rows lane / 4 and lane / 4 + 8 of each tile. */
struct inputs {
    uint4 of[TILES][2];

    __device__ __forceinline__ void load(const real *x, int i, int top, int rows, int in) {
        const int lane = threadIdx.x % PM_WARP;
#pragma unroll
        for (int t = 0; t < TILES; t++) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const int row = top + t * 16 + h * 8 + lane / 4;
                of[t][h] = row < rows ? __ldg(reinterpret_cast<const uint4 *>(x + (int64_t)row * in + i + lane % 4 * 8))
                                      : make_uint4(0, 0, 0, 0);
            }
        }
    }

    /* The left side of product j of a tile: inputs 2 j and 2 j + 4, then 2 j + 1 and 2 j + 5, of both rows. */
    __device__ __forceinline__ void fragment(uint32_t a[4], int t, int j) const {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const uint32_t low = j == 0 ? of[t][h].x : of[t][h].y, high = j == 0 ? of[t][h].z : of[t][h].w;
            a[h] = __byte_perm(low, high, 0x5410);
            a[2 + h] = __byte_perm(low, high, 0x7632);
        }
    }
};

PM_KERNEL __launch_bounds__(WARPS *PM_WARP)
    w4a16_gemm(const uint32_t *q, const float *s, const uint32_t *z, const real *x, real *y, int rows, int in, int out,
               int width, int chunk) {
    __shared__ float parts[WARPS][TILES * 32][PM_WARP];
    const int lane = threadIdx.x % PM_WARP, warp = threadIdx.x / PM_WARP, line = lane / 4;
    const int begin = blockIdx.x * OUTPUTS, top = blockIdx.y * 16 * TILES;

    float total[TILES][8][4] = {};
    for (int from = warp * chunk; from < in; from += WARPS * chunk) {
        const int group = from / width;
        uint32_t zero[8];
#pragma unroll
        for (int t = 0; t < 8; t++) {
            const int col = begin + (BY_OUTPUTS ? line * 8 + t : t * 8 + line);
            const uint32_t its = col < out ? zero_of(z, group, col, out) : 0;
            zero[t] = lifted(its | its << 16);
        }
        float sum[TILES][8][4] = {};
        words next;
        inputs next_x;
        next.load(q, from, begin, out);
        next_x.load(x, from, top, rows, in);
        for (int i = from; i < from + chunk; i += INPUTS) {
            const words its = next;
            const inputs its_x = next_x;
            if (i + INPUTS < from + chunk) {
                next.load(q, i + INPUTS, begin, out);
                next_x.load(x, i + INPUTS, top, rows, in);
            }
#pragma unroll
            for (int j = 0; j < 2; j++) {
                uint32_t a[TILES][4];
#pragma unroll
                for (int m = 0; m < TILES; m++) {
                    its_x.fragment(a[m], m, j);
                }
#pragma unroll
                for (int t = 0; t < 8; t++) {
                    const uint32_t b[2] = {pm_less(lifted(its.codes(t, 2 * j)), zero[t], real()),
                                           pm_less(lifted(its.codes(t, 2 * j + 1)), zero[t], real())};
#pragma unroll
                    for (int m = 0; m < TILES; m++) {
                        pm_mma(sum[m][t], a[m], b, real());
                    }
                }
            }
        }
        const float *scale = s + (int64_t)group * out;
#pragma unroll
        for (int t = 0; t < 8; t++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int pair = lane % 4 * 2 + i % 2, col = begin + (BY_OUTPUTS ? pair * 8 + t : t * 8 + pair);
                const float by = col < out ? __ldg(scale + col) : 0;
#pragma unroll
                for (int m = 0; m < TILES; m++) {
                    total[m][t][i] += sum[m][t][i] * by;
                }
            }
        }
    }

#pragma unroll
    for (int m = 0; m < TILES; m++) {
#pragma unroll
        for (int t = 0; t < 8; t++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                parts[warp][m * 32 + i * 8 + t][lane] = total[m][t][i];
            }
        }
    }
    __syncthreads();
    /* A warp has one of the four numbers that a lane has of each product: rows line or line + 8, even or odd outputs. */
    const int pair = lane % 4 * 2 + warp % 2;
    for (int m = 0; m < TILES; m++) {
        const int row = top + m * 16 + warp / 2 * 8 + line;
        for (int t = 0; t < 8; t++) {
            float all = 0;
            for (int w = 0; w < WARPS; w++) {
                all += parts[w][m * 32 + warp * 8 + t][lane];
            }
            const int col = begin + (BY_OUTPUTS ? pair * 8 + t : t * 8 + pair);
            if (row < rows && col < out) {
                pm_put(y + (int64_t)row * out + col, all);
            }
        }
    }
}
