/*
 * Matrix products of a warp on tensor cores (sm_80 and newer), and copies to shared memory that run beside them. Fragments
 * are those of mma.m16n8k16 in the PTX ISA ("Matrix Fragments for mma.m16n8k16 with floating point type"): lane l has of the
 * sums rows l / 4 and l / 4 + 8, columns l % 4 * 2 and the next.
 */
#ifndef PANAMARK_MMA_CUH
#define PANAMARK_MMA_CUH

#include "panamark_cuda.cuh"

PM_DEVICE uint32_t pm_shared(const void *at) {
    return (uint32_t)__cvta_generic_to_shared(at);
}

/* Four 8x8 matrices of 16-bit elements; lane l gives where row l % 8 of matrix l / 8 lies. */
PM_DEVICE void pm_matrices(uint32_t to[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(pm_shared(row))
                 : "memory");
}

/* The same, each matrix transposed. */
PM_DEVICE void pm_transposed(uint32_t to[4], const void *row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(pm_shared(row))
                 : "memory");
}

/* sums += a b: 16x16 by 16x8. The last argument only says which type the elements have. */
PM_DEVICE void pm_mma(float sums[4], const uint32_t a[4], const uint32_t b[2], __half) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

PM_DEVICE void pm_mma(float sums[4], const uint32_t a[4], const uint32_t b[2], __nv_bfloat16) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Two numbers as neighbours, the first in the low bits. */
PM_DEVICE uint32_t pm_pair(float first, float second, __half) {
    __half2 two = __floats2half2_rn(first, second);
    return *reinterpret_cast<uint32_t *>(&two);
}

PM_DEVICE uint32_t pm_pair(float first, float second, __nv_bfloat16) {
    __nv_bfloat162 two = __floats2bfloat162_rn(first, second);
    return *reinterpret_cast<uint32_t *>(&two);
}

/* Differences of two pairs. */
PM_DEVICE uint32_t pm_less(uint32_t a, uint32_t b, __half) {
    __half2 two = __hsub2(*reinterpret_cast<__half2 *>(&a), *reinterpret_cast<__half2 *>(&b));
    return *reinterpret_cast<uint32_t *>(&two);
}

PM_DEVICE uint32_t pm_less(uint32_t a, uint32_t b, __nv_bfloat16) {
    __nv_bfloat162 two = __hsub2(*reinterpret_cast<__nv_bfloat162 *>(&a), *reinterpret_cast<__nv_bfloat162 *>(&b));
    return *reinterpret_cast<uint32_t *>(&two);
}

/* 16 bytes, or zeros where they are not there; from must be an address all the same. */
PM_DEVICE void pm_copy(void *to, const void *from, bool there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(pm_shared(to)), "l"(from), "r"(there ? 16 : 0)
                 : "memory");
}

/* The copies since the group before are a group. */
PM_DEVICE void pm_copies_end() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Waits until no more than this many groups of the thread are on their way. */
template <int GROUPS>
PM_DEVICE void pm_copies_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
}

#endif
