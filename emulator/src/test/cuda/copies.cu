#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

// Tiles of 64 floats go through two stages of shared memory while the one before is added up; rows at or beyond `rows`
// are filled with zeros.
extern "C" __global__ void staged(const float* in, float* out, int tiles, int rows) {
    __shared__ __align__(16) float stage[2][64];
    int t = threadIdx.x;
    auto fetch = [&](int tile) {
        if (t < 16) {
            int row = tile * 16 + t;
            __pipeline_memcpy_async(&stage[tile & 1][4 * t], &in[row < rows ? 4 * row : 0], 16, row < rows ? 0 : 16);
        }
        __pipeline_commit();
    };
    float sum = 0;
    fetch(0);
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles) {
            fetch(tile + 1);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
        sum += stage[tile & 1][63 - t];
        __syncthreads();
    }
    out[t] = sum;
}

// A block copies together and turns what it copied around.
extern "C" __global__ void turned(const int* in, int* out) {
    __shared__ __align__(16) int tile[256];
    auto block = cooperative_groups::this_thread_block();
    cooperative_groups::memcpy_async(block, tile, in + 256 * blockIdx.x, sizeof tile);
    cooperative_groups::wait(block);
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        out[256 * blockIdx.x + i] = tile[255 - i];
    }
}
