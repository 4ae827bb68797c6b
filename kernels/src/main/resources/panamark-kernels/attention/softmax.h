/* Vector pieces of a softmax. No libm: a shared object that needs none loads everywhere. */
#ifndef PANAMARK_SOFTMAX_H
#define PANAMARK_SOFTMAX_H

#include "../panamark_cpu.h"

#define PM_LOG2E_DOUBLE 1.44269504088896340736
#define PM_LOG2E 1.44269504088896340736f
#define PM_LN2 0.69314718055994530942

/* Lane-wise; a NaN in either gives b, so b is the running value and a NaN in the data is found by the exponentials. */
PM_INLINE pm_vec pm_max(pm_vec a, pm_vec b) {
    return pm_select(a > b, a, b);
}

/* The sum of the lanes, in pairs, so that the error grows with the logarithm of their number. */
PM_INLINE float pm_sum_lanes(pm_vec v) {
    float lane[PM_LANES];
    memcpy(lane, &v, sizeof lane);
    PM_UNROLL
    for (int half = PM_LANES / 2; half > 0; half /= 2) {
        PM_UNROLL
        for (int i = 0; i < half; i++) {
            lane[i] += lane[i + half];
        }
    }
    return lane[0];
}

/* Lane i: the sum of the lanes of v[i]. Two vectors become one that holds half as many partial sums of each. */
PM_INLINE pm_vec pm_sum_each(pm_vec v[PM_LANES]) {
    PM_UNROLL
    for (int half = PM_LANES / 2; half > 0; half /= 2) {
        pm_ivec low = (pm_iota() & half) == 0;
        PM_UNROLL
        for (int i = 0; i < half; i++) {
            pm_vec other = pm_select(low, v[i + half], v[i]);
            v[i] = pm_select(low, v[i], v[i + half]) + pm_swap_lanes(other, half);
        }
    }
    return v[0];
}

/*
 * 2^x for x in [-126, 126]; at most 2^-126 below that, and 0 below -126.5 and for -inf; NaN for NaN. x = n + f with n
 * whole and |f| <= 1/2, and 2^f is a polynomial fitted by Remez exchange with p(0) = 1 (relative error 2.6e-9 before
 * rounding). Relative error at most 1.1e-7 (1.8 x 2^-24; 1.4 x 2^-24 with fused multiply-add), the largest found over 39
 * million values of the range.
 */
PM_INLINE pm_vec pm_exp2(pm_vec x) {
    const float to_whole = 12583039.0f; /* 1.5 * 2^23 + 127: adding it rounds to a whole number, and leaves n + 127 low */
    pm_vec within = pm_max(pm_splat(-127.0f), x);
    pm_vec shifted = within + to_whole;
    pm_vec f = within - (shifted - to_whole);
    pm_vec p = f * 0.00015594677542570923f + 0.0013406643904668742f;
    p = p * f + 0.00961769297491022f;
    p = p * f + 0.055503105509969716f;
    p = p * f + 0.24022652782875992f;
    p = p * f + 0.6931472149680388f;
    p = p * f + 1.0f;
    return p * (pm_vec)((pm_ivec)shifted << 23); /* n + 127 is the exponent of 2^n, and 0 that of 0 */
}

/* tanh as 1 - 2 / (e^2x + 1): an absolute error of at most 2e-7, which is what a capped score needs. */
PM_INLINE pm_vec pm_tanh(pm_vec x) {
    pm_vec twice = x * (2 * PM_LOG2E);
    pm_vec bounded = pm_select(twice > 126.0f, pm_splat(126.0f), twice);
    return 1.0f - 2.0f / (pm_exp2(bounded) + 1.0f);
}

/*
 * log2 of a positive normal number: the exponent, and for m in [1/sqrt 2, sqrt 2) the series of
 * ln m = 2 artanh((m - 1) / (m + 1)), cut off where it is below 1e-13.
 */
PM_INLINE double pm_log2(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t exponent = (int32_t)(bits - 0x3f3504f3) >> 23; /* 0x3f3504f3 is 1/sqrt 2 */
    bits -= (uint32_t)exponent << 23;
    float m;
    memcpy(&m, &bits, sizeof m);
    double t = ((double)m - 1) / ((double)m + 1), square = t * t, sum = 0;
    for (int k = 15; k > 0; k -= 2) {
        sum = sum * square + 1.0 / k;
    }
    return exponent + 2 * PM_LOG2E_DOUBLE * t * sum;
}

#endif
