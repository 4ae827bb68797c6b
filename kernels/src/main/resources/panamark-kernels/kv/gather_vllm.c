/*
 * Gathers vLLM's legacy paged layout: keys [num_pages, kv_heads, head_dim / x, page, x] with x elements in 16 bytes, values
 * [num_pages, kv_heads, head_dim, page], to out [batch, 2, kv_len, kv_heads, head_dim]. Keys move 16 bytes at a time;
 * values are transposed, eight tokens by eight elements of 16 bits in registers.
 *
 * ELEMENT is set when compiled: the integer as wide as an element. Grid: [pages, batch]; a block is one page.
 */
#include "../panamark_cpu.h"

#define X ((int64_t)(16 / sizeof(ELEMENT)))

typedef uint16_t eight __attribute__((vector_size(16)));

#define LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)

/* Rows become columns: interleaving the halves three times is a transposition. */
PM_INLINE void transpose(eight r[8]) {
    PM_UNROLL
    for (int round = 0; round < 3; round++) {
        eight t[8];
        PM_UNROLL
        for (int i = 0; i < 4; i++) {
            t[2 * i] = LOW(r[i], r[i + 4]);
            t[2 * i + 1] = HIGH(r[i], r[i + 4]);
        }
        PM_UNROLL
        for (int i = 0; i < 8; i++) {
            r[i] = t[i];
        }
    }
}

static void keys(ELEMENT *out, const ELEMENT *k, int64_t tokens, int64_t dim, int64_t page, int64_t width) {
    for (int64_t t = 0; t < tokens; t++) {
        for (int64_t d = 0; d < dim / X; d++) {
            memcpy(out + t * width + d * X, k + (d * page + t) * X, 16);
        }
    }
}

static void values(ELEMENT *out, const ELEMENT *v, int64_t tokens, int64_t dim, int64_t page, int64_t width) {
    int64_t done = 0;
    if (sizeof(ELEMENT) == 2 && dim % 8 == 0) {
        for (; done + 8 <= tokens; done += 8) {
            for (int64_t d = 0; d < dim; d += 8) {
                eight r[8];
                PM_UNROLL
                for (int i = 0; i < 8; i++) {
                    memcpy(&r[i], v + (d + i) * page + done, sizeof r[i]);
                }
                transpose(r);
                PM_UNROLL
                for (int i = 0; i < 8; i++) {
                    memcpy(out + (done + i) * width + d, &r[i], sizeof r[i]);
                }
            }
        }
    }
    for (; done < tokens; done++) {
        for (int64_t d = 0; d < dim; d++) {
            out[done * width + d] = v[d * page + done];
        }
    }
}

void kv_gather_vllm(void **args, const int64_t grid[3], int64_t first, int64_t last) {
    const ELEMENT *k = PM_IN(ELEMENT, args, 0), *v = PM_IN(ELEMENT, args, 1);
    const int32_t *table = PM_IN(int32_t, args, 2), *lens = PM_IN(int32_t, args, 3);
    ELEMENT *out = PM_OUT(ELEMENT, args, 4);
    const int64_t kv_len = PM_NUMBER(int32_t, args, 5), heads = PM_NUMBER(int32_t, args, 6);
    const int64_t dim = PM_NUMBER(int32_t, args, 7), page = PM_NUMBER(int32_t, args, 8);
    const int64_t pages = (kv_len + page - 1) / page, width = heads * dim;

    for (int64_t number = first; number < last; number++) {
        pm_block at = pm_block_at(grid, number);
        const int64_t token = at.x * page, room = pm_min(page, kv_len - token);
        const int64_t valid = lens[at.y] > token ? pm_min(room, lens[at.y] - token) : 0;
        ELEMENT *key = out + (at.y * 2 * kv_len + token) * width, *value = key + kv_len * width;
        if (valid > 0) {
            const int64_t from = table[at.y * pages + at.x] * width * page;
            for (int64_t head = 0; head < heads; head++) {
                keys(key + head * dim, k + from + head * dim * page, valid, dim, page, width);
                values(value + head * dim, v + from + head * dim * page, valid, dim, page, width);
            }
        }
        if (room > valid) {
            memset(key + valid * width, 0, (size_t)((room - valid) * width) * sizeof(ELEMENT));
            memset(value + valid * width, 0, (size_t)((room - valid) * width) * sizeof(ELEMENT));
        }
    }
}
