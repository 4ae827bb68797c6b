/*
 * 4-bit weights [in, out] with a scale and a zero point for each group of inputs of an output, packed as chosen when compiled:
 *
 * PACKING_awq: eight outputs of an input a word [in, out/8], from the low bits on 0,2,4,6,1,3,5,7; zero points likewise.
 * PACKING_gptq_v1, PACKING_gptq_v2: eight inputs of an output a word [in/8, out], in order; zero points eight outputs a word
 * [groups, out/8], in order; v1 stores a zero point less one, modulo 16.
 */
#ifndef PANAMARK_PACKING_CUH
#define PANAMARK_PACKING_CUH

#include "../panamark_cuda.cuh"

#if defined(PACKING_awq)
#define BY_OUTPUTS 1 /* what the eight codes of a word are */
#define STORED_LESS 0
#elif defined(PACKING_gptq_v1)
#define BY_OUTPUTS 0
#define STORED_LESS 1
#elif defined(PACKING_gptq_v2)
#define BY_OUTPUTS 0
#define STORED_LESS 0
#else
#error "define PACKING_awq, PACKING_gptq_v1 or PACKING_gptq_v2"
#endif

/* How many of a word's bits lie below output col of its eight. */
PM_DEVICE int shift_of(int col) {
    return BY_OUTPUTS ? col % 2 * 16 + col % 8 / 2 * 4 : col % 8 * 4;
}

PM_DEVICE int code_of(const uint32_t *q, int row, int col, int out) {
    return BY_OUTPUTS ? q[(int64_t)row * (out / 8) + col / 8] >> shift_of(col) & 15
                      : q[(int64_t)(row / 8) * out + col] >> row % 8 * 4 & 15;
}

PM_DEVICE int zero_of(const uint32_t *z, int group, int col, int out) {
    return ((z[(int64_t)group * (out / 8) + col / 8] >> shift_of(col)) + STORED_LESS) & 15;
}

#endif
