/* How the gathers move bytes: the same way, so that they differ in addressing only. */
#ifndef PANAMARK_COPY_H
#define PANAMARK_COPY_H

#include "../panamark_cpu.h"

PM_INLINE void copy(char *to, const char *from, int64_t bytes) {
    memcpy(to, from, (size_t)bytes);
}

#endif
