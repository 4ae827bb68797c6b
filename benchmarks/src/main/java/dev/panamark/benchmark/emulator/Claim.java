package dev.panamark.benchmark.emulator;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What was promised and what came.
 *
 * @param limit null where nothing is promised
 * @param atMost whether less is better
 * @param value null where it was not measured
 * @param detail what was divided by what, or why it was not measured
 */
record Claim(
        String what,
        @Nullable Double limit,
        boolean atMost,
        @Nullable Double value,
        String unit,
        String detail) {
    static Claim atMost(String what, double limit, double value, String unit, String detail) {
        return new Claim(what, limit, true, value, unit, detail);
    }

    static Claim atLeast(String what, double limit, double value, String unit, String detail) {
        return new Claim(what, limit, false, value, unit, detail);
    }

    static Claim stated(String what, double value, String unit, String detail) {
        return new Claim(what, null, true, value, unit, detail);
    }

    static Claim skipped(String what, double limit, String unit, String reason) {
        return new Claim(what, limit, true, null, unit, reason);
    }

    boolean missed() {
        return limit != null && value != null && (atMost ? value > limit : value < limit);
    }

    /** A line of the table. */
    String line() {
        String target = limit == null
                ? ""
                : String.format(Locale.ROOT, "%s %.4g %s", atMost ? "at most" : "at least", limit, unit);
        String got = value == null ? "skipped" : String.format(Locale.ROOT, "%.3g %s", value, unit);
        String verdict = limit == null || value == null ? "" : missed() ? "MISSED" : "kept";
        return String.format(Locale.ROOT, "%-52s %18s %12s  %-6s  %s", what, target, got, verdict, detail);
    }
}
