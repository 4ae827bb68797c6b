package dev.panamark.measure;

/** The host's clock, injected so that hours of measuring can be simulated in seconds. */
public interface HostClock {

    /** Nanoseconds from an arbitrary start, never backwards. */
    long nanos();

    /** Returns once {@link #nanos()} has reached {@code nanos}, or at once if it has. */
    void sleepUntil(long nanos);

    /** The real one. */
    static HostClock system() {
        return SystemClock.INSTANCE;
    }
}
