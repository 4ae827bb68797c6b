package dev.panamark.benchmark.emulator;

/** One way to do some work. One thread at a time. */
interface Side {
    String name();

    /** Does the work once. */
    void run();

    /** What the last run made, copied. */
    float[] output();
}
