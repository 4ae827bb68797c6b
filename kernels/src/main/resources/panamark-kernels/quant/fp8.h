/* The 8-bit format of a CPU kernel, and what quantizers share. */
#ifndef PANAMARK_FP8_H
#define PANAMARK_FP8_H

#include "fp8_format.h"
#include "quantize.h"

#endif
