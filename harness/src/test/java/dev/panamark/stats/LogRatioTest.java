package dev.panamark.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogRatioTest {
    private static double[] around(Random random, int n, double centre, double sigma) {
        return IntStream.range(0, n)
                .mapToDouble(i -> centre * Math.exp(sigma * random.nextGaussian()))
                .toArray();
    }

    private static MedianInterval.Bounds interval(LogRatio ratio) {
        MedianInterval.Bounds bounds = ratio.ci95();
        assertNotNull(bounds, () -> String.valueOf(ratio.reason()));
        return bounds;
    }

    /** How often the interval holds the true ratio, 1. */
    private static double coverageOfInvocations(int n1, int n2, int runs) {
        Random random = new Random(20260201);
        int held = 0;
        for (int run = 0; run < runs; run++) {
            MedianSpread a = MedianSpread.ofInvocations(around(random, n1, 1e-3, 0.02), new Draws(run));
            MedianSpread b = MedianSpread.ofInvocations(around(random, n2, 1e-3, 0.02), new Draws(~run));
            MedianInterval.Bounds ci = interval(LogRatio.of(a, b));
            held += ci.lo() <= 1 && 1 <= ci.hi() ? 1 : 0;
        }
        return (double) held / runs;
    }

    /** 95 % less twice the standard error of 1000 runs (0.7 %), and not so wide that nothing is ever found. */
    @ParameterizedTest
    @CsvSource({"2, 2", "3, 3", "4, 4", "5, 5", "5, 10", "10, 10"})
    void invocationsHoldTheRatioAsOftenAsTheySay(int n1, int n2) {
        double share = coverageOfInvocations(n1, n2, 1000);
        assertTrue(share >= 0.935 && share <= 0.996, "coverage " + share);
    }

    private static double[] series(Random random, int n, double rho) {
        double[] x = new double[n];
        double at = random.nextGaussian();
        for (int i = 0; i < n; i++) {
            x[i] = 1e-3 * Math.exp(0.02 * at);
            at = rho * at + Math.sqrt(1 - rho * rho) * random.nextGaussian();
        }
        return x;
    }

    /**
     * 95 % less twice the standard error of 100 runs, and on average at most twice as wide as theory has it: the median of
     * n independent normal values scatters by 1.2533 / sqrt(n), and autocorrelation widens that by at most sqrt((1 +
     * rho) / (1 - rho)).
     */
    @ParameterizedTest
    @CsvSource({"100, 0", "100, 0.3", "400, 0.6", "2000, 0.6", "2000, 0.9"})
    void samplesHoldTheRatioAsOftenAsTheySay(int n, double rho) {
        Random random = new Random(20260202);
        int runs = n > 1000 ? 100 : 300;
        int held = 0;
        double halves = 0;
        for (int run = 0; run < runs; run++) {
            MedianSpread a = MedianSpread.ofSamples(series(random, n, rho), run);
            MedianSpread b = MedianSpread.ofSamples(series(random, n, rho), ~run);
            MedianInterval.Bounds ci = interval(LogRatio.of(a, b));
            held += ci.lo() <= 1 && 1 <= ci.hi() ? 1 : 0;
            halves += Math.log(ci.hi() / ci.lo()) / 2 / runs;
        }
        double share = (double) held / runs;
        assertTrue(share >= 0.90, "coverage " + share);
        double theory = 1.96 * 0.02 * 1.2533 * Math.sqrt(2.0 / n * (1 + rho) / (1 - rho));
        assertTrue(halves <= 2 * theory, halves + " against " + theory);
    }

    /**
     * By hand: of five values 1..5, a resample's median is the smallest when at least three of five draws are, and so
     * on; Efron (1979) gives 0.058, 0.259, 0.366, 0.259, 0.058. The 2.5 % quantile is the smallest value, and the
     * deviations are widened by sqrt(5/4).
     */
    @Test
    void fiveInvocationsByHand() {
        double[] values = {Math.E, Math.exp(2), Math.exp(3), Math.exp(4), Math.exp(5)};
        MedianSpread spread = MedianSpread.ofInvocations(values, new Draws(1));
        double[] want = {0.058, 0.259, 0.366, 0.259, 0.058};
        for (int k = 0; k < 5; k++) {
            double at = (k - 2) * Math.sqrt(1.25);
            long found = IntStream.range(0, MedianSpread.REPLICATES)
                    .filter(i -> Math.abs(spread.deviation(i) - at) < 1e-9)
                    .count();
            // Four standard errors of a share of 2000 draws.
            assertEquals(want[k], (double) found / MedianSpread.REPLICATES, 0.04, "value " + k);
        }
        MedianInterval.Bounds ci = interval(LogRatio.of(MedianSpread.exact(1), spread));
        assertEquals(Math.exp(3 - 2 * Math.sqrt(1.25)), ci.lo(), 1e-9);
        assertEquals(Math.exp(3 + 2 * Math.sqrt(1.25)), ci.hi(), 1e-6);
    }

    /**
     * By hand: logarithms 0..4 and 10, 12, 14, 16, 18 differ by 6 to 18; the third smallest difference is 8 (6, 7, 8, 8, …),
     * the third largest 16. The geometric mean of this ratio alone is the ratio.
     */
    @Test
    void fiveInvocationsOnBothSidesByHand() {
        double[] base = IntStream.range(0, 5).mapToDouble(Math::exp).toArray();
        double[] next =
                IntStream.range(0, 5).mapToDouble(i -> Math.exp(10 + 2 * i)).toArray();
        LogRatio ratio = LogRatio.of(
                MedianSpread.ofInvocations(base, new Draws(1)), MedianSpread.ofInvocations(next, new Draws(2)));
        assertEquals(12, Math.log(ratio.value()), 1e-9);
        assertEquals(8, Math.log(interval(ratio).lo()), 1e-9);
        assertEquals(16, Math.log(interval(ratio).hi()), 1e-9);
        assertEquals(interval(ratio), interval(mean(List.of(ratio))));
        // Rates of 1 / s turn it round.
        LogRatio rates = LogRatio.of(
                MedianSpread.ofInvocations(base, new Draws(1)).inverse(Math.exp(-2)),
                MedianSpread.ofInvocations(next, new Draws(2)).inverse(Math.exp(-14)));
        assertEquals(-16, Math.log(interval(rates).lo()), 1e-9);
        assertEquals(-8, Math.log(interval(rates).hi()), 1e-9);
    }

    /** With two values the t quantile of one degree of freedom is 12.706; s = 0.1 sqrt 2, so s / sqrt 2 = 0.1. */
    @Test
    void twoInvocationsByHand() {
        MedianSpread spread = MedianSpread.ofInvocations(new double[] {Math.exp(-0.1), Math.exp(0.1)}, new Draws(1));
        MedianInterval.Bounds ci = interval(LogRatio.of(MedianSpread.exact(1), spread));
        assertEquals(1.2706, Math.log(ci.hi()), 0.02);
        assertEquals(-1.2706, Math.log(ci.lo()), 0.02);
    }

    /** Independent normal logarithms of 0.03 and 0.04 give 0.05. */
    @Test
    void intervalsAloneAddInQuadrature() {
        double z = 1.959964;
        MedianSpread a = MedianSpread.ofInterval(2, 2 * Math.exp(-0.03 * z), 2 * Math.exp(0.03 * z), 1);
        MedianSpread b = MedianSpread.ofInterval(3, 3 * Math.exp(-0.04 * z), 3 * Math.exp(0.04 * z), 2);
        LogRatio ratio = LogRatio.of(a, b);
        assertEquals(1.5, ratio.value(), 1e-12);
        MedianInterval.Bounds ci = interval(ratio);
        assertEquals(0.05 * z, Math.log(ci.hi() / 1.5), 0.005);
        assertEquals(-0.05 * z, Math.log(ci.lo() / 1.5), 0.005);
    }

    @Test
    void theGeometricMeanOfIndependentRatiosIsNarrower() {
        List<LogRatio> ratios = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            MedianSpread noisy = MedianSpread.ofInterval(1, Math.exp(-0.2), Math.exp(0.2), 10 + i);
            ratios.add(LogRatio.of(MedianSpread.exact(i % 2 == 0 ? 1 : 4), noisy));
        }
        LogRatio mean = mean(ratios);
        assertEquals(0.5, mean.value(), 1e-12);
        // 0.2 / sqrt(4)
        assertEquals(0.1, Math.log(interval(mean).hi() / 0.5), 0.01);
    }

    /** Beside deviations that are all kept: their means by hand, and the quantiles of these. */
    @Test
    void theGeometricMeanThatKeepsSumsIsThatOfAllDeviations() {
        Random random = new Random(6);
        LogRatio.GeometricMean streamed = new LogRatio.GeometricMean();
        List<LogRatio> ratios = new ArrayList<>();
        double[] kept = new double[MedianSpread.REPLICATES];
        double log = 0;
        int n = 300;
        for (int pair = 0; pair < n; pair++) {
            MedianSpread base = MedianSpread.ofInvocations(around(random, 5, 1e-3, 0.02), new Draws(8));
            MedianSpread next = MedianSpread.ofInterval(2e-3, 1.9e-3, 2.1e-3, pair);
            log += (next.log() - base.log()) / n;
            for (int i = 0; i < kept.length; i++) {
                kept[i] += (next.deviation(i) - base.deviation(i)) / n;
            }
            LogRatio ratio = LogRatio.of(base, next);
            ratios.add(ratio);
            streamed.add(ratio);
        }
        assertEquals(n, streamed.count());
        Arrays.sort(kept);
        MedianInterval.Bounds ci = interval(streamed.value());
        assertEquals(log, Math.log(streamed.value().value()), 1e-13);
        // Positions 1 + 0.025 * 1999 and 1 + 0.975 * 1999 from 1, linear between neighbours.
        assertEquals(log + kept[49] + 0.975 * (kept[50] - kept[49]), Math.log(ci.lo()), 1e-13);
        assertEquals(log + kept[1949] + 0.025 * (kept[1950] - kept[1949]), Math.log(ci.hi()), 1e-13);
        assertEquals(ci, interval(mean(ratios)));
        streamed.add(LogRatio.of(MedianSpread.exact(1), MedianSpread.unknown(1, "nobody looked")));
        assertNull(streamed.value().ci95());
        assertEquals("a ratio in it has none: nobody looked", streamed.value().reason());
        assertThrows(IllegalStateException.class, () -> new LogRatio.GeometricMean().value());
    }

    /** What is drawn does not depend on what it is drawn for, in whatever order rows come. */
    @ParameterizedTest
    @CsvSource({"2", "3", "4", "5", "6", "11"})
    void drawsThatRowsShareGiveWhatEachWouldDraw(int invocations) {
        Random random = new Random(7);
        Draws shared = new Draws(42);
        MedianSpread.ofInvocations(around(random, 7, 1, 0.1), shared);
        for (int row = 0; row < 3; row++) {
            double[] medians = around(random, invocations, 1e-3, 0.02);
            medians[1] = medians[0]; // a tie
            MedianSpread alone = MedianSpread.ofInvocations(medians, new Draws(42));
            MedianSpread together = MedianSpread.ofInvocations(medians, shared);
            for (int i = 0; i < MedianSpread.REPLICATES; i++) {
                assertEquals(alone.deviation(i), together.deviation(i));
            }
        }
    }

    /** What an invocation shares over all its rows does not average out: the mean is as wide as one of them. */
    @Test
    void theGeometricMeanKeepsWhatInvocationsShare() {
        double[] level = {0.97, 1.01, 1.0, 1.03, 0.99};
        List<LogRatio> ratios = new ArrayList<>();
        for (int row = 1; row <= 6; row++) {
            double time = row;
            double[] base = Arrays.stream(level).map(l -> l * time).toArray();
            ratios.add(LogRatio.of(MedianSpread.ofInvocations(base, new Draws(5)), MedianSpread.exact(time)));
        }
        assertEquals(interval(ratios.getFirst()).hi(), interval(mean(ratios)).hi(), 1e-9);
    }

    @Test
    void turnedRoundItIsTheInverse() {
        Random random = new Random(3);
        MedianSpread a = MedianSpread.ofSamples(series(random, 60, 0.3), 1);
        MedianSpread b = MedianSpread.ofSamples(series(random, 60, 0.3), 2);
        LogRatio there = LogRatio.of(a, b);
        LogRatio back = LogRatio.of(b, a);
        assertEquals(1 / there.value(), back.value(), 1e-12);
        assertEquals(1 / interval(there).lo(), interval(back).hi(), 1e-9);
        // A rate is a constant over the time.
        LogRatio rates = LogRatio.of(a.inverse(5e9), b.inverse(5e9 / there.value()));
        assertEquals(1 / there.value(), rates.value(), 1e-12);
        assertEquals(1 / interval(there).lo(), interval(rates).hi(), 1e-9);
    }

    @Test
    void theSameSeedGivesTheSameInterval() {
        double[] x = series(new Random(4), 50, 0);
        double[] y = series(new Random(5), 50, 0);
        MedianInterval.Bounds once = interval(LogRatio.of(MedianSpread.ofSamples(x, 1), MedianSpread.ofSamples(y, 2)));
        assertEquals(once, interval(LogRatio.of(MedianSpread.ofSamples(x, 1), MedianSpread.ofSamples(y, 2))));
    }

    @Test
    void saysWhatItStandsOnAndWhyThereIsNothing() {
        double[] few = {1, 2, 3};
        MedianSpread none = MedianSpread.ofSamples(few, 1);
        assertEquals(MedianSpread.Basis.NONE, none.basis());
        assertEquals("only 3 samples; an interval needs at least 10", none.reason());
        LogRatio ratio = LogRatio.of(none, MedianSpread.exact(4));
        assertEquals(2, ratio.value(), 1e-12);
        assertNull(ratio.ci95());
        assertEquals(none.reason(), ratio.reason());
        assertNull(mean(List.of(ratio)).ci95());
        double[] ramp = IntStream.range(1, 101).mapToDouble(i -> i).toArray();
        assertEquals(
                MedianSpread.Basis.DRIFTED_SAMPLES,
                MedianSpread.ofSamples(ramp, 1).basis());
        assertEquals(
                MedianSpread.Basis.NONE, MedianSpread.ofInterval(1, 0, 2, 1).basis());
        double[] coarse = {0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1};
        assertEquals(MedianSpread.Basis.NONE, MedianSpread.ofSamples(coarse, 1).basis());
        assertThrows(IllegalArgumentException.class, () -> MedianSpread.exact(0));
        assertThrows(
                IllegalArgumentException.class,
                () -> MedianSpread.ofInvocations(new double[] {1, 1, 1, 1, 0}, new Draws(1)));
    }

    /** The median of every resample by sorting it, for an even and an odd number of invocations. */
    @ParameterizedTest
    @ValueSource(ints = {6, 7})
    void deviationsAreThoseOfSortedResamples(int n) {
        double[] medians = around(new Random(n), n, 1e-3, 0.02);
        Draws draws = new Draws(3);
        MedianSpread spread = MedianSpread.ofInvocations(medians, draws);
        int[] counts = draws.of(n);
        Set<Double> different = new HashSet<>();
        for (int r = 0; r < MedianSpread.REPLICATES; r++) {
            List<Double> resample = new ArrayList<>();
            for (int i = 0; i < n; i++) {
                resample.addAll(Collections.nCopies(counts[r * n + i], medians[i]));
            }
            assertEquals(n, resample.size());
            double[] x =
                    resample.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            double median = (x[(n - 1) / 2] + x[n / 2]) / 2;
            double widening = Math.sqrt(n / (n - 1.0));
            assertEquals(widening * (Math.log(median) - spread.log()), spread.deviation(r), 1e-12);
            different.add(median);
        }
        assertTrue(different.size() > n - 2, "resamples differ");
    }

    private static LogRatio mean(List<LogRatio> ratios) {
        LogRatio.GeometricMean mean = new LogRatio.GeometricMean();
        ratios.forEach(mean::add);
        return mean.value();
    }
}
