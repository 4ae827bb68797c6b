/*
 * c[m, n] = a[m, k] times b[n, k] transposed, sums in f32: a plain, good matrix product on tensor cores, to see what other
 * kernels' tensor cores could do.
 *
 * A block has 128 x 128 of c, each of its four warps 64 x 64. Tiles of 32 of k come by asynchronous copies into three
 * stages of shared memory, two tiles ahead. Rows of a tile are 64 bytes, four pieces; piece p of row r lies at p XOR r / 2 % 4,
 * so that the eight rows of a matrix that is loaded lie in different banks. Rows and columns outside are zeros.
 *
 * Grid: [ceil(n / 128), ceil(m / 128)], block: [128]. k is a multiple of 8, n is even. TYPE is set when compiled.
 */
#include "../panamark_mma.cuh"

typedef PM_TYPE(TYPE) element;

#define WARPS 4
#define TILE 128  /* rows and columns of a block */
#define OWN 64    /* of a warp */
#define DEPTH 32  /* of k */
#define STAGES 3
#define PIECE 8   /* elements of 16 bytes */
#define PIECES (DEPTH / PIECE)

PM_DEVICE int place(int row, int number) {
    return row * PIECES + (number ^ row / 2 % 4);
}

PM_DEVICE void fetch(uint4 *to, const element *from, int first, int rows, int at, int k) {
#pragma unroll
    for (int i = 0; i < TILE * PIECES / (WARPS * PM_WARP); i++) {
        const int n = i * WARPS * PM_WARP + threadIdx.x, row = n / PIECES, number = n % PIECES;
        const int col = at + number * PIECE;
        const bool there = first + row < rows && col < k;
        pm_copy(to + place(row, number), from + (there ? (int64_t)(first + row) * k + col : 0), there);
    }
}

PM_KERNEL __launch_bounds__(WARPS *PM_WARP)
    gemm_reference(const element *a, const element *b, element *c, int m, int n, int k) {
    __shared__ uint4 tiles[STAGES][2][TILE * PIECES];
    const int lane = threadIdx.x % PM_WARP, warp = threadIdx.x / PM_WARP;
    const int matrix = lane / 8, line = lane % 8; /* what this lane names of four matrices */
    const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    const int own_top = warp / 2 * OWN, own_left = warp % 2 * OWN;

    float sums[OWN / 16][OWN / 8][4] = {};
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s * DEPTH < k) {
            fetch(tiles[s][0], a, top, m, s * DEPTH, k);
            fetch(tiles[s][1], b, left, n, s * DEPTH, k);
        }
        pm_copies_end();
    }
    int stage = 0;
    for (int at = 0; at < k; at += DEPTH) {
        pm_copies_wait<STAGES - 2>();
        __syncthreads(); /* this tile has come, and the one before has been used */
        const int ahead = at + (STAGES - 1) * DEPTH, free = stage == 0 ? STAGES - 1 : stage - 1;
        if (ahead < k) {
            fetch(tiles[free][0], a, top, m, ahead, k);
            fetch(tiles[free][1], b, left, n, ahead, k);
        }
        pm_copies_end();
#pragma unroll
        for (int s = 0; s < DEPTH / 16; s++) {
            uint32_t rows[OWN / 16][4];
#pragma unroll
            for (int i = 0; i < OWN / 16; i++) {
                pm_matrices(rows[i], tiles[stage][0] + place(own_top + i * 16 + matrix % 2 * 8 + line, s * 2 + matrix / 2));
            }
#pragma unroll
            for (int j = 0; j < OWN / 8; j += 2) {
                uint32_t columns[4]; /* two halves of eight columns, and of the next eight */
                pm_matrices(columns,
                            tiles[stage][1] + place(own_left + (j + matrix / 2) * 8 + line, s * 2 + matrix % 2));
#pragma unroll
                for (int i = 0; i < OWN / 16; i++) {
                    pm_mma(sums[i][j], rows[i], columns, element());
                    pm_mma(sums[i][j + 1], rows[i], columns + 2, element());
                }
            }
        }
        stage = stage == STAGES - 1 ? 0 : stage + 1;
    }

#pragma unroll
    for (int i = 0; i < OWN / 16; i++) {
#pragma unroll
        for (int j = 0; j < OWN / 8; j++) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const int row = top + own_top + i * 16 + h * 8 + lane / 4, col = left + own_left + j * 8 + lane % 4 * 2;
                if (row < m && col < n) {
                    *reinterpret_cast<uint32_t *>(c + (int64_t)row * n + col) =
                        pm_pair(sums[i][j][2 * h], sums[i][j][2 * h + 1], element());
                }
            }
        }
    }
}
