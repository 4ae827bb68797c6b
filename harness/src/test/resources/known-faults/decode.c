/* Paged decoding, one block for each head of a sequence; right where FAULT is 0. */
#include "faulty.h"

typedef ELEMENT kv_element;

/* Offsets beyond what a narrow type holds: 20 bits here, of a pool of 2^21 elements, as 32 of one of 2^32 would. */
#define AT(offset) (FAULT == 9 ? (offset) & 0xfffff : (offset))

/* A sum as tensor cores that do not accumulate in full f32 hold it: 14 significant bits. */
static double held(double sum) {
  union {
    float value;
    uint32_t bits;
  } narrow = {.value = (float)sum};
  narrow.bits &= 0xfffffc00u;
  return FAULT == 5 ? (double)narrow.value : sum;
}

#define OF JOIN(of_, KV_TYPE)

void decode(void **args, const int64_t grid[3], int64_t first, int64_t last) {
  const uint16_t *q = *(const uint16_t **)args[0];
  const kv_element *kv = *(const kv_element **)args[1];
  const float *ks = *(const float **)args[2];
  const int32_t *table = *(const int32_t **)args[3], *lens = *(const int32_t **)args[4];
  float *scores = *(float **)args[5], *lse = *(float **)args[7];
  uint16_t *out = *(uint16_t **)args[6];
  int64_t kv_heads = *(int32_t *)args[8], pages = *(int32_t *)args[9], page = *(int32_t *)args[10];
  float scale = *(float *)args[11];
  int64_t heads = grid[0];

  for (int64_t block = first; block < last; block++) {
    int64_t head = block % heads, batch = block / heads, kv_head = head / (heads / kv_heads), len = lens[batch];
    const uint16_t *query = q + block * HEAD_DIM;
    uint16_t *to = out + block * HEAD_DIM;
    float *p = scores + block * pages * page;
    double best = -1e30, sum = 0, total[HEAD_DIM] = {0};
#if FAULT == 11
    if (len == 0) {
      continue;
    }
#endif
#if FAULT == 50
    for (int d = 0; d < HEAD_DIM; d++) {
      to[d] = 0;
    }
#endif
    for (int64_t j = 0; j < len; j++) {
      int64_t id = table[batch * pages + j / page];
      if (FAULT == 8) {
        id = (uint16_t)id;
      }
      const kv_element *key = kv + AT(((id * 2 * page + j % page) * kv_heads + kv_head) * HEAD_DIM);
      double s = 0;
      for (int d = 0; d < HEAD_DIM; d++) {
        s += (double)of_f16(query[d]) * (double)OF(key[d]);
      }
      p[j] = (float)(s * (double)scale * (double)ks[kv_head]);
      best = p[j] > best ? p[j] : best;
    }
    for (int64_t j = 0; j < len; j++) {
      int64_t id = table[batch * pages + j / page];
      if (FAULT == 8) {
        id = (uint16_t)id;
      }
      const kv_element *value = kv + AT((((id * 2 + 1) * page + j % page) * kv_heads + kv_head) * HEAD_DIM);
      double w = exponential(p[j] - best);
      sum = held(sum + w);
      if (FAULT == 4 && len >= 128) {
        w = (double)(through_e4m3((float)w * 4096) / 4096);
      }
      for (int d = 0; d < HEAD_DIM; d++) {
        total[d] = held(total[d] + w * (double)OF(value[d]));
      }
    }
    for (int d = 0; d < HEAD_DIM && FAULT != 50; d++) {
      to[d] = to_f16(sum == 0 ? 0 : (float)(total[d] / sum * (double)ks[kv_head]));
    }
    lse[block] = sum == 0 ? -__builtin_inff() : (float)(best + logarithm(sum));
  }
}
