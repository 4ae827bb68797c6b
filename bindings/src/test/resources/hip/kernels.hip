/* Kernels of tests, for a device and for the host (panamark_hip.h). */
#include "panamark_hip.h"

__device__ float scaling = 1.0f;

extern "C" __global__ void saxpy(float *y, const float *x, float a, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (unsigned)n) {
        y[i] = a * x[i] + y[i];
    }
}

/* Sums each block's 256 elements, pairwise through LDS. */
extern "C" __global__ void __launch_bounds__(256) block_sums(float *sums, const float *x) {
    __shared__ float tile[256];
    unsigned i = threadIdx.x;
    tile[i] = x[blockIdx.x * 256 + i];
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (i < half) {
            tile[i] += tile[i + half];
        }
        __syncthreads();
    }
    if (i == 0) {
        sums[blockIdx.x] = tile[0];
    }
}

/* Reverses each block, through as much dynamic LDS as the block has elements. */
extern "C" __global__ void reverse(int *x) {
    HIP_DYNAMIC_SHARED(int, tile)
    unsigned i = threadIdx.x, n = blockDim.x, first = blockIdx.x * n;
    tile[i] = x[first + i];
    __syncthreads();
    x[first + i] = tile[n - 1 - i];
}

/* What nobody may write: only half of the block comes to the barrier. */
extern "C" __global__ void half_a_barrier(int *x) {
    if (threadIdx.x % 2) {
        __syncthreads();
    }
    x[threadIdx.x] = (int)gridDim.x;
}
