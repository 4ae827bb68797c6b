package dev.panamark.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.result.Interval;
import dev.panamark.result.Tag;
import dev.panamark.result.Tags;
import dev.panamark.stats.Draws;
import dev.panamark.stats.LogRatio;
import dev.panamark.stats.MedianInterval;
import dev.panamark.stats.MedianSpread;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerdictTest {
    @ParameterizedTest
    @CsvSource({
        "1.001, 0.998, 1.004, SAME",
        "1.004, 1.003, 1.0049, SAME",
        "1.010, 1.002, 1.018, WORSE",
        "1.010, 1.006, 1.014, WORSE",
        "0.990, 0.982, 0.998, BETTER",
        "1.010, 0.998, 1.022, UNDECIDED",
        "1.004, 1.001, 1.007, UNDECIDED",
        "1.000, 0.990, 1.010, UNDECIDED"
    })
    void aTimeIsJudgedAtHalfAPercent(double ratio, double lo, double hi, Verdict want) {
        assertEquals(want, Verdict.of(ratio, new Interval(lo, hi), Better.LOWER, 0.005, 0));
        // The rate that is the inverse of the time gets the same verdict.
        assertEquals(want, Verdict.of(1 / ratio, new Interval(1 / hi, 1 / lo), Better.HIGHER, 0.005, 0));
    }

    /**
     * By hand: two single invocations that scatter by 0.3 % differ by 0.3 % sqrt(2) 1.96 = 0.83 %; an interval of half of
     * 0.6 % becomes one of sqrt(0.6^2 + 0.83^2) = 1.026 %. With one single invocation it is 0.841 %.
     */
    @ParameterizedTest
    @CsvSource({
        "1.010, 0, WORSE",
        "1.010, 1, WORSE",
        "1.010, 2, UNDECIDED",
        "1.0104, 2, WORSE",
        "1.0084, 1, UNDECIDED",
        "1.0086, 1, WORSE",
        "0.990, 1, BETTER",
        "0.990, 2, UNDECIDED"
    })
    void singleInvocationsAreAllowedToDiffer(double ratio, int single, Verdict want) {
        Interval ci95 = new Interval(ratio * Math.exp(-0.006), ratio * Math.exp(0.006));
        assertEquals(want, Verdict.of(ratio, ci95, Better.LOWER, 0.005, single));
    }

    /** By hand: the interval alone lies within 0.5 %, but with 0.83 % for two runs only within 2 %. */
    @Test
    void singleInvocationsAreSameOnlyWithinWhatRunsDifferBy() {
        Interval ci95 = new Interval(0.999, 1.001);
        assertEquals(Verdict.SAME, Verdict.of(1, ci95, Better.LOWER, 0.005, 0));
        assertEquals(Verdict.UNDECIDED, Verdict.of(1, ci95, Better.LOWER, 0.005, 2));
        assertEquals(Verdict.SAME, Verdict.of(1, ci95, Better.LOWER, 0.02, 2));
    }

    @Test
    void nothingIsDecidedWithoutAnInterval() {
        assertEquals(Verdict.UNDECIDED, Verdict.of(2, null, Better.LOWER, 0.005, 0));
    }

    @Test
    void everyTagHasADirection() {
        for (Tag tag : Tags.all()) {
            Better better = Better.of(tag.path()).orElseThrow();
            boolean higher = tag.path().matches("(rate|util|occupancy|tokens_per_joule|clock|tensor)/.*|l2/hit_rate");
            assertEquals(higher ? Better.HIGHER : Better.LOWER, better, tag.path());
        }
        assertTrue(Better.of("lab/own_metric").isEmpty());
        assertEquals("slower", Verdict.WORSE.word("time/device/median"));
        assertEquals("worse", Verdict.WORSE.word("energy/gross"));
    }

    private record Shares(double better, double worse, double same, double undecided) {}

    /** Five invocations a side, whose medians scatter by sigma; NEW takes {@code change} times as long. */
    private static Shares simulate(int runs, double change, double sigma) {
        Random random = new Random(20260203);
        Map<Verdict, Integer> counts = new EnumMap<>(Verdict.class);
        for (int run = 0; run < runs; run++) {
            double[] base = new double[5];
            double[] next = new double[5];
            for (int i = 0; i < 5; i++) {
                base[i] = 1e-3 * Math.exp(sigma * random.nextGaussian());
                next[i] = 1e-3 * change * Math.exp(sigma * random.nextGaussian());
            }
            LogRatio ratio = LogRatio.of(
                    MedianSpread.ofInvocations(base, new Draws(run)),
                    MedianSpread.ofInvocations(next, new Draws(-1 - run)));
            MedianInterval.Bounds ci = ratio.ci95();
            assertNotNull(ci);
            counts.merge(
                    Verdict.of(ratio.value(), new Interval(ci.lo(), ci.hi()), Better.LOWER, 0.005, 0), 1, Integer::sum);
        }
        ToDoubleFunction<Verdict> share = v -> counts.getOrDefault(v, 0) / (double) runs;
        return new Shares(
                share.applyAsDouble(Verdict.BETTER),
                share.applyAsDouble(Verdict.WORSE),
                share.applyAsDouble(Verdict.SAME),
                share.applyAsDouble(Verdict.UNDECIDED));
    }

    /** Whatever the noise: at 2 % the threshold of 0.5 % protects from nothing, and the interval alone must. */
    @ParameterizedTest
    @CsvSource({"0.001", "0.003", "0.02"})
    void twoRunsOfOneThingAreRarelyCalledDifferent(double sigma) {
        Shares shares = simulate(2000, 1, sigma);
        assertTrue(shares.better() + shares.worse() <= 0.05, shares.toString());
    }

    @Test
    void aChangeOfOnePercentIsFoundByFiveInvocations() {
        Shares shares = simulate(2000, 1.01, 0.003);
        assertTrue(shares.worse() >= 0.90, shares.toString());
        assertEquals(0, shares.better(), 0.001);
        Shares back = simulate(2000, 1 / 1.01, 0.003);
        assertTrue(back.better() >= 0.90, back.toString());
    }

    @Test
    void noChangeIsFoundToBeNoneWhereTheNoiseIsSmall() {
        Shares shares = simulate(1000, 1, 0.001);
        assertTrue(shares.same() >= 0.95, shares.toString());
    }
}
