package dev.panamark.compare;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Which direction of a metric is the good one. */
public enum Better {
    /** Times, energies, errors, conflicts. */
    LOWER,
    /** Rates, shares of a peak, tokens for a joule. */
    HIGHER;

    private static final List<String> LOWER_IS_BETTER = List.of(
            "time/",
            "energy/",
            "power/",
            "error/",
            "stall/",
            "shared/",
            "executed/",
            "global/sectors_per_request",
            "dram/",
            "throttle/",
            "memory/",
            "kv/");
    private static final List<String> HIGHER_IS_BETTER =
            List.of("rate/", "util/", "occupancy/", "l2/hit_rate", "tensor/", "tokens_per_joule/", "clock/");

    private final String tag = name().toLowerCase(Locale.ROOT);

    /** The name on the command line and in files. */
    public String tag() {
        return tag;
    }

    /** The good direction of a metric that Panamark itself writes; empty for others. */
    public static Optional<Better> of(String metric) {
        if (LOWER_IS_BETTER.stream().anyMatch(metric::startsWith)) {
            return Optional.of(LOWER);
        }
        return HIGHER_IS_BETTER.stream().anyMatch(metric::startsWith) ? Optional.of(HIGHER) : Optional.empty();
    }
}
