#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>

// A ring of four stages that one half of the block fills and the other empties, each in its own time.
extern "C" __global__ void ring(const float* in, float* out, int rounds) {
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier full[4], empty[4];
    __shared__ float stage[4][64];
    if (threadIdx.x < 4) {
        init(&full[threadIdx.x], 128);
        init(&empty[threadIdx.x], 128);
    }
    __syncthreads();
    int t = threadIdx.x % 64;
    if (threadIdx.x < 64) {
        for (int i = 0; i < 4; i++) {
            (void)empty[i].arrive();
        }
        float sum = 0;
        for (int i = 0; i < rounds; i++) {
            full[i % 4].arrive_and_wait();
            sum = sum * 0.5f + stage[i % 4][63 - t];
            (void)empty[i % 4].arrive();
        }
        out[t] = sum;
    } else {
        for (int i = 0; i < rounds; i++) {
            empty[i % 4].arrive_and_wait();
            stage[i % 4][t] = in[64 * i + t];
            (void)full[i % 4].arrive();
        }
    }
}

// Two stages of a block's pipeline.
extern "C" __global__ void piped(const int* in, int* out, int batches) {
    namespace cg = cooperative_groups;
    auto block = cg::this_thread_block();
    __shared__ __align__(16) int stage[2][128];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto pipeline = cuda::make_pipeline(block, &state);
    int sum = 0;
    int next = 0;
    for (int batch = 0; batch < batches; batch++) {
        for (; next < batches && next < batch + 2; next++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, stage[next % 2], in + 128 * next, cuda::aligned_size_t<16>(sizeof stage[0]), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += stage[batch % 2][127 - threadIdx.x];
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
}
