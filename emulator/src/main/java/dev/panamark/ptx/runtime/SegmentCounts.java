package dev.panamark.ptx.runtime;

/** How often segments ran. Of one thread. */
final class SegmentCounts {
    private final boolean on;
    final long[] executions;
    final long[] lanes;
    final long[] divergences;
    long divergentBarriers;

    SegmentCounts(boolean on, int segments) {
        this.on = on;
        executions = new long[on ? segments : 0];
        lanes = new long[on ? segments : 0];
        divergences = new long[on ? segments : 0];
    }

    void segment(int segment, int mask) {
        if (on) {
            executions[segment]++;
            lanes[segment] += Integer.bitCount(mask);
        }
    }

    void divergent(int segment) {
        if (on) {
            divergences[segment]++;
        }
    }

    void divergentBarrier() {
        divergentBarriers++;
    }
}
