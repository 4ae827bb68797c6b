/*
 * How tiles of keys and values lie in shared memory: rows of HEAD_DIM elements of 16 bits, in pieces of 16 bytes. LAYOUT 0: one
 * row after the other. LAYOUT 2: so that the eight rows of a matrix that is loaded lie in different banks: where a row is a
 * multiple of 128 bytes, the pieces of row r are swapped by XOR with r % 8; where it is not, rows are an odd number of
 * pieces apart.
 */
#ifndef PANAMARK_TILES_CUH
#define PANAMARK_TILES_CUH

#include "../panamark_mma.cuh"

#define PIECE 8 /* elements of 16 bytes */
#define PIECES (HEAD_DIM / PIECE)
#define WHOLE (PIECES % 8 == 0)
#define PITCH (LAYOUT == 2 && !WHOLE ? PIECES | 1 : PIECES) /* of a row, in pieces */
#define LANES (PIECES <= 8 ? 8 : PIECES <= 16 ? 16 : 32)    /* that copy a row: a phase of eight is in one */

/* Where piece number of a row lies. */
PM_DEVICE int place(int row, int number) {
    return row * PITCH + (LAYOUT == 2 && WHOLE ? number ^ row % 8 : number);
}

#endif
