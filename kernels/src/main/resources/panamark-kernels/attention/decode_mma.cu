/*
 * Paged decoding on tensor cores: the GROUP query heads that share a key head are the rows of a matrix, at most sixteen in a
 * block, so that a key is loaded once for all of them. Each warp takes sixteen keys at a time, the next ones on their way
 * while it weighs values, and waits for no other warp until the end. Partial results are those of decode_merge.cuh.
 *
 * Tiles lie in shared memory as tiles.cuh says. The weights that multiply values are rounded to the elements' type, their
 * sum is not.
 *
 * q, out [batch, heads, HEAD_DIM], pool, table and lens as in decode.cuh. HEAD_DIM (a multiple of 16 up to 256), PAGE, TYPE
 * (of 16 bits, of queries, keys and values) and GROUP are set when compiled.
 */
#define KV_TYPE TYPE
#define SCALES 0
#define LAYOUT 2
#include "decode_merge.cuh"
#include "tiles.cuh"

#define ROWS 16 /* query heads of a block */
#define TILES ((GROUP + ROWS - 1) / ROWS)
#define TEAM (HEAD_DIM <= 128 ? 4 : 2) /* warps of a block */
#define KEYS 16                        /* of a warp at a time */
#define STEPS (HEAD_DIM / 16)
#define SUMS (HEAD_DIM + 8) /* floats from one row of sums to the next, so that rows that are written at once do not conflict */

union own_memory {
    struct {
        uint4 keys[KEYS * PITCH], values[KEYS * PITCH];
    } tiles;
    float sums[ROWS * SUMS];
};

/* Plane 0 (keys) or 1 (values) of the warp's next sixteen tokens. at: where token lane % 16 lies, less than 0 if nowhere. */
PM_DEVICE void fetch(uint4 *to, const element *plane, int64_t at) {
    const int lane = threadIdx.x % PM_WARP;
#pragma unroll
    for (int i = 0; i < KEYS * LANES / PM_WARP; i++) {
        const int row = (i * PM_WARP + lane) / LANES, number = (i * PM_WARP + lane) % LANES;
        const int64_t its = __shfl_sync(PM_ALL, at, row);
        if (number < PIECES) {
            pm_copy(to + place(row, number), plane + (its < 0 ? 0 : its * HEAD_DIM + number * PIECE), its >= 0);
        }
    }
}

/* Two queries' elements as a fragment wants them; rows from GROUP on are zeros. */
PM_DEVICE uint32_t query_at(const element *q, int row, int d) {
    return row < GROUP ? *reinterpret_cast<const uint32_t *>(q + row * HEAD_DIM + d) : 0;
}

