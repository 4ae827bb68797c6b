package dev.panamark.telemetry;

/**
 * An update of a meter, as seen by asking it again and again.
 *
 * @param nanos when the new value was seen, by the host's clock
 * @param slack s before {@code nanos} within which the update must have happened
 * @param joules of the meter since its first reading
 */
record Tick(long nanos, double slack, double joules) {

    /** When it happened, as well as can be told: the middle of the slack; s after {@code origin}. */
    double seconds(long origin) {
        return (nanos - origin) * 1e-9 - slack / 2;
    }
}
