package dev.panamark.measure;

/** What is sampled: something that can be launched some times and timed. */
interface Subject {

    /** Makes the next launch possible where the one before spoiled its inputs; outside the timing. */
    void restore();

    /** Whether {@link #restore} is needed between launches, so that a sample can hold only one. */
    boolean needsRestore();

    /** Launches come in multiples of this. */
    default int unit() {
        return 1;
    }

    /** The least number of launches that there can be, and no fewer than so many. */
    default int atLeast(int launches) {
        return Math.ceilDiv(launches, unit()) * unit();
    }

    /**
     * Launches and waits.
     *
     * @param launches at least 1, a multiple of {@link #unit}
     * @return seconds that all of them took
     */
    double time(int launches);
}
