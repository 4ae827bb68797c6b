package dev.panamark.worker;

import dev.panamark.measure.Budget;
import java.util.OptionalDouble;

/**
 * Shares a budget among the rows of a run. Rows of devices with a clock take what they are given. Those of emulated devices
 * take what they take and come last, so where there are both, a part of the time is kept for them.
 */
final class Shares {
    private static final double FOR_EMULATED = 0.4;

    private final Budget budget;
    private final double kept;
    private int measured;
    private int emulated;

    /**
     * Shares.
     *
     * @param seconds of the budget that are for rows of either sort
     * @param measured rows of devices with a clock
     * @param emulated rows of those without
     */
    Shares(Budget budget, double seconds, int measured, int emulated) {
        this.budget = budget;
        this.measured = measured;
        this.emulated = emulated;
        this.kept = measured > 0 && emulated > 0 ? FOR_EMULATED * seconds : 0;
    }

    /** Seconds for each of the next rows, of which there are {@code rows}; empty when there is no time for them. */
    OptionalDouble next(boolean isEmulated, int rows) {
        OptionalDouble share = isEmulated ? budget.share(emulated, 0) : budget.share(measured, emulated > 0 ? kept : 0);
        if (isEmulated) {
            emulated -= rows;
        } else {
            measured -= rows;
        }
        return share;
    }
}
