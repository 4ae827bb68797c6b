package dev.panamark.benchmark.coverage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.stats.Descriptive;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SyntheticTimerTest {
    private static final int MANY = 400_000;

    private static double[] draw(Course course, int n) {
        double[] x = new double[n];
        Arrays.setAll(x, i -> course.next());
        return x;
    }

    private static double[] draw(SyntheticTimer timer) {
        return draw(timer.start().apply(new SplittableRandom(11)), MANY);
    }

    /** Four standard errors: of an autocorrelation sqrt((1 - rho^2) / n), of a standard deviation as below. */
    @ParameterizedTest
    @ValueSource(doubles = {0, 0.3, 0.6, 0.9})
    void autoregressiveTimesCorrelateAsStated(double rho) {
        double[] logs = Arrays.stream(draw(SyntheticTimer.autoregressive(rho)))
                .map(Math::log)
                .toArray();
        assertEquals(rho, Descriptive.lag1(logs), 4 * Math.sqrt((1 - rho * rho) / MANY));
        double[] every = new double[MANY / 2];
        Arrays.setAll(every, i -> logs[2 * i]);
        assertEquals(rho * rho, Descriptive.lag1(every), 4 * Math.sqrt(1.0 / every.length) / (1 - rho * rho + 0.1));
        double error = Math.sqrt((1 + rho * rho) / (1 - rho * rho) / 2 / MANY);
        assertEquals(0.02, Descriptive.stdev(logs), 4 * 0.02 * error);
    }

    /** A stationary start: over many runs the first time scatters as any other. */
    @Test
    void anAutoregressiveRunStartsAnywhere() {
        double[] first = new double[20_000];
        for (int i = 0; i < first.length; i++) {
            first[i] = Math.log(SyntheticTimer.autoregressive(0.9)
                    .start()
                    .apply(new SplittableRandom(i))
                    .next());
        }
        assertEquals(0.02, Descriptive.stdev(first), 4 * 0.02 / Math.sqrt(2.0 * first.length));
    }

    private static Stream<SyntheticTimer> stationary() {
        return Stream.of(
                SyntheticTimer.autoregressive(0),
                SyntheticTimer.autoregressive(0.6),
                SyntheticTimer.autoregressive(0.9),
                SyntheticTimer.twoClocks(),
                SyntheticTimer.twoClocksInStretches(10),
                SyntheticTimer.twoClocksInStretches(100),
                SyntheticTimer.rareLong(),
                SyntheticTimer.pareto());
    }

    /**
     * Half of all times lie below the stated median: four standard errors of a share of n, times the square root of 42, the
     * largest factor by which dependence widens it here (two clocks in stretches of 70 and 30).
     */
    @ParameterizedTest
    @MethodSource("stationary")
    void halfOfTheTimesLieBelowTheMedian(SyntheticTimer timer) {
        double median = timer.start().apply(new SplittableRandom(1)).median();
        double share =
                (double) Arrays.stream(draw(timer)).filter(x -> x < median).count() / MANY;
        assertEquals(0.5, share, 4 * 0.5 * Math.sqrt(42.0 / MANY), timer.name());
    }

    /** Likewise for the mean where the variance is finite. */
    @ParameterizedTest
    @MethodSource("stationary")
    void timesAverageToTheMean(SyntheticTimer timer) {
        if (timer.name().startsWith("Pareto")) {
            // By hand: the mean of a Pareto distribution of shape 1.5 from 1 on is 3, its median 2^(2/3).
            Course pareto = timer.start().apply(new SplittableRandom(1));
            assertEquals(1.04, pareto.mean(), 1e-12);
            assertEquals(1 + 0.02 * (Math.cbrt(4) - 1), pareto.median(), 1e-12);
            return;
        }
        double[] x = draw(timer);
        double error = Descriptive.stdev(x) * Math.sqrt(42.0 / MANY);
        assertEquals(timer.start().apply(new SplittableRandom(1)).mean(), Descriptive.mean(x), 4 * error, timer.name());
    }

    /**
     * By hand: the median of 70 % at 1 and 30 % at 1.15, seven sigma away, is the 5/7 quantile of the former, exp(0.02 *
     * 0.565949); that of 99 % at 1 and 1 % at 10 is the 50/99 quantile, exp(0.02 * 0.012660).
     */
    @Test
    void mediansOfMixturesByHand() {
        Course clocks = SyntheticTimer.twoClocks().start().apply(new SplittableRandom(1));
        assertEquals(Math.exp(0.02 * 0.565949), clocks.median(), 1e-7);
        assertEquals((0.7 + 0.3 * 1.15) * Math.exp(0.0002), clocks.mean(), 1e-12);
        Course rare = SyntheticTimer.rareLong().start().apply(new SplittableRandom(1));
        assertEquals(Math.exp(0.02 * 0.012660), rare.median(), 1e-7);
        assertEquals((0.99 + 0.1) * Math.exp(0.0002), rare.mean(), 1e-12);
    }

    /**
     * Of a Markov chain that leaves its states with probabilities a and b, the share of the former is b / (a + b) and lag 1
     * is 1 - a - b; here 0.7 and 1 - 1/7 - 1/3, 1 - 1/70 - 1/30. The levels are told apart at their middle.
     */
    @ParameterizedTest
    @ValueSource(doubles = {10, 100})
    void twoClocksStayAsLongAsStated(double stretch) {
        double[] slow = Arrays.stream(draw(SyntheticTimer.twoClocksInStretches(stretch)))
                .map(x -> x > 1.075 ? 1 : 0)
                .toArray();
        double lag1 = 1 - 1 / (0.7 * stretch) - 1 / (0.3 * stretch);
        double factor = (1 + lag1) / (1 - lag1);
        assertEquals(0.3, Descriptive.mean(slow), 4 * Math.sqrt(0.21 * factor / MANY));
        assertEquals(lag1, Descriptive.lag1(slow), 4 * Math.sqrt(factor / MANY));
        double changes = 0;
        for (int i = 1; i < slow.length; i++) {
            changes += slow[i] == slow[i - 1] ? 0 : 1;
        }
        // Two changes a round.
        assertEquals(2 / stretch, changes / MANY, 0.05 * 2 / stretch);
    }

    /** The clock of a launch by itself tells nothing of the next. */
    @Test
    void mixedClocksAreIndependent() {
        assertEquals(0, Descriptive.lag1(draw(SyntheticTimer.twoClocks())), 4 / Math.sqrt(MANY));
    }

    /** By symmetry the median of a level that rises evenly is that of the middle launch: 0.02 * 250 / 500 = 0.01. */
    @Test
    void aRisingLevelHasTheMedianOfItsMiddle() {
        Course course = SyntheticTimer.linearDrift().start().apply(new SplittableRandom(5));
        double[] x = draw(course, 501);
        assertEquals(Math.exp(0.01), course.median(), 1e-7);
        assertEquals(Math.exp(0.01), Descriptive.median(x), 4 * 1.2533 * 0.021 / Math.sqrt(501));
        // The mean of a uniform level from 0 to 0.02, (e^0.02 - 1) / 0.02, up to the ends of the sum.
        assertEquals(Math.expm1(0.02) / 0.02 * Math.exp(0.0002), course.mean(), 1e-6);
    }

    /** Normal values in the order in which they are to be drawn. */
    private static RandomGenerator scripted(Double... normal) {
        Deque<Double> left = new ArrayDeque<>(List.of(normal));
        return new RandomGenerator() {
            @Override
            public long nextLong() {
                throw new IllegalStateException("only normal values are scripted");
            }

            @Override
            public double nextGaussian() {
                return left.removeFirst();
            }
        };
    }

    /** By hand: steps of 0.02 / sqrt(500) times 1, 2 and -2, each followed by noise; the levels are 1, 3, 1 steps. */
    @Test
    void aWalkingLevelHasTheMedianOfTheLevelsItTook() {
        Course course = SyntheticTimer.randomWalk().start().apply(scripted(1.0, 0.5, 2.0, -1.0, -2.0, 0.0));
        double step = 0.02 / Math.sqrt(500);
        assertEquals(Math.exp(step + 0.02 * 0.5), course.next(), 1e-15);
        assertEquals(Math.exp(step), course.median(), 1e-12);
        assertEquals(Math.exp(3 * step - 0.02), course.next(), 1e-15);
        assertEquals(Math.exp(2 * step), course.median(), 1e-8);
        assertEquals(Math.exp(step), course.next(), 1e-15);
        // Of three levels so close, the median is their mean but for terms of third order.
        assertEquals(Math.exp(5 * step / 3), course.median(), 1e-6);
        assertEquals((2 * Math.exp(step) + Math.exp(3 * step)) / 3 * Math.exp(0.0002), course.mean(), 1e-12);
    }

    /** Differences of neighbours hold one step and two noises: step^2 + 2 * 0.02^2. */
    @Test
    void aWalkingLevelStepsAsStated() {
        double[] x = draw(SyntheticTimer.randomWalk().start().apply(new SplittableRandom(9)), 100_001);
        double far = 0;
        for (int i = 500; i < x.length; i += 500) {
            far += Math.pow(Math.log(x[i] / x[i - 500]), 2) / 200;
        }
        // Over 500 launches: 0.02^2 + 2 * 0.02^2, known to sqrt(2 / 200) = 10 %.
        assertEquals(3 * 0.0004, far, 4 * 0.1 * 3 * 0.0004);
    }

    @Test
    void namesDiffer() {
        List<String> names = Stream.concat(
                        stationary(), Stream.of(SyntheticTimer.linearDrift(), SyntheticTimer.randomWalk()))
                .map(SyntheticTimer::name)
                .toList();
        assertEquals(names.size(), names.stream().distinct().count());
        assertTrue(names.contains("two clocks, 70 and 30 launches"), names.toString());
    }
}
