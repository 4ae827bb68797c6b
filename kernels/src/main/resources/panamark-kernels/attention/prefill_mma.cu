/*
 * Prefill on tensor cores with an online softmax. A warp has 16 queries, whose elements stay in registers; keys and values
 * come tile by tile into shared memory, the next tile while this one is used. Scores are sums in f32; the weights that
 * multiply values are rounded to the elements' type, their sum is not.
 *
 * q [batch, seq, heads, HEAD_DIM], k and v [batch, keys, kv_heads, HEAD_DIM], out like q, lse [batch, heads, seq].
 * Grid: [ceil(seq / 64), heads, batch], block: [128]. HEAD_DIM (a multiple of 16 up to 256), TYPE (of 16 bits) and LAYOUT
 * are set when compiled; tiles lie in shared memory as tiles.cuh says.
 */
#include "prefill.cuh"
#include "tiles.cuh"

#define WARPS 4
#define ROWS 16      /* queries of a warp */
#define QUERIES (WARPS * ROWS)
#define KEYS (HEAD_DIM <= 80 ? 64 : HEAD_DIM <= 128 ? 32 : 16) /* of a tile, so that four of them fit 48 KiB */
#define STEPS (HEAD_DIM / 16)

/* Rows first, first + 1, ... of stride elements each; those from end on are zeros. */
PM_DEVICE void fetch(uint4 *to, const element *from, int64_t stride, int rows, int first, int end) {
    for (int i = threadIdx.x; i < rows * LANES; i += WARPS * PM_WARP) {
        int row = i / LANES, number = i % LANES;
        if (number < PIECES) {
            bool there = first + row < end;
            pm_copy(to + place(row, number), from + (there ? (first + row) * stride + number * PIECE : 0), there);
        }
    }
}

PM_KERNEL __launch_bounds__(WARPS *PM_WARP)
    attention_prefill_mma(const element *q, const element *k, const element *v, element *out, float *lse, int seq,
                          int keys, int kv_heads, int causal, int window, float scale, float softcap) {
    __shared__ uint4 tiles[2][2][KEYS * PITCH]; /* keys and values, twice; before them the queries */
    static_assert(4 * KEYS >= QUERIES, "queries fit where tiles come");

    const int lane = threadIdx.x % PM_WARP, warp = threadIdx.x / PM_WARP;
    const int heads = gridDim.y, head = blockIdx.y, kv_head = head / (heads / kv_heads);
    const int64_t batch = blockIdx.z;
    const int first = blockIdx.x * QUERIES, last = min(first + QUERIES, seq) - 1;
    const int64_t stride = (int64_t)kv_heads * HEAD_DIM;
    const element *key = k + batch * keys * stride + kv_head * HEAD_DIM;
    const element *value = v + batch * keys * stride + kv_head * HEAD_DIM;
    const int matrix = lane / 8, line = lane % 8; /* what this lane names of four matrices */

    uint4 *staged = &tiles[0][0][0];
    fetch(staged, q + batch * seq * heads * HEAD_DIM + head * HEAD_DIM, (int64_t)heads * HEAD_DIM, QUERIES, first, seq);
    pm_copies_end();
    pm_copies_wait<0>();
    __syncthreads();
    uint32_t queries[STEPS][4];
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        pm_matrices(queries[s], staged + place(warp * ROWS + matrix % 2 * 8 + line, s * 2 + matrix / 2));
    }
    __syncthreads(); /* tiles may come */

    float best[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
    float sums[HEAD_DIM / 8][4];
#pragma unroll
    for (int d = 0; d < HEAD_DIM / 8; d++) {
        sums[d][0] = sums[d][1] = sums[d][2] = sums[d][3] = 0;
    }
    const int own = first + warp * ROWS + lane / 4; /* and own + 8 */
    const span seen[2] = {keys_of(own, seq, keys, causal, window), keys_of(own + 8, seq, keys, causal, window)};

    const int from = keys_of(first, seq, keys, causal, window).begin / KEYS * KEYS;
    const int to = keys_of(last, seq, keys, causal, window).end;
    if (from < to) {
        fetch(tiles[0][0], key, stride, KEYS, from, keys);
        fetch(tiles[0][1], value, stride, KEYS, from, keys);
    }
    pm_copies_end();
    int turn = 0;
    for (int tile = from; tile < to; tile += KEYS, turn ^= 1) {
        if (tile + KEYS < to) {
            fetch(tiles[turn ^ 1][0], key, stride, KEYS, tile + KEYS, keys);
            fetch(tiles[turn ^ 1][1], value, stride, KEYS, tile + KEYS, keys);
        }
        pm_copies_end();
        pm_copies_wait<1>();
        __syncthreads();

        float scores[KEYS / 8][4];
#pragma unroll
        for (int j = 0; j < KEYS / 8; j++) {
            scores[j][0] = scores[j][1] = scores[j][2] = scores[j][3] = 0;
        }
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
#pragma unroll
            for (int j = 0; j < KEYS / 8; j += 2) {
                uint32_t its[4]; /* two halves of eight keys, and of the next eight */
                pm_matrices(its, tiles[turn][0] + place((j + matrix / 2) * 8 + line, s * 2 + matrix % 2));
                pm_mma(scores[j], queries[s], its, element());
                pm_mma(scores[j + 1], queries[s], its + 2, element());
            }
        }

        float most[2] = {best[0], best[1]};
#pragma unroll
        for (int j = 0; j < KEYS / 8; j++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                int at = tile + j * 8 + lane % 4 * 2 + i % 2;
                bool sees = at >= seen[i / 2].begin && at < seen[i / 2].end;
                scores[j][i] = sees ? capped(scores[j][i] * scale, softcap) * PM_LOG2E : -INFINITY;
                most[i / 2] = fmaxf(most[i / 2], scores[j][i]);
            }
        }
