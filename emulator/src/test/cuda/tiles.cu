#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Sum, votes and shuffles of a tile in one word of its own.
template <int N>
__device__ int tile(int v) {
  auto t = cg::tiled_partition<N>(cg::this_thread_block());
  int sum = v;
  for (int i = t.size() / 2; i; i /= 2) sum += t.shfl_xor(sum, i);
  unsigned odd = t.ballot(v & 1);
  int below = t.shfl_up(v, 1);
  if (t.thread_rank() == 0) below = 0;
  t.sync();
  return sum * 1000 + __popc(odd) * 10 + t.any(v == 77) + below * 1000000 + t.shfl(v, 2) * 100;
}

extern "C" __global__ void tiles16(int* a) { a[threadIdx.x] = tile<16>(a[threadIdx.x]); }
extern "C" __global__ void tiles8(int* a) { a[threadIdx.x] = tile<8>(a[threadIdx.x]); }
// Whole tiles take one arm or the other.
extern "C" __global__ void apart8(int* a) {
  int v = a[threadIdx.x];
  if (threadIdx.x / 8 % 3 == 1) v += 1;
  else v = tile<8>(v);
  a[threadIdx.x] = v;
}
