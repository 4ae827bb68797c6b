package dev.panamark.measure;

import java.util.concurrent.locks.LockSupport;

/** {@link System#nanoTime}. */
enum SystemClock implements HostClock {
    INSTANCE;

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public void sleepUntil(long nanos) {
        for (long left = nanos - nanos(); left > 0; left = nanos - nanos()) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
