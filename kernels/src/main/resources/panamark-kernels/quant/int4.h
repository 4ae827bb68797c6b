/*
 * How 4-bit codes and zero points lie in memory, chosen when compiled. The matrix is [rows, cols].
 *
 * PACKING_plain: groups along cols; two codes a byte [rows, cols/2], the lower column low; a zero point a byte [rows, groups].
 * PACKING_awq: groups along rows; eight columns a word [rows, cols/8], from the low bits on 0,2,4,6,1,3,5,7; zero points the same.
 * PACKING_gptq_v1, PACKING_gptq_v2: groups along rows; eight rows a word [rows/8, cols], zero points eight columns a word
 * [groups, cols/8], both in order; v1 stores a zero point less one, modulo 16.
 *
 * group is the number of elements of a group; scales are [rows, groups] for plain and [groups, cols] for the others.
 */
#ifndef PANAMARK_INT4_H
#define PANAMARK_INT4_H

#include "quantize.h"

#if defined(PACKING_plain)
#define PER_WORD 2
#define STORED_LESS 0
typedef uint8_t word;
#elif defined(PACKING_awq) || defined(PACKING_gptq_v2)
#define PER_WORD 8
#define STORED_LESS 0
typedef uint32_t word;
#elif defined(PACKING_gptq_v1)
#define PER_WORD 8
#define STORED_LESS 1
typedef uint32_t word;
#else
#error "define PACKING_plain, PACKING_awq, PACKING_gptq_v1 or PACKING_gptq_v2"
#endif

/* How many of a word's bits lie below column c of its eight. */
PM_INLINE int shift_of_column(int64_t c) {
#if defined(PACKING_awq)
    return (int)(c % 2 * 16 + c % 8 / 2 * 4);
#else
    return (int)(c % 8 * 4);
#endif
}

/* The word that holds the code of an element, and how many of its bits lie below. */
PM_INLINE int64_t word_of(int64_t row, int64_t col, int64_t cols) {
#if defined(PACKING_plain)
    return row * (cols / 2) + col / 2;
#elif defined(PACKING_awq)
    return row * (cols / 8) + col / 8;
#else
    return row / 8 * cols + col;
#endif
}

PM_INLINE int shift_of(int64_t row, int64_t col) {
#if defined(PACKING_plain)
    (void)row;
    return (int)(col % 2 * 4);
#elif defined(PACKING_awq)
    (void)row;
    return shift_of_column(col);
#else
    (void)col;
    return (int)(row % 8 * 4);
#endif
}

/* Where the scale of an element is; a plain zero point is there too. */
PM_INLINE int64_t scale_of(int64_t row, int64_t col, int64_t cols, int64_t group) {
#if defined(PACKING_plain)
    return row * (cols / group) + col / group;
#else
    return row / group * cols + col;
#endif
}

/* The zero point of an element. */
PM_INLINE int zero_of(const word *z, int64_t row, int64_t col, int64_t cols, int64_t group) {
#if defined(PACKING_plain)
    return z[scale_of(row, col, cols, group)];
#else
    uint32_t eight = z[row / group * (cols / 8) + col / 8];
    return (int)(((eight >> shift_of_column(col)) + STORED_LESS) & 15);
#endif
}

/* Scale and zero point for the range of a group, which contains 0: so the zero point is a code, 0 to 15. */
typedef struct {
    float scale;
    int zero;
} grid4;

PM_INLINE int rounded(float x) {
    return (int32_t)(bits_of(x + ROUNDING) - ROUNDING_BITS);
}

PM_INLINE grid4 grid_of(float low, float high, int symmetric) {
    if (symmetric) {
        return (grid4){scale_for(high > -low ? high : -low, 7), 8};
    }
    float scale = scale_for(high - low, 15);
    float zero = -low / scale;
    return (grid4){scale, rounded(zero < 15 ? zero : 15)};
}

PM_INLINE int code_of(float x, grid4 grid) {
    float y = x / grid.scale;
    y = y < -15 ? -15 : y;
    y = y > 15 ? 15 : y;
    int code = rounded(y) + grid.zero;
    return code < 0 ? 0 : code > 15 ? 15 : code;
}

#endif
