package dev.panamark.result;

import java.util.Locale;

/** How a row ended. */
public enum Status {
    /** Right and measured. */
    OK,
    /** The output is not what the reference says. */
    WRONG,
    /** Measured, but impossible: above a peak, or a window too short for its meter. */
    REJECTED,
    /** Measured, but not to be trusted: throttled, below the clock's resolution, too noisy. */
    UNSTABLE,
    /** A deadline passed. */
    TIMEOUT,
    /** A crash, a driver error or a compiler error. */
    FAILED,
    /** This device cannot run it. */
    UNSUPPORTED,
    /** Not tried: the budget was spent, or the run was interrupted. */
    SKIPPED;

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** The name in result files. */
    public String tag() {
        return tag;
    }
}
