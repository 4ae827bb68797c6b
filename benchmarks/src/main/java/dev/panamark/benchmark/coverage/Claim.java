package dev.panamark.benchmark.coverage;

import java.util.Locale;

/**
 * What a share should be, and whether it is claimed to be.
 *
 * @param least of the share
 * @param most of the share
 * @param kind what of it is claimed
 * @param because why it is not reached, or what exceeds it; may be empty
 */
record Claim(double least, double most, Kind kind, String because) {
    private static final double NOMINAL = 0.95;
    private static final double TOLERANCE = 0.02;

    /** How a claim is meant. */
    enum Kind {
        /** The share lies in the range. */
        MADE,
        /** The share is at least the least; above the range, that is said. */
        MAY_EXCEED,
        /** It is known not to lie in the range. */
        NOT_MADE,
        /** There is no target. */
        NONE
    }

    /** An interval holds the truth as often as it says, give or take 2 %. */
    static Claim holds() {
        return new Claim(NOMINAL - TOLERANCE, NOMINAL + TOLERANCE, Kind.MADE, "");
    }

    /** A share of at least this. */
    static Claim atLeast(double share) {
        return new Claim(share, 1, Kind.MADE, "");
    }

    /** A share of at most this. */
    static Claim atMost(double share) {
        return new Claim(0, share, Kind.MADE, "");
    }

    /** For information. */
    static Claim none() {
        return new Claim(0, 1, Kind.NONE, "");
    }

    /** The same target, which is known to be missed. */
    Claim butNot(String why) {
        return new Claim(least, most, Kind.NOT_MADE, why);
    }

    /** The same target, which may be exceeded. */
    Claim orMore(String why) {
        return new Claim(least, most, Kind.MAY_EXCEED, why);
    }

    /**
     * What a result says about it.
     *
     * @param words for the table
     * @param missed whether it was claimed and is not so
     */
    record Judgement(String words, boolean missed) {}

    /** Judges; two standard errors of so many runs are allowed for. */
    Judgement judge(Share share) {
        boolean low = share.value() < least - 2 * error(least, share.runs());
        boolean high = share.value() > most + 2 * error(most, share.runs());
        return switch (kind) {
            case NONE -> new Judgement("none", false);
            case NOT_MADE ->
                new Judgement(
                        (low || high ? "not reached, because " : "reached this time, but not claimed, because ")
                                + because,
                        false);
            case MAY_EXCEED -> high ? new Judgement("exceeded, because " + because, false) : reached(!low, share);
            case MADE -> reached(!low && !high, share);
        };
    }

    private Judgement reached(boolean is, Share share) {
        return new Judgement(
                is
                        ? "reached"
                        : String.format(
                                Locale.ROOT,
                                "MISSED: %s instead of %.0f to %.0f %%",
                                share.percent(),
                                100 * least,
                                100 * most),
                !is);
    }

    private static double error(double share, int runs) {
        return Math.sqrt(share * (1 - share) / runs);
    }
}
