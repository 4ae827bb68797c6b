package dev.panamark.ptx.ir;

/** What the runtime does for a lane beside plain accesses. */
public enum Action {
    /** The copies that the lane has begun since the last one are a group. */
    COMMIT_COPIES,
    /** All groups but as many of the latest as the argument says are waited for. */
    AWAIT_GROUPS,
    /** All copies are waited for. */
    AWAIT_COPIES
}
