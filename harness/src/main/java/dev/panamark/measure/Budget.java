package dev.panamark.measure;

import java.util.OptionalDouble;

/**
 * Shares the time of a run among its rows: each gets what is left over the rows that are left, so that what one row
 * does not use goes to those after it.
 */
public final class Budget {
    /** A row with less than this cannot be validated, let alone sampled. */
    private static final double LEAST = 0.05;

    /** What starting workers and writing results takes at the end of the sharing; at most, and as a share. */
    private static final double RESERVE = 3;

    private static final double RESERVED_SHARE = 0.04;

    private final HostClock clock;
    private final long end;

    /** Starts to run down at once. */
    public Budget(HostClock clock, double seconds) {
        this.clock = clock;
        this.end = clock.nanos() + (long) ((seconds - Math.min(RESERVE, RESERVED_SHARE * seconds)) * 1e9);
    }

    /**
     * Seconds that the next of {@code rows} rows may take; empty when the budget is spent.
     *
     * @param kept seconds that are for others
     */
    public OptionalDouble share(int rows, double kept) {
        double left = left() - kept;
        return left < LEAST ? OptionalDouble.empty() : OptionalDouble.of(Math.max(left / rows, LEAST));
    }

    /** Seconds that are left; 0 when there are none. */
    public double left() {
        return Math.max(0, (end - clock.nanos()) * 1e-9);
    }
}
