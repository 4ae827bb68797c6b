/*
 * How many products of matrices a GPU's tensor cores can do by mma.sync: eight independent sums in every warp, nothing in the
 * loop but them, and operands that stay in registers.
 *
 * out [blocks, 128, 64] = steps times a[128, k] b[64, k] transposed, the same for every block, each of its eight warps 16
 * rows. a[i][k] = (7 i + 11 k) mod (2 MOST + 1) - MOST, b[j][k] likewise with 5 and 13: whole numbers, whose sums are exact as
 * long as they stay below 2^24. A row of either is 32 bytes, so fragments are alike for all types: a lane has bytes 4 (l % 4)
 * and 16 on of rows l / 4 (and 8 on). TYPE_x and MOST are set when compiled. Grid: [blocks], block: [256].
 */
#include "../panamark_cuda.cuh"

#define WARPS 8
#define PRODUCTS 8 /* of a warp in a step, of eight columns each */

#if defined(TYPE_f16) || defined(TYPE_bf16)
#define BITS 16
#define SHAPE "m16n8k16"
#elif defined(TYPE_tf32)
#define BITS 32
#define SHAPE "m16n8k8"
#elif defined(TYPE_i8)
#define BITS 8
#define SHAPE "m16n8k32"
#else
#error "define TYPE_f16, TYPE_bf16, TYPE_tf32 or TYPE_i8"
#endif

#if defined(TYPE_i8)
typedef int number;
#define TYPES "s32.s8.s8.s32"
#define SUM "+r"
#elif defined(TYPE_f16)
typedef float number;
#define TYPES "f32.f16.f16.f32"
#define SUM "+f"
#elif defined(TYPE_bf16)
typedef float number;
#define TYPES "f32.bf16.bf16.f32"
#define SUM "+f"
#else
typedef float number;
#define TYPES "f32.tf32.tf32.f32"
#define SUM "+f"
#endif

PM_DEVICE uint32_t bits_of(int x) {
#if defined(TYPE_f16)
    return __half_as_ushort(__int2half_rn(x));
#elif defined(TYPE_bf16)
    return __bfloat16_as_ushort(__int2bfloat16_rn(x));
#elif defined(TYPE_tf32)
    return __float_as_uint((float)x);
#else
    return x & 0xff;
#endif
}

/* The four bytes of a row from byte on. */
PM_DEVICE uint32_t four(int row, int by_row, int by_k, int byte) {
    uint32_t all = 0;
#pragma unroll
    for (int i = 0; i < 32 / BITS; i++) {
        const int k = byte * 8 / BITS + i;
        all |= bits_of((row * by_row + k * by_k) % (2 * MOST + 1) - MOST) << i * BITS % 32;
    }
    return all;
}

PM_KERNEL __launch_bounds__(WARPS *PM_WARP) ceiling_tensor(number *out, int steps) {
    const int lane = threadIdx.x % PM_WARP, row = threadIdx.x / PM_WARP * 16 + lane / 4, byte = lane % 4 * 4;
    const uint32_t a[4] = {four(row, 7, 11, byte), four(row + 8, 7, 11, byte), four(row, 7, 11, byte + 16),
                           four(row + 8, 7, 11, byte + 16)};
    uint32_t b[PRODUCTS][2];
    number sums[PRODUCTS][4];
#pragma unroll
    for (int p = 0; p < PRODUCTS; p++) {
        b[p][0] = four(p * 8 + lane / 4, 5, 13, byte);
        b[p][1] = four(p * 8 + lane / 4, 5, 13, byte + 16);
        sums[p][0] = sums[p][1] = sums[p][2] = sums[p][3] = 0;
    }
#pragma unroll 4
    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int p = 0; p < PRODUCTS; p++) {
            asm volatile("mma.sync.aligned." SHAPE ".row.col." TYPES " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                         "{%0, %1, %2, %3};"
                         : SUM(sums[p][0]), SUM(sums[p][1]), SUM(sums[p][2]), SUM(sums[p][3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[p][0]), "r"(b[p][1]));
        }
    }
    number *its = out + ((int64_t)blockIdx.x * WARPS * 16 + row) * 8 * PRODUCTS + lane % 4 * 2;
#pragma unroll
    for (int p = 0; p < PRODUCTS; p++) {
        its[p * 8] = sums[p][0];
        its[p * 8 + 1] = sums[p][1];
        its[8 * 8 * PRODUCTS + p * 8] = sums[p][2];
        its[8 * 8 * PRODUCTS + p * 8 + 1] = sums[p][3];
    }
}
