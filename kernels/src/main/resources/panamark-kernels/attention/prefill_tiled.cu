/*
 * Prefill in tiles with an online softmax: keys and values of a tile in shared memory, both products on the FMA units in
 * f32. A warp has ROWS queries. For the scores a lane has a key of the tile, which it reads 16 bytes at a time: LAYOUT says
 * how the rows of keys lie in shared memory, and with that which banks those reads hit.
 *
 * LAYOUT 0: one after the other. Rows are a multiple of 128 bytes apart, so all lanes of a phase hit the same four banks.
 * LAYOUT 1: 16 bytes of padding after each row. The eight lanes of a phase hit 32 different banks.
 * LAYOUT 2: no padding; the 16-byte pieces of row r are swapped by XOR with r % 8, which spreads a phase over all banks.
 *
 * q [batch, seq, heads, HEAD_DIM], k and v [batch, keys, kv_heads, HEAD_DIM], out like q, lse [batch, heads, seq].
 * Grid: [ceil(seq / (WARPS*ROWS)), heads, batch], block: [WARPS*32]. HEAD_DIM (a multiple of 64), TYPE (of 16 bits) and
 * LAYOUT are set when compiled.
 */
#include "prefill.cuh"

#define WARPS 4
#define ROWS 8             /* queries of a warp */
#define KEYS PM_WARP       /* of a tile: one for each lane */
#define PIECE 8            /* elements of 16 bytes */
#define PIECES (HEAD_DIM / PIECE)
#define PITCH (PIECES + (LAYOUT == 1)) /* of a row of keys, in pieces */
#define OWN (HEAD_DIM / (2 * PM_WARP)) /* pairs of output elements of a lane */

/* Where piece number of a row of keys lies. */
PM_DEVICE int place(int row, int number) {
    return row * PITCH + (LAYOUT == 2 ? number ^ row % 8 : number);
}

struct piece {
    uint4 words;

    __device__ __forceinline__ void widen(float *to) const {
        const element *e = reinterpret_cast<const element *>(&words);
#pragma unroll
        for (int i = 0; i < PIECE; i++) {
            to[i] = pm_float(e[i]);
        }
    }
};

PM_KERNEL __launch_bounds__(WARPS *PM_WARP)
    attention_prefill_tiled(const element *q, const element *k, const element *v, element *out, float *lse, int seq,
                            int keys, int kv_heads, int causal, int window, float scale, float softcap) {
    __shared__ uint4 queries[WARPS * ROWS * PIECES];
    __shared__ uint4 tile_keys[KEYS * PITCH];
    __shared__ uint4 tile_values[KEYS * PIECES];
    __shared__ float weights[WARPS][ROWS][KEYS];

    const int lane = threadIdx.x % PM_WARP, warp = threadIdx.x / PM_WARP;
    const int heads = gridDim.y, head = blockIdx.y, kv_head = head / (heads / kv_heads);
    const int64_t batch = blockIdx.z;
    const int first = blockIdx.x * WARPS * ROWS, last = min(first + WARPS * ROWS, seq) - 1;
    const int64_t stride = (int64_t)kv_heads * HEAD_DIM;
    const element *key = k + batch * keys * stride + kv_head * HEAD_DIM;
    const element *value = v + batch * keys * stride + kv_head * HEAD_DIM;
    const uint4 nothing = make_uint4(0, 0, 0, 0);

    for (int i = threadIdx.x; i < WARPS * ROWS * PIECES; i += WARPS * PM_WARP) {
        int row = first + i / PIECES;
        queries[i] = row < seq ? *reinterpret_cast<const uint4 *>(
                                     q + ((batch * seq + row) * heads + head) * HEAD_DIM + i % PIECES * PIECE)
                               : nothing;
    }
    float best[ROWS], sum[ROWS];
    float2 sums[ROWS][OWN];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        best[r] = -INFINITY;
        sum[r] = 0;
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            sums[r][i] = make_float2(0, 0);
        }
    }

    const int from = keys_of(first, seq, keys, causal, window).begin / KEYS * KEYS;
    const int to = keys_of(last, seq, keys, causal, window).end;
    for (int tile = from; tile < to; tile += KEYS) {
        __syncthreads(); /* the tile before has been used */
        for (int i = threadIdx.x; i < KEYS * PIECES; i += WARPS * PM_WARP) {
            int row = i / PIECES, number = i % PIECES;
            bool there = tile + row < keys;
            int64_t at = (tile + row) * stride + number * PIECE;
            tile_keys[place(row, number)] = there ? *reinterpret_cast<const uint4 *>(key + at) : nothing;
            tile_values[i] = there ? *reinterpret_cast<const uint4 *>(value + at) : nothing;
        }
        __syncthreads();

        float scores[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            scores[r] = 0;
        }
#pragma unroll 1
        for (int number = 0; number < PIECES; number++) {
            float mine[PIECE], its[PIECE];
            piece{tile_keys[place(lane, number)]}.widen(mine);
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                piece{queries[(warp * ROWS + r) * PIECES + number]}.widen(its);
#pragma unroll
                for (int i = 0; i < PIECE; i++) {
                    scores[r] += its[i] * mine[i];
                }
            }
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            span seen = keys_of(first + warp * ROWS + r, seq, keys, causal, window);
            bool sees = tile + lane >= seen.begin && tile + lane < seen.end;
            float score = sees ? capped(scores[r] * scale, softcap) * PM_LOG2E : -INFINITY;
            float most = fmaxf(best[r], pm_warp_max(score));
            float weight = most == -INFINITY ? 0 : exp2f(score - most);
            float shrink = most == -INFINITY ? 1 : exp2f(best[r] - most);
            best[r] = most;
            sum[r] = sum[r] * shrink + pm_warp_sum(weight);
#pragma unroll
            for (int i = 0; i < OWN; i++) {
                sums[r][i].x *= shrink;
                sums[r][i].y *= shrink;
            }
            weights[warp][r][lane] = weight;
        }
        __syncwarp();
#pragma unroll 1
        for (int j = 0; j < KEYS; j++) {
#pragma unroll
            for (int i = 0; i < OWN; i++) {
                uint32_t pair = reinterpret_cast<const uint32_t *>(tile_values)[(j * OWN + i) * PM_WARP + lane];
                const element *two = reinterpret_cast<const element *>(&pair);
                float x = pm_float(two[0]), y = pm_float(two[1]);
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    sums[r][i].x += weights[warp][r][j] * x;
                    sums[r][i].y += weights[warp][r][j] * y;
                }
            }
        }
    }

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int row = first + warp * ROWS + r;
        if (row < seq) {
            element *own = out + ((batch * seq + row) * heads + head) * HEAD_DIM;
#pragma unroll
            for (int i = 0; i < OWN; i++) {
                int d = (i * PM_WARP + lane) * 2;
                pm_put(own + d, sum[r] == 0 ? 0 : sums[r][i].x / sum[r]);
                pm_put(own + d + 1, sum[r] == 0 ? 0 : sums[r][i].y / sum[r]);
            }
            if (lane == 0) {
                lse[(batch * heads + head) * seq + row] = sum[r] == 0 ? -INFINITY : (best[r] + log2f(sum[r])) * PM_LN2;
            }
        }
    }
}
