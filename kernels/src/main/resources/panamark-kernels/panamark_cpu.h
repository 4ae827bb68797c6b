/*
 * What every CPU kernel of Panamark shares: the ABI, and vectors as wide as the host's.
 *
 * A kernel is   void entry(void **args, const int64_t grid[3], int64_t first, int64_t last)
 * and runs the blocks [first, last) of the grid, numbered with x fastest. args[i] points to the i-th argument. Several
 * threads call it at once with disjoint ranges, so a kernel keeps no state of its own and starts no threads.
 */
#ifndef PANAMARK_CPU_H
#define PANAMARK_CPU_H

#include <stdint.h>
#include <string.h>

/* The i-th argument: a buffer that is read, a buffer that is written, a number. */
#define PM_IN(type, args, i) (*(const type *const *)(args)[i])
#define PM_OUT(type, args, i) (*(type *const *)(args)[i])
#define PM_NUMBER(type, args, i) (*(const type *)(args)[i])

/* The inner loops are written for a compiler that keeps small arrays of vectors in registers, which takes unrolling. */
#if defined(__clang__)
#define PM_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PM_UNROLL _Pragma("GCC unroll 64")
#endif
#define PM_INLINE static inline __attribute__((always_inline, unused))

/* Floats in the widest vector register, and how many such registers there are. */
#if defined(__AVX512F__)
#define PM_LANES 16
#define PM_REGISTERS 32
#elif defined(__AVX__)
#define PM_LANES 8
#define PM_REGISTERS 16
#elif defined(__aarch64__)
#define PM_LANES 4
#define PM_REGISTERS 32
#else
#define PM_LANES 4
#define PM_REGISTERS 16
#endif

typedef float pm_vec __attribute__((vector_size(PM_LANES * 4)));
typedef int32_t pm_ivec __attribute__((vector_size(PM_LANES * 4)));
typedef float pm_vec_unaligned __attribute__((vector_size(PM_LANES * 4), aligned(4), may_alias));

typedef struct {
    int64_t x, y, z;
} pm_block;

/* Where the block of this number lies in the grid. */
PM_INLINE pm_block pm_block_at(const int64_t grid[3], int64_t number) {
    int64_t row = number / grid[0];
    return (pm_block){number % grid[0], row % grid[1], row / grid[1]};
}

PM_INLINE int64_t pm_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

PM_INLINE pm_vec pm_load(const float *from) {
    return *(const pm_vec_unaligned *)from;
}

PM_INLINE void pm_store(float *to, pm_vec v) {
    *(pm_vec_unaligned *)to = v;
}

PM_INLINE pm_vec pm_splat(float value) {
    return value - (pm_vec){0}; /* x - 0 is x for every x, -0 included */
}

/* 0, 1, 2, ... */
PM_INLINE pm_ivec pm_iota(void) {
    pm_ivec v;
    PM_UNROLL
    for (int i = 0; i < PM_LANES; i++) {
        v[i] = i;
    }
    return v;
}

/* Lane by lane: yes where the mask is all ones, no where it is zero. */
PM_INLINE pm_vec pm_select(pm_ivec mask, pm_vec yes, pm_vec no) {
    return (pm_vec)((mask & (pm_ivec)yes) | (~mask & (pm_ivec)no));
}

/* Lane i: lane index[i] of a, or of b, whose lanes are numbered after a's. The index is known when compiled. */
PM_INLINE pm_vec pm_pick(pm_vec a, pm_vec b, pm_ivec index) {
#if defined(__clang__)
    pm_vec picked;
    PM_UNROLL
    for (int i = 0; i < PM_LANES; i++) {
        picked[i] = index[i] < PM_LANES ? a[index[i] & (PM_LANES - 1)] : b[index[i] & (PM_LANES - 1)];
    }
    return picked;
#else
    return __builtin_shuffle(a, b, index);
#endif
}

/* Lane i gets lane i ^ bit. */
PM_INLINE pm_vec pm_swap_lanes(pm_vec v, int bit) {
    return pm_pick(v, v, pm_iota() ^ bit);
}

/* Lane j of v[i] becomes lane i of v[j]. Each step does so for one bit of i and j. */
PM_INLINE void pm_transpose(pm_vec v[PM_LANES]) {
    PM_UNROLL
    for (int bit = PM_LANES / 2; bit > 0; bit /= 2) {
        /* Of two vectors that differ in the bit: the lanes without it, a's first; one bit further, those with it. */
        pm_ivec index = pm_iota() + (((pm_iota() & bit) != 0) & (PM_LANES - bit));
        PM_UNROLL
        for (int i = 0; i < PM_LANES; i++) {
            if ((i & bit) == 0) {
                pm_vec a = v[i], b = v[i + bit];
                v[i] = pm_pick(a, b, index);
                v[i + bit] = pm_pick(a, b, index + bit);
            }
        }
    }
}

#endif