#pragma unroll
        for (int h = 0; h < 2; h++) { /* four lanes share a row */
            most[h] = fmaxf(most[h], __shfl_xor_sync(PM_ALL, most[h], 1));
            most[h] = fmaxf(most[h], __shfl_xor_sync(PM_ALL, most[h], 2));
            float shrink = most[h] == -INFINITY ? 1 : exp2f(best[h] - most[h]);
            best[h] = most[h];
            sum[h] *= shrink;
#pragma unroll
            for (int d = 0; d < HEAD_DIM / 8; d++) {
                sums[d][2 * h] *= shrink;
                sums[d][2 * h + 1] *= shrink;
            }
        }
#pragma unroll
        for (int j = 0; j < KEYS / 8; j++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                scores[j][i] = most[i / 2] == -INFINITY ? 0 : exp2f(scores[j][i] - most[i / 2]);
                sum[i / 2] += scores[j][i];
            }
        }
#pragma unroll
        for (int j = 0; j < KEYS / 8; j += 2) { /* 16 keys; their weights are where the product wants them */
            uint32_t weights[4] = {pm_pair(scores[j][0], scores[j][1], element()),
                                   pm_pair(scores[j][2], scores[j][3], element()),
                                   pm_pair(scores[j + 1][0], scores[j + 1][1], element()),
                                   pm_pair(scores[j + 1][2], scores[j + 1][3], element())};
#pragma unroll
            for (int d = 0; d < HEAD_DIM / 8; d += 2) {
                uint32_t its[4]; /* two halves of eight columns, and of the next eight */
                pm_transposed(its, tiles[turn][1] + place(j * 8 + matrix % 2 * 8 + line, d + matrix / 2));
                pm_mma(sums[d], weights, its, element());
                pm_mma(sums[d + 1], weights, its + 2, element());
            }
        }
        __syncthreads(); /* the tile has been used */
    }

#pragma unroll
    for (int h = 0; h < 2; h++) {
        sum[h] += __shfl_xor_sync(PM_ALL, sum[h], 1);
        sum[h] += __shfl_xor_sync(PM_ALL, sum[h], 2);
        int row = own + 8 * h;
        if (row < seq) {
            element *its = out + ((batch * seq + row) * heads + head) * HEAD_DIM + lane % 4 * 2;
#pragma unroll
            for (int d = 0; d < HEAD_DIM / 8; d++) {
                float x = sum[h] == 0 ? 0 : sums[d][2 * h] / sum[h], y = sum[h] == 0 ? 0 : sums[d][2 * h + 1] / sum[h];
                *reinterpret_cast<uint32_t *>(its + d * 8) = pm_pair(x, y, element());
            }
            if (lane % 4 == 0) {
                lse[(batch * heads + head) * seq + row] = sum[h] == 0 ? -INFINITY : (best[h] + log2f(sum[h])) * PM_LN2;
            }
        }
    }
}
