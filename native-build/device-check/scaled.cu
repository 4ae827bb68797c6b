/* Two kernels whose times are taken twice: by Panamark, and by event_loop.cu. out = 2 x, four elements a thread. */

/* As fast as memory allows. */
extern "C" __global__ void scaled(const float4 *x, float4 *out, unsigned quarter) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quarter) return;
  float4 v = x[i];
  out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

/* As fast as the FMA units allow: so many multiply-adds by one and zero, which the compiler cannot know, before. */
extern "C" __global__ void scaled_slowly(const float4 *x, float4 *out, unsigned quarter, unsigned steps, float one, float zero) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quarter) return;
  float4 v = x[i];
  for (unsigned s = 0; s < steps; s++) {
    v.x = fmaf(v.x, one, zero);
    v.y = fmaf(v.y, one, zero);
    v.z = fmaf(v.z, one, zero);
    v.w = fmaf(v.w, one, zero);
  }
  out[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}
