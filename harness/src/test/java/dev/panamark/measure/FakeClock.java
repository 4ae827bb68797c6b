package dev.panamark.measure;

/** Goes on only when told to. Starts in the negative, as {@link System#nanoTime} may. */
final class FakeClock implements HostClock {
    private long now = -5_000_000_000L;

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public void sleepUntil(long nanos) {
        now = Math.max(now, nanos);
    }

    void advance(double seconds) {
        now += Math.round(seconds * 1e9);
    }
}
