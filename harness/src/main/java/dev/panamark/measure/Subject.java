package dev.panamark.measure;

/** What is sampled: something that can be launched some times and timed. */
interface Subject {

    /** Makes the next launch possible where the one before spoiled its inputs; outside the timing. */
    void restore();

    /** Whether {@link #restore} is needed between launches, so that a sample can hold only one. */
    boolean needsRestore();

    /**
     * Launches and waits.
     *
     * @param launches at least 1
     * @return seconds that all of them took
     */
    double time(int launches);
}
