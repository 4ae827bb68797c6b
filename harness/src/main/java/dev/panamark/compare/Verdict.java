package dev.panamark.compare;

import dev.panamark.result.Interval;
import org.jspecify.annotations.Nullable;

/** What a ratio with its interval says. */
public enum Verdict {
    /** The interval lies within the threshold on both sides of 1. */
    SAME("same", "same"),
    /** Better by more than the threshold, and the interval excludes 1. */
    BETTER("faster", "better"),
    /** Worse by more than the threshold, and the interval excludes 1. */
    WORSE("slower", "worse"),
    /** None of these: more invocations or a longer run may tell. */
    UNDECIDED("undecided", "undecided");

    private final String ofSpeed;
    private final String ofOthers;

    Verdict(String ofSpeed, String ofOthers) {
        this.ofSpeed = ofSpeed;
        this.ofOthers = ofOthers;
    }

    /**
     * Judges a ratio, new over base. The threshold t bounds the band from {@code 1 / (1 + t)} to {@code 1 + t}, so that
     * a time and the rate that is its inverse get one verdict.
     *
     * @param ratio positive
     * @param ci95 its interval; without one, nothing is decided
     * @param better the good direction
     * @param threshold relative change that does not matter, such as 0.005
     */
    public static Verdict of(double ratio, @Nullable Interval ci95, Better better, double threshold) {
        if (ci95 == null) {
            return UNDECIDED;
        }
        double top = 1 + threshold;
        double bottom = 1 / top;
        if (ci95.lo() >= bottom && ci95.hi() <= top) {
            return SAME;
        }
        if (ci95.lo() > 1 && ratio > top) {
            return better == Better.HIGHER ? BETTER : WORSE;
        }
        if (ci95.hi() < 1 && ratio < bottom) {
            return better == Better.HIGHER ? WORSE : BETTER;
        }
        return UNDECIDED;
    }

    /** The word for it: faster and slower for times and rates, better and worse for everything else. */
    public String word(String metric) {
        return metric.startsWith("time/") || metric.startsWith("rate/") ? ofSpeed : ofOthers;
    }
}
