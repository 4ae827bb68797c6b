package dev.panamark.ptx.ir;

/** Numbers that all threads of a block share. */
public enum BlockValue {
    BLOCK_X,
    BLOCK_Y,
    BLOCK_Z,
    GRID_X,
    GRID_Y,
    GRID_Z,
    THREADS_X,
    THREADS_Y,
    THREADS_Z,
    WARPS,
    /** First byte of dynamic shared memory. */
    DYNAMIC_SHARED,
    DYNAMIC_SHARED_BYTES,
    TOTAL_SHARED_BYTES,
    /** Upper and lower half of the address of what a cooperative grid keeps for its barrier. */
    WORKSPACE_HIGH,
    WORKSPACE_LOW,
    SM,
    SMS
}
