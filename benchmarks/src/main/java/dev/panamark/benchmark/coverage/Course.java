package dev.panamark.benchmark.coverage;

/** The launches of one simulated run, one after the other. Times are relative: a launch of a quiet machine takes 1. */
interface Course {

    /** The time of the next launch. */
    double next();

    /** The true median: that of the process, or where its level drifts, of the launches so far given their levels. */
    double median();

    /** The true mean, likewise. */
    double mean();
}
