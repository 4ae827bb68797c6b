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

    /**
     * What the medians of several runs of one thing are taken to scatter by where there was only one run, as a standard
     * deviation of the logarithm. An assumption, and so part of the verdict only: no interval that is shown holds it.
     */
    static final double BETWEEN_RUNS = 0.003;

    private static final double Z = 1.959964;

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
     * @param single how many of the two sides are of one invocation, so that the interval lacks what differs from run to
     *     run; the verdict then allows for {@code 0.3 %} a side, in quadrature
     */
    public static Verdict of(double ratio, @Nullable Interval ci95, Better better, double threshold, int single) {
        return ci95 == null ? UNDECIDED : of(ratio, allowingFor(single, ratio, ci95), better, threshold);
    }

    private static Interval allowingFor(int single, double ratio, Interval ci95) {
        double runs = Z * BETWEEN_RUNS * Math.sqrt(single);
        double log = Math.log(ratio);
        return new Interval(
                Math.exp(log - Math.hypot(log - Math.log(ci95.lo()), runs)),
                Math.exp(log + Math.hypot(Math.log(ci95.hi()) - log, runs)));
    }

    private static Verdict of(double ratio, Interval ci95, Better better, double threshold) {
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
