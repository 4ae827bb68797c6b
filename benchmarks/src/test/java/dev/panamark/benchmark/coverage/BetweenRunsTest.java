package dev.panamark.benchmark.coverage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.panamark.stats.Descriptive;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BetweenRunsTest {
    private static final int MANY = 100_000;

    private static double[] factors(BetweenRuns between) {
        RandomGenerator random = new SplittableRandom(3);
        double[] x = new double[MANY];
        for (int i = 0; i < MANY; i++) {
            x[i] = between.factor(random);
        }
        return x;
    }

    /** Four standard errors; of a standard deviation at most sqrt(8 / n) / 2, with the kurtosis of the exponential. */
    @ParameterizedTest
    @EnumSource(names = {"NORMAL", "SKEWED"})
    void scatterByThreeInAThousandAroundAMedianOfOne(BetweenRuns between) {
        double[] x = factors(between);
        assertEquals(1, Descriptive.median(x), 4 * 0.003 * 1.2533 / Math.sqrt(MANY));
        assertEquals(0.003, Descriptive.stdev(x), 4 * 0.003 * Math.sqrt(8.0 / MANY) / 2);
    }

    /** The mean of an exponential distribution lies (1 - ln 2) standard deviations above its median. */
    @Test
    void onlyOneIsSkewed() {
        double error = 4 * 0.003 / Math.sqrt(MANY);
        assertEquals(1, Descriptive.mean(factors(BetweenRuns.NORMAL)), 1e-5 + error);
        assertEquals(1 + 0.003 * (1 - Math.log(2)), Descriptive.mean(factors(BetweenRuns.SKEWED)), error);
        assertEquals(0, Descriptive.stdev(factors(BetweenRuns.NONE)));
    }
}
