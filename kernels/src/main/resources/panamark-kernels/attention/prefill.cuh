/* Which keys a query of prefill sees, and what becomes of its scores. HEAD_DIM and TYPE are set when compiled. */
#ifndef PANAMARK_PREFILL_CUH
#define PANAMARK_PREFILL_CUH

#include "../panamark_cuda.cuh"

typedef PM_TYPE(TYPE) element;

/* Keys begin, begin + 1, ..., end - 1. */
struct span {
    int begin, end;
};

/* The last query sees the last key; window is how many keys before its own a query sees, or -1. */
PM_DEVICE span keys_of(int row, int seq, int keys, int causal, int window) {
    int diagonal = row + keys - seq;
    span s = {window < 0 ? 0 : max(0, diagonal - window), causal ? min(keys, diagonal + 1) : keys};
    s.end = max(s.begin, s.end);
    return s;
}

/* softcap 0: none. */
PM_DEVICE float capped(float score, float softcap) {
    return softcap > 0 ? softcap * tanhf(score / softcap) : score;
}

#endif
