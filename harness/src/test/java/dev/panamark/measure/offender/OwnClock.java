package dev.panamark.measure.offender;

/** Reads the clock where it should be injected, so that a test can see that this is found. */
final class OwnClock {
    private OwnClock() {}

    static long now() {
        return System.nanoTime();
    }
}