/* Grid: [splits, kv_heads * TILES, batch], block: [32 * TEAM]. */
PM_KERNEL __launch_bounds__(TEAM *PM_WARP)
    attention_decode_mma(const element *q, const element *kv, const int32_t *table, const int32_t *lens, float *part,
                         int pages, float scale) {
    __shared__ own_memory memory[TEAM];
    __shared__ float warp_sum[TEAM][ROWS], warp_best[TEAM][ROWS];

    const int lane = threadIdx.x % PM_WARP, warp = threadIdx.x / PM_WARP;
    const int matrix = lane / 8, line = lane % 8; /* what this lane names of four matrices */
    const int kv_heads = gridDim.y / TILES, kv_head = blockIdx.y / TILES, top = blockIdx.y % TILES * ROWS;
    const int64_t head = ((int64_t)blockIdx.z * kv_heads + kv_head) * GROUP;
    const range keys = split_of(lens[blockIdx.z]);
    const cache c = {kv, nullptr, table + (int64_t)blockIdx.z * pages, kv_heads, kv_head};
    const int64_t plane = (int64_t)PAGE * kv_heads * HEAD_DIM; /* from a key to its value */
    uint4 *key_tile = memory[warp].tiles.keys, *value_tile = memory[warp].tiles.values;

    uint32_t queries[STEPS][4];
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            queries[s][i] = query_at(q + head * HEAD_DIM, top + lane / 4 + i % 2 * 8, s * 16 + i / 2 * 8 + lane % 4 * 2);
        }
    }

    float best[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
    float sums[HEAD_DIM / 8][4];
#pragma unroll
    for (int d = 0; d < HEAD_DIM / 8; d++) {
        sums[d][0] = sums[d][1] = sums[d][2] = sums[d][3] = 0;
    }

    int first = keys.begin + warp * KEYS;
    int64_t at = first + lane % KEYS < keys.end ? c.place(0, first + lane % KEYS) : -1;
    if (first < keys.end) {
        fetch(key_tile, kv, at);
        pm_copies_end();
        fetch(value_tile, kv + plane, at);
        pm_copies_end();
    }
    for (; first < keys.end; first += TEAM * KEYS) {
        const int next = first + TEAM * KEYS;
        const int64_t next_at = next + lane % KEYS < keys.end ? c.place(0, next + lane % KEYS) : -1;

        pm_copies_wait<1>();
        __syncwarp();
        float scores[2][4] = {};
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            uint32_t its[4]; /* two halves of eight keys, and of the next eight */
            pm_matrices(its, key_tile + place(matrix / 2 * 8 + line, s * 2 + matrix % 2));
            pm_mma(scores[0], queries[s], its, element());
            pm_mma(scores[1], queries[s], its + 2, element());
        }
        __syncwarp(); /* the keys have been used */
        if (next < keys.end) {
            fetch(key_tile, kv, next_at);
        }
        pm_copies_end();

#pragma unroll
        for (int h = 0; h < 2; h++) { /* rows lane / 4 and lane / 4 + 8, which four lanes share */
            float most = best[h];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float &score = scores[i / 2][2 * h + i % 2];
                bool there = first + i / 2 * 8 + lane % 4 * 2 + i % 2 < keys.end;
                score = there ? score * scale * PM_LOG2E : -INFINITY;
                most = fmaxf(most, score);
            }
            most = fmaxf(most, __shfl_xor_sync(PM_ALL, most, 1));
            most = fmaxf(most, __shfl_xor_sync(PM_ALL, most, 2));
            const float shrink = exp2f(best[h] - most);
            best[h] = most;
            sum[h] *= shrink;
#pragma unroll
            for (int d = 0; d < HEAD_DIM / 8; d++) {
                sums[d][2 * h] *= shrink;
                sums[d][2 * h + 1] *= shrink;
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float &score = scores[i / 2][2 * h + i % 2];
                score = exp2f(score - most);
                sum[h] += score;
            }
        }
        const uint32_t weights[4] = {
            pm_pair(scores[0][0], scores[0][1], element()), pm_pair(scores[0][2], scores[0][3], element()),
            pm_pair(scores[1][0], scores[1][1], element()), pm_pair(scores[1][2], scores[1][3], element())};

        pm_copies_wait<1>();
        __syncwarp();
#pragma unroll
        for (int d = 0; d < HEAD_DIM / 8; d += 2) {
            uint32_t its[4]; /* two halves of eight columns, and of the next eight */
            pm_transposed(its, value_tile + place(matrix % 2 * 8 + line, d + matrix / 2));
            pm_mma(sums[d], weights, its, element());
            pm_mma(sums[d + 1], weights, its + 2, element());
        }
        __syncwarp(); /* the values have been used */
        if (next < keys.end) {
            fetch(value_tile, kv + plane, next_at);
        }
        pm_copies_end();
    }

    pm_copies_wait<0>();
    __syncwarp(); /* sums lie where tiles lay */
    float *own = memory[warp].sums;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        sum[h] += __shfl_xor_sync(PM_ALL, sum[h], 1);
        sum[h] += __shfl_xor_sync(PM_ALL, sum[h], 2);
        const int row = lane / 4 + 8 * h;
#pragma unroll
        for (int d = 0; d < HEAD_DIM / 8; d++) {
            *reinterpret_cast<float2 *>(own + row * SUMS + d * 8 + lane % 4 * 2) =
                make_float2(sums[d][2 * h], sums[d][2 * h + 1]);
        }
        if (lane % 4 == 0) {
            warp_sum[warp][row] = sum[h];
            warp_best[warp][row] = best[h];
        }
    }
    __syncthreads();
    for (int row = warp; row < min(ROWS, GROUP - top); row += TEAM) {
        partial all;
        all.clear();
        for (int w = 0; w < TEAM; w++) {
            all.best = fmaxf(all.best, warp_best[w][row]);
        }
        for (int w = 0; w < TEAM; w++) {
            float weight = warp_best[w][row] == -INFINITY ? 0 : exp2f(warp_best[w][row] - all.best);
            all.sum += weight * warp_sum[w][row];
#pragma unroll
            for (int i = 0; i < OWN; i++) {
                int d = i * PM_WARP + lane;
                all.sums[i] += d < HEAD_DIM ? weight * memory[w].sums[row * SUMS + d] : 0;
            }
        }
        leave(all, part + ((head + top + row) * gridDim.x + blockIdx.x) * PART);
    }
}
