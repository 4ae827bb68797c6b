/*
 * The four 8-bit formats, one of which is chosen when compiled: FORMAT_e4m3, FORMAT_e5m2, FORMAT_e4m3fnuz or
 * FORMAT_e5m2fnuz. The FNUZ formats have no infinity and no minus zero, whose code is their NaN, and a bias of one more:
 * the same code stands for half. Read by C and CUDA.
 */
#ifndef PANAMARK_FP8_FORMAT_H
#define PANAMARK_FP8_FORMAT_H

#if defined(FORMAT_e4m3)
#define FRACTION 3
#define BIAS 7
#define FNUZ 0
#define LARGEST 448.0f
#elif defined(FORMAT_e5m2)
#define FRACTION 2
#define BIAS 15
#define FNUZ 0
#define LARGEST 57344.0f
#elif defined(FORMAT_e4m3fnuz)
#define FRACTION 3
#define BIAS 8
#define FNUZ 1
#define LARGEST 240.0f
#elif defined(FORMAT_e5m2fnuz)
#define FRACTION 2
#define BIAS 16
#define FNUZ 1
#define LARGEST 57344.0f
#else
#error "define FORMAT_e4m3, FORMAT_e5m2, FORMAT_e4m3fnuz or FORMAT_e5m2fnuz"
#endif

#endif
