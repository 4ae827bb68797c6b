// Products of matrices by tensor cores. gemm.ptx is made of it by: nvcc -ptx -arch=sm_80 -lineinfo gemm.cu
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// d = a b of n x n halves, n a multiple of 32; a block of 32 x 2 threads makes 32 x 16 of d, a warp 16 x 16.
extern "C" __global__ void by_mma(const half *a, const half *b, float *d, int n)
{
    __shared__ __align__(16) half tileA[32][24];
    __shared__ __align__(16) half tileB[16][24];
    int lane = threadIdx.x;
    int warp = threadIdx.y;
    int row = blockIdx.y * 32;
    int column = blockIdx.x * 16;
    float sum[2][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int i = 32 * warp + lane; i < 512; i += 64)
            tileA[i / 16][i % 16] = a[(row + i / 16) * n + k + i % 16];
        for (int i = 32 * warp + lane; i < 256; i += 64)
            tileB[i / 16][i % 16] = b[(k + i / 16) * n + column + i % 16];
        __syncthreads();
        unsigned fa[4], fb[4];
        unsigned atA = __cvta_generic_to_shared(&tileA[16 * warp + lane % 16][lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(atA));
        unsigned atB = __cvta_generic_to_shared(&tileB[lane % 16][lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3]) : "r"(atB));
        for (int j = 0; j < 2; j++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                         "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
                         : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * j]), "r"(fb[2 * j + 1]));
        __syncthreads();
    }
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 4; i++)
            d[(row + 16 * warp + lane / 4 + i / 2 * 8) * n + column + 8 * j + lane % 4 * 2 + i % 2] = sum[j][i];
}

// The same by the library of nvcc: a warp makes 16 x 16 of d.
extern "C" __global__ void by_wmma(const half *a, const half *b, float *d, int n)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    int row = blockIdx.y * 16;
    int column = blockIdx.x * 16;
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + k * n + column, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] *= 2.0f;
    wmma::store_matrix_sync(d + row * n + column, sum, n, wmma::mem_row_major);
}
