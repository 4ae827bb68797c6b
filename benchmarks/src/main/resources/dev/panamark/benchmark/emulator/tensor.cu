// What benchmarks/emulator runs of tensor cores. tensor.ptx is made of it by: nvcc -ptx -arch=sm_80 -lineinfo tensor.cu
#include <cuda_fp16.h>
#define TILE 64
#define STEP 32
#define PAD 8

// c = a b of n x n halves, n a multiple of TILE; a block of 128 threads makes TILE x TILE of c, a warp 32 x 32.
extern "C" __global__ void tensor_matmul(const half *a, const half *b, float *c, int n)
{
    __shared__ __align__(16) half tileA[TILE][STEP + PAD];
    __shared__ __align__(16) half tileB[STEP][TILE + PAD];
    int thread = threadIdx.x;
    int lane = thread % 32;
    int row = thread / 64 * 32;
    int column = thread / 32 % 2 * 32;
    const half *fromA = a + blockIdx.y * TILE * n;
    const half *fromB = b + blockIdx.x * TILE;
    float sum[2][4][4] = {};
    for (int k = 0; k < n; k += STEP) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            int at = thread + 128 * i;
            *(uint4 *)&tileA[at / 4][at % 4 * 8] = *(const uint4 *)&fromA[at / 4 * n + k + at % 4 * 8];
            *(uint4 *)&tileB[at / 8][at % 8 * 8] = *(const uint4 *)&fromB[(k + at / 8) * n + at % 8 * 8];
        }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < STEP; step += 16) {
            unsigned fa[2][4], fb[2][4];
#pragma unroll
            for (int i = 0; i < 2; i++) {
                unsigned atA = __cvta_generic_to_shared(&tileA[row + 16 * i + lane % 16][step + lane / 16 * 8]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3]) : "r"(atA));
                unsigned atB = __cvta_generic_to_shared(&tileB[step + lane % 16][column + 16 * i + lane / 16 * 8]);
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fb[i][0]), "=r"(fb[i][1]), "=r"(fb[i][2]), "=r"(fb[i][3]) : "r"(atB));
            }
#pragma unroll
            for (int i = 0; i < 2; i++) {
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    float *d = sum[i][j];
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]),
                                   "r"(fb[j / 2][j % 2 * 2]), "r"(fb[j / 2][j % 2 * 2 + 1]));
                }
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float *to = &c[(blockIdx.y * TILE + row + 16 * i + lane / 4) * n + blockIdx.x * TILE + column + 8 * j
                           + lane % 4 * 2];
            *(float2 *)to = make_float2(sum[i][j][0], sum[i][j][1]);
            *(float2 *)(to + 8 * n) = make_float2(sum[i][j][2], sum[i][j][3]);
        }
    }
}
