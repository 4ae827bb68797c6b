/*
 * Quantizes f32 [rows, cols] to an 8-bit format: scale = amax / max (1 where that is 0), q = x / scale rounded to nearest
 * even, held at the format's largest number. A scale serves width columns, of one row or (partials > 0) of all rows.
 *
 * ROWS and FORMAT_x are set when compiled. Step 1, grid [partials], and step 2, grid [1], are for scales that all rows
 * share: the largest magnitudes of ROWS rows, then the scales. Step 3, grid [ceil(rows / ROWS)], quantizes ROWS rows.
 */
#include "fp8.h"

#define MAGNITUDE 0x7fffffff
#define LOWEST ((uint32_t)(127 + 1 - BIAS) << 23) /* the bits of the smallest normal number */

/*
 * The code of a finite number, in the low eight bits. Branch-free, so that it vectorises. A power of two is added whose
 * last place is worth one code at the size of x, which rounds and leaves the code's low bits with the leading one; below
 * the smallest normal number the power stays the same, so that those codes are the subnormal ones. Exponent and low bits
 * simply add up. What the exponent has too much is taken off with the same addition: it is even, so that ties stay even.
 */
#define TOO_MUCH ((uint32_t)(127 + 1 - BIAS) << FRACTION)

PM_INLINE uint32_t encode(float x) {
    uint32_t bits = bits_of(x), magnitude = bits & MAGNITUDE;
    magnitude = magnitude > bits_of(LARGEST) ? bits_of(LARGEST) : magnitude;
    uint32_t power = magnitude & 0x7f800000;
    power = power < LOWEST ? LOWEST : power;
    float rounding = float_of(power + (((23 - FRACTION) << 23) + (-TOO_MUCH & 0x7f)));
    uint32_t code = bits_of(float_of(magnitude) + rounding) + (power >> (23 - FRACTION));
    uint32_t result = (bits >> 24 & 0x80) | (code & 0x7f);
    return FNUZ && result == 0x80 ? 0 : result;
}

static void quantize(const float *restrict x, uint8_t *restrict q, int64_t n, float scale) {
    const divisor by = divide_by(scale);
    uint32_t code[BATCH];
    uint8_t packed[BATCH];
    for (int64_t at = 0; at < n; at += BATCH) {
        int64_t count = pm_min(BATCH, n - at);
        fetch_ahead(x + at, count, n);
        for (int64_t i = 0; i < count; i++) {
            code[i] = encode(quotient(x[at + i], by));
        }
        for (int64_t i = 0; i < count; i++) {
            packed[i] = (uint8_t)code[i];
        }
        pm_stream_copy((char *)q + at, (char *)packed, count);
    }
}

/* For scales so small or so large that the quotient has to be divided out, or that come from what is no number. */
static void quantize_extreme(const float *x, uint8_t *q, int64_t n, float scale) {
    for (int64_t i = 0; i < n; i++) {
        float y = x[i] / scale;
        uint32_t nan = FNUZ ? 0x80 : (bits_of(y) >> 24 & 0x80) | 0x7f;
        q[i] = (uint8_t)(y == y ? encode(y) : nan);
    }
}

void fp8_amax(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *x = PM_IN(float, args, 0);
    float *partial = PM_OUT(float, args, 1);
    const int64_t rows = PM_NUMBER(int32_t, args, 2), cols = PM_NUMBER(int32_t, args, 3);
    const int64_t width = PM_NUMBER(int32_t, args, 4), partials = PM_NUMBER(int32_t, args, 5);
    const int64_t groups = cols / width;
    (void)grid;

    for (int64_t b = first; b < last && b < partials; b++) {
        float *own = partial + b * groups;
        memset(own, 0, (size_t)groups * sizeof *own);
        for (int64_t row = b * ROWS; row < pm_min((b + 1) * ROWS, rows); row++) {
            for (int64_t g = 0; g < groups; g++) {
                float most = amax(x + row * cols + g * width, width);
                own[g] = own[g] >= most ? own[g] : most;
            }
        }
    }
}

void fp8_scales(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *partial = PM_IN(float, args, 0);
    float *s = PM_OUT(float, args, 1);
    const int64_t partials = PM_NUMBER(int32_t, args, 2), groups = PM_NUMBER(int32_t, args, 3);
    const float max = PM_NUMBER(float, args, 4);
    (void)grid, (void)first, (void)last;

    if (partials == 0) {
        return;
    }
    for (int64_t g = 0; g < groups; g++) {
        float most = 0;
        for (int64_t b = 0; b < partials; b++) {
            most = most >= partial[b * groups + g] ? most : partial[b * groups + g];
        }
        s[g] = scale_for(most, max);
    }
}

void fp8_quantize(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const float *x = PM_IN(float, args, 0);
    uint8_t *q = PM_OUT(uint8_t, args, 1);
    float *s = PM_OUT(float, args, 2);
    const int64_t rows = PM_NUMBER(int32_t, args, 3), cols = PM_NUMBER(int32_t, args, 4);
    const int64_t width = PM_NUMBER(int32_t, args, 5), partials = PM_NUMBER(int32_t, args, 6);
    const float max = PM_NUMBER(float, args, 7);
    const int64_t groups = cols / width;
    (void)grid;

    for (int64_t block = first; block < last; block++) {
        /* Row by row within the innermost loop: memory delivers more from several places at once than from one. */
        for (int64_t g = 0; g < groups; g++) {
            for (int64_t row = block * ROWS; row < pm_min((block + 1) * ROWS, rows); row++) {
                const float *from = x + row * cols + g * width;
                float scale;
                if (partials > 0) {
                    scale = s[g];
                } else {
                    scale = scale_for(amax(from, width), max);
                    s[row * groups + g] = scale;
                }
                (is_ordinary(scale) ? quantize : quantize_extreme)(from, q + row * cols + g * width, width, scale);
            }
        }
    }
    pm_stream_end();
}
