/*
 * Quantizes f32 [rows, cols] to INT4 element by element, as the formula is written; packings in int4.h.
 *
 * Step 1, grid [zero words]: scales and zero points. Step 2, grid [ceil(words / chunk)]: codes, chunk words a block.
 */
#include "int4.h"

#if defined(PACKING_plain)
#define AT_ONCE 1 /* groups whose zero points share a word */
#else
#define AT_ONCE 8
#endif

void int4_scales_scalar(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *x = PM_IN(float, args, 0);
    float *s = PM_OUT(float, args, 1);
    word *z = PM_OUT(word, args, 2);
    const int64_t cols = PM_NUMBER(int32_t, args, 3), group = PM_NUMBER(int32_t, args, 4);
    const int symmetric = PM_NUMBER(int32_t, args, 5);
    (void)grid;

    for (int64_t at = first; at < last; at++) {
        word zeros = 0;
        for (int64_t k = at * AT_ONCE; k < (at + 1) * AT_ONCE; k++) {
#if defined(PACKING_plain)
            const int64_t row = k / (cols / group), col = k % (cols / group) * group, step = 1;
#else
            const int64_t row = k / cols * group, col = k % cols, step = cols;
#endif
            const float *own = x + row * cols + col;
            float low = 0, high = 0;
            for (int64_t i = 0; i < group; i++) {
                low = own[i * step] < low ? own[i * step] : low;
                high = own[i * step] > high ? own[i * step] : high;
            }
            grid4 g = grid_of(low, high, symmetric);
            s[k] = g.scale;
#if defined(PACKING_plain)
            zeros = (word)g.zero;
#else
            zeros |= ((word)(g.zero - STORED_LESS) & 15) << shift_of_column(col);
#endif
        }
        z[at] = zeros;
    }
}

void int4_quantize_scalar(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *x = PM_IN(float, args, 0), *s = PM_IN(float, args, 1);
    const word *z = PM_IN(word, args, 2);
    word *q = PM_OUT(word, args, 3);
    const int64_t rows = PM_NUMBER(int32_t, args, 4), cols = PM_NUMBER(int32_t, args, 5);
    const int64_t group = PM_NUMBER(int32_t, args, 6), chunk = PM_NUMBER(int32_t, args, 7);
    const int64_t words = rows * cols / PER_WORD;
    (void)grid;

    for (int64_t at = first * chunk; at < pm_min(last * chunk, words); at++) {
        word packed = 0;
        for (int64_t k = 0; k < PER_WORD; k++) {
#if defined(PACKING_gptq_v1) || defined(PACKING_gptq_v2)
            const int64_t row = at / cols * 8 + k, col = at % cols;
#else
            const int64_t row = at / (cols / PER_WORD), col = at % (cols / PER_WORD) * PER_WORD + k;
#endif
            grid4 g = {s[scale_of(row, col, cols, group)], zero_of(z, row, col, cols, group)};
            packed |= (word)((word)code_of(x[row * cols + col], g) << shift_of(row, col));
        }
        q[at] = packed;
    }
}
