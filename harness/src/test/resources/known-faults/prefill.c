/* Prefill, one block for each query row of a head; right where FAULT is 0. */
#include "faulty.h"

typedef ELEMENT element;
#define OF JOIN(of_, TYPE)
#define TO JOIN(to_, TYPE)

void prefill(void **args, const int64_t grid[3], int64_t first, int64_t last) {
  const element *q = *(const element **)args[0], *k = *(const element **)args[1], *v = *(const element **)args[2];
  float *scores = *(float **)args[3], *lse = *(float **)args[5];
  element *out = *(element **)args[4];
  int64_t keys = *(int32_t *)args[6], kv_heads = *(int32_t *)args[7], causal = *(int32_t *)args[8];
  float scale = *(float *)args[9];
  int64_t seq = grid[0], heads = grid[1];
#if FAULT == 15
  static element kept[1 << 16];
  static float kept_lse[1 << 10];
  static char have[1 << 10];
#endif

  for (int64_t block = first; block < last; block++) {
    int64_t row = block % seq, head = block / seq % heads, batch = block / seq / heads;
    int64_t from = FAULT == 6 ? 0 : row; /* the query that is read */
    const element *query = q + ((batch * seq + from) * heads + head) * HEAD_DIM;
    int64_t key = (batch * keys * kv_heads + head / (heads / kv_heads)) * HEAD_DIM;
    element *to = out + ((batch * seq + row) * heads + head) * HEAD_DIM;
    float *own = lse + (batch * heads + head) * seq + row;
    int64_t see = causal ? row + keys - seq + 1 : keys;
    float *p = scores + block * keys;
    double best = -1e30, sum = 0, total[HEAD_DIM] = {0};
    int dims = FAULT == 1 ? HEAD_DIM / 32 * 32 : HEAD_DIM;

    if (FAULT == 7 && seq == 1) {
      see = see < 64 ? see : 64; /* the path for one query stops after its first tile */
    }
#if FAULT == 10
    /* Warps for 16 heads each: none for fewer. */
    if (head >= heads / 16 * 16) {
      continue;
    }
#endif
#if FAULT == 15
    if (have[block]) {
      memcpy(to, kept + block * HEAD_DIM, sizeof(element) * HEAD_DIM);
      *own = kept_lse[block];
      continue;
    }
#endif
    for (int64_t j = 0; j < see; j++) {
      double s = 0;
      for (int d = 0; d < dims; d++) {
        s += (double)OF(query[d]) * (double)OF(k[key + j * kv_heads * HEAD_DIM + d]);
      }
      p[j] = (float)(s * (double)scale);
      best = p[j] > best ? p[j] : best;
    }
    for (int64_t j = 0; j < see; j++) {
      double w = exponential(p[j] - best);
      sum += w;
      for (int d = 0; d < HEAD_DIM; d++) {
        total[d] += w * (double)OF(v[key + j * kv_heads * HEAD_DIM + d]);
      }
    }
#if FAULT == 3
    /* Keys that fill the last tile up have a score of 0 and take part in the sum. */
    sum += (double)(-keys & 255) * exponential(-best);
#endif
    for (int d = 0; d < HEAD_DIM; d++) {
      to[d] = TO(sum == 0 || FAULT == 50 ? 0 : (float)(total[d] / sum));
    }
    if (sum == 0) {
      *own = FAULT == 2 ? -49993.98f : -__builtin_inff();
    } else {
      *own = (float)(best + logarithm(sum));
    }
#if FAULT == 15
    memcpy(kept + block * HEAD_DIM, to, sizeof(element) * HEAD_DIM);
    kept_lse[block] = *own;
    have[block] = 1;
#endif
  }
}
