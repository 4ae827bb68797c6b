package dev.panamark.ptx.ir;

/** What the runtime does for a lane beside plain accesses. An mbarrier is named by its address in shared memory. */
public enum Action {
    /** The copies that the lane has begun since the last one are a group. */
    COMMIT_COPIES,
    /** All groups but as many of the latest as the argument says are waited for. */
    AWAIT_GROUPS,
    /** All copies are waited for. */
    AWAIT_COPIES,
    /** Of an mbarrier and the arrivals of a phase. */
    INIT,
    INVALIDATE,
    /** Of an mbarrier and a number of arrivals; the result is its state before. */
    ARRIVE,
    /** The same, and later phases expect as many less. */
    DROP,
    /** The same two where the phase must go on. */
    ARRIVE_WITHOUT_END,
    DROP_WITHOUT_END,
    /** Of an mbarrier: arrives when the copies that the lane has begun are done. */
    ARRIVE_WITH_COPIES,
    /** The same as an arrival that was not expected before. */
    ARRIVE_MORE_WITH_COPIES,
    /** Of an mbarrier and a number of transactions. */
    EXPECT_TRANSACTIONS,
    COMPLETE_TRANSACTIONS,
    /** Of an mbarrier and the state of an arrival: whether its phase is over. */
    TEST_STATE,
    /** Of an mbarrier and a parity: whether that phase is over. */
    TEST_PARITY,
    /** Of a state: the arrivals that were pending. */
    PENDING,
    /** Of the generic addresses of a format and of its arguments; the result is how many of them it took. */
    PRINT,
    /** Of the generic addresses of a text, a file and a function, and a line: ends the launch. */
    FAIL_ASSERTION,
    /** Of a number of bytes: memory of the device for a kernel; the result is its address, 0 where there is not as much. */
    ALLOCATE,
    /** Of an address that {@link #ALLOCATE} gave, or 0. */
    FREE
}
