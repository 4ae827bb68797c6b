package dev.panamark.device.cpu;

import dev.panamark.device.Timer;

/** The monotonic clock of the JVM; launches are synchronous here, so it sees all of the work. */
final class CpuTimer implements Timer {
    private static final int READINGS = 2000;

    private final double resolution;

    /** Measures the clock's resolution, which takes well under a millisecond. */
    CpuTimer() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < READINGS; i++) {
            long start = System.nanoTime();
            long now = System.nanoTime();
            while (now == start) {
                now = System.nanoTime();
            }
            least = Math.min(least, now - start);
        }
        resolution = least * 1e-9;
    }

    @Override
    public String clock() {
        return "System.nanoTime";
    }

    @Override
    public double resolution() {
        return resolution;
    }

    @Override
    public double time(Runnable work) {
        long start = System.nanoTime();
        work.run();
        return (System.nanoTime() - start) * 1e-9;
    }
}
