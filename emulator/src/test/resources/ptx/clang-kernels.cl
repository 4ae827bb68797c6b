// Kernels whose PTX by clang is read and run by ClangTextsTest.
#define GLOBAL_ID (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())

constant float weights[4] = {0.125f, 0.375f, 0.375f, 0.125f};

// Weighted sums of four neighbours, vectors of four at a time.
kernel void blur(global const float4 *in, global float4 *out) {
  uint i = GLOBAL_ID;
  float4 a = in[i], b = in[i + 1];
  float8 x = (float8)(a, b);
  float4 sum = (float4)(0.0f);
  for (int k = 0; k < 4; k++)
    sum += weights[k] * (float4)(x[k], x[k + 1], x[k + 2], x[k + 3]);
  out[i] = sum;
}

// Running sums of a block in local memory.
kernel void scan(global const long *in, global long *out, local long *part) {
  uint t = __nvvm_read_ptx_sreg_tid_x(), n = __nvvm_read_ptx_sreg_ntid_x();
  part[t] = in[GLOBAL_ID];
  __syncthreads();
  for (uint by = 1; by < n; by *= 2) {
    long other = t >= by ? part[t - by] : 0;
    __syncthreads();
    part[t] += other;
    __syncthreads();
  }
  out[GLOBAL_ID] = part[t];
}

kernel void bytes(global const uchar4 *in, global char4 *out, global ushort *sums) {
  uint i = GLOBAL_ID;
  uchar4 v = in[i];
  out[i] = (char4)((char)(v.x - v.y), (char)(v.y * 3), (char)(v.z >> 1), (char)(-v.w));
  sums[i] = (ushort)(v.x + v.y + v.z + v.w);
}
