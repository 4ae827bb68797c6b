// Kernels whose PTX by clang is read and run by ClangTextsTest.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define TID __nvvm_read_ptx_sreg_tid_x()
#define CTAID __nvvm_read_ptx_sreg_ctaid_x()
#define NTID __nvvm_read_ptx_sreg_ntid_x()

typedef unsigned int u32;
typedef unsigned long long u64;

__device__ inline int bits(float x) { return __builtin_bit_cast(int, x); }
__device__ inline float real(int x) { return __builtin_bit_cast(float, x); }

struct Scale {
  float by;
  int shift;
  double most;
};

__device__ float largest(float x) {
  for (int i = 16; i > 0; i /= 2) {
    float other = real(__nvvm_shfl_sync_bfly_i32(~0u, bits(x), i, 31));
    x = x > other ? x : other;
  }
  return x;
}

// The part of each element in the sum of its row of 32, each less the row's greatest.
extern "C" __global__ void softmax(const float *in, float *out) {
  int i = CTAID * NTID + TID;
  float x = in[i];
  float e = __nvvm_ex2_approx_f((x - largest(x)) * 1.4426950408889634f);
  float sum = e;
  for (int k = 16; k > 0; k /= 2)
    sum += real(__nvvm_shfl_sync_bfly_i32(~0u, bits(sum), k, 31));
  out[i] = e / sum;
}

// Turned over by 16 x 16 tiles in shared memory.
extern "C" __global__ void transpose(const u32 *in, u32 *out, int width) {
  __shared__ static u32 tile[16][17];
  int x = __nvvm_read_ptx_sreg_tid_x(), y = __nvvm_read_ptx_sreg_tid_y();
  int bx = 16 * __nvvm_read_ptx_sreg_ctaid_x(), by = 16 * __nvvm_read_ptx_sreg_ctaid_y();
  tile[y][x] = in[(by + y) * width + bx + x];
  __syncthreads();
  out[(bx + y) * width + by + x] = tile[x][y];
}

// One of several operations by number: a table of branches.
extern "C" __global__ void choose(const int *in, int *out) {
  int i = CTAID * NTID + TID;
  int x = in[i], y;
  switch (i % 9) {
  case 0: y = x + 7; break;
  case 1: y = x * x; break;
  case 2: y = x >> 3; break;
  case 3: y = ~x; break;
  case 4: y = x / 5; break;
  case 5: y = (int)((u32)x % 11u); break;
  case 6: y = __builtin_popcount(x); break;
  case 7: y = x < 0 ? -x : x; break;
  default: y = (int)((u32)x << 9 | (u32)x >> 23); break;
  }
  out[i] = y;
}

__attribute__((noinline)) __device__ double scaled(Scale s, double x) {
  double y = x * s.by;
  return y < s.most ? y : s.most;
}

// Structures by value, functions that are not inlined, arrays of a thread's own.
extern "C" __global__ void histogram(const u32 *in, double *out, u32 *counts, Scale s) {
  int i = CTAID * NTID + TID;
  u32 own[8];
  for (int k = 0; k < 8; k++)
    own[k] = 0;
  for (int k = 0; k < 16; k++)
    own[in[16 * i + k] & 7]++;
  double sum = 0;
  for (int k = 0; k < 8; k++) {
    __atomic_fetch_add(&counts[k], own[k], __ATOMIC_RELAXED);
    sum += k * (double)own[k];
  }
  out[i] = scaled(s, sum) + (u64)(1ull << s.shift);
}

// Halves: products in f16, their sum in f32.
extern "C" __global__ void halves(const _Float16 *a, const _Float16 *b, float *out, _Float16 *products) {
  int i = CTAID * NTID + TID;
  float sum = 0;
  for (int k = 0; k < 4; k++) {
    _Float16 p = a[4 * i + k] * b[4 * i + k];
    products[4 * i + k] = p;
    sum += (float)p;
  }
  out[i] = sum;
}
