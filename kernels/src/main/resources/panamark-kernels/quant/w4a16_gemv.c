/*
 * y[out] = sum over in of (code - zero point) * scale * x[in]: 4-bit weights [in, out], packed as int4.h says for [rows,
 * cols], x and y f16, sums in f32. Each word is read once; codes stay in registers until they are multiplied.
 *
 * PACKING_x is set when compiled. Grid: [ceil(out / 128)]; a block is 128 outputs.
 */
#define REAL_f16
#include "int4.h"
#include "real.h"

#define OUTPUTS 128
#if defined(PACKING_awq)
#define ROWS_PER_WORD 1
#else
#define ROWS_PER_WORD 8
#endif
#define WORDS (OUTPUTS * ROWS_PER_WORD / 8) /* of a block, one above the other in the same row of words */
#define CHUNK 128                           /* inputs that are converted at once, so that they stay in the cache */

/*
 * An awq word holds eight outputs of one input, another word eight inputs of one output. Lanes are words, so that all of
 * a vector is shifted alike. output() says which of the block's outputs a lane is; the others are in place.
 */
#define VECTORS (OUTPUTS / PM_LANES)
typedef uint32_t word_vec __attribute__((vector_size(PM_LANES * 4)));

PM_INLINE int output(int vector, int lane) {
#if defined(PACKING_awq)
    /* Vectors of one nibble each; the nibble of vector v of word w is the output 8 w + its place in the order. */
    int nibble = vector / (VECTORS / 8), column = nibble < 4 ? 2 * nibble : 2 * nibble - 7;
    return 8 * (vector % (VECTORS / 8) * PM_LANES + lane) + column;
#else
    return vector * PM_LANES + lane;
#endif
}

/* A block takes a few lines of every row of words, which lie too far apart for the hardware to guess the next ones. */
#define AHEAD 16

PM_INLINE void fetch_words(const uint32_t *q) {
    PM_UNROLL
    for (int w = 0; w < WORDS; w += 16) {
        __builtin_prefetch(q + w);
    }
}

/* sum += (codes - zeros) * x for the inputs of one row of words. */
PM_INLINE void add_words(pm_vec sum[VECTORS], const pm_vec zero[VECTORS], const uint32_t *q, const float *x) {
    PM_UNROLL
    for (int w = 0; w < WORDS / PM_LANES; w++) {
        word_vec words;
        memcpy(&words, q + w * PM_LANES, sizeof words);
        PM_UNROLL
        for (int nibble = 0; nibble < 8; nibble++) {
            const int v = ROWS_PER_WORD == 1 ? nibble * (VECTORS / 8) + w : w;
            pm_vec code = __builtin_convertvector((pm_ivec)(words >> (4 * nibble) & 15), pm_vec);
            sum[v] += (code - zero[v]) * x[ROWS_PER_WORD == 1 ? 0 : nibble];
        }
    }
}

static void block(const uint32_t *q, const float *s, const uint32_t *z, const real *x, real *y, int64_t in, int64_t out,
                  int64_t group, int64_t begin) {
    pm_vec total[VECTORS] = {0};
    for (int64_t top = 0; top < in; top += group) {
        pm_vec zero[VECTORS], sum[VECTORS] = {0}, scale[VECTORS];
        for (int v = 0; v < VECTORS; v++) {
            for (int lane = 0; lane < PM_LANES; lane++) {
                int64_t col = begin + output(v, lane);
                zero[v][lane] = (float)zero_of(z, top, col, out, group);
                scale[v][lane] = s[top / group * out + col];
            }
        }
        for (int64_t chunk = top; chunk < top + group; chunk += CHUNK) {
            float inputs[CHUNK];
            int64_t count = pm_min(CHUNK, top + group - chunk);
            for (int64_t i = 0; i < count; i++) {
                inputs[i] = from_real(x[chunk + i]);
            }
            for (int64_t i = 0; i < count; i += ROWS_PER_WORD) {
                fetch_words(q + word_of(chunk + i + AHEAD * ROWS_PER_WORD, begin, out));
                add_words(sum, zero, q + word_of(chunk + i, begin, out), inputs + i);
            }
        }
        for (int v = 0; v < VECTORS; v++) {
            total[v] += sum[v] * scale[v];
        }
    }
    for (int v = 0; v < VECTORS; v++) {
        for (int lane = 0; lane < PM_LANES; lane++) {
            y[begin + output(v, lane)] = to_real(total[v][lane]);
        }
    }
}

/* The outputs behind the last whole block. */
static void rest(const uint32_t *q, const float *s, const uint32_t *z, const real *x, real *y, int64_t in, int64_t out,
                 int64_t group, int64_t begin) {
    for (int64_t col = begin; col < out; col++) {
        float total = 0;
        for (int64_t top = 0; top < in; top += group) {
            float sum = 0;
            const int zero = zero_of(z, top, col, out, group);
            for (int64_t row = top; row < top + group; row++) {
                int code = (int)(q[word_of(row, col, out)] >> shift_of(row, col) & 15);
                sum += (float)(code - zero) * from_real(x[row]);
            }
            total += sum * s[top / group * out + col];
        }
        y[col] = to_real(total);
    }
}

void w4a16_gemv(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const uint32_t *q = PM_IN(uint32_t, args, 0), *z = PM_IN(uint32_t, args, 2);
    const float *s = PM_IN(float, args, 1);
    const real *x = PM_IN(real, args, 3);
    real *y = PM_OUT(real, args, 4);
    const int64_t in = PM_NUMBER(int32_t, args, 5), out = PM_NUMBER(int32_t, args, 6);
    const int64_t group = PM_NUMBER(int32_t, args, 7);
    (void)grid;

    for (int64_t number = first; number < last; number++) {
        int64_t begin = number * OUTPUTS;
        (begin + OUTPUTS <= out ? block : rest)(q, s, z, x, y, in, out, group, begin);
    }
}
