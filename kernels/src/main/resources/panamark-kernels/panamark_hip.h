/*
 * The least of HIP that a kernel needs, so that one source compiles
 *
 *   for a device by clang alone, without ROCm: clang -x hip --cuda-device-only -nogpuinc -nogpulib (or by hipcc), and
 *   for the host as C++ (g++, clang++), where work-items run one after the other between barriers: tests do that.
 *
 * There are __global__, __device__, __shared__, __launch_bounds__, threadIdx, blockIdx, blockDim, gridDim, __syncthreads and
 * HIP_DYNAMIC_SHARED. On the host nothing of waves is there (lanes, shuffles, matrix instructions), atomics are the
 * compiler's own, and __shared__ variables must be plain ones of kernels or files, not of templates or inline functions. A
 * device pointer works there where it is an argument itself, not within a structure or a buffer.
 *
 * Whoever includes hip/hip_runtime.h has all of this already; the header then defines nothing.
 */
#ifndef PANAMARK_HIP_H
#define PANAMARK_HIP_H

#if !defined(HIP_INCLUDE_HIP_HIP_RUNTIME_H)

struct panamark_index {
    unsigned x, y, z;
};

#if defined(__HIP__)

/* clang defines some of these itself unless it was told -nogpuinc. */
#ifndef __global__
#define __global__ __attribute__((global))
#endif
#ifndef __device__
#define __device__ __attribute__((device))
#endif
#ifndef __shared__
#define __shared__ __attribute__((shared))
#endif
#ifndef __launch_bounds__
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#endif

#define PM_INDEX(of) (panamark_index{__builtin_amdgcn_##of##_x(), __builtin_amdgcn_##of##_y(), __builtin_amdgcn_##of##_z()})
#define threadIdx PM_INDEX(workitem_id)
#define blockIdx PM_INDEX(workgroup_id)
#define blockDim PM_INDEX(workgroup_size)
/* The hardware counts a grid in work-items; a launch of HIP's is whole blocks. */
#define gridDim                                                                       \
    (panamark_index{__builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(), \
                    __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(), \
                    __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z()})

/* Also orders what the block wrote before with what it reads after. */
static __device__ inline void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

#else

#define __global__
#define __device__
/* Blocks run one after the other, so one buffer serves all; whoever runs them finds it by its section. */
#define __shared__ static __attribute__((section("panamark_lds")))
#define __launch_bounds__(threads)

extern "C" {
extern panamark_index panamark_thread, panamark_block, panamark_threads, panamark_blocks;
void panamark_barrier(void);
void *panamark_dynamic_lds(void);
}
#define threadIdx panamark_thread
#define blockIdx panamark_block
#define blockDim panamark_threads
#define gridDim panamark_blocks
#define __syncthreads panamark_barrier
#define HIP_DYNAMIC_SHARED(type, name) type *name = static_cast<type *>(panamark_dynamic_lds());

#endif
#endif
#endif
