package dev.panamark.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StoppingRuleTest {
    private static final double[] ALIKE = alike();

    private static double[] alike() {
        double[] x = new double[5000];
        Arrays.fill(x, 0.001);
        return x;
    }

    private static int end(StoppingRule rule, double[] samples, double secondsEach) {
        for (int n = 1; n <= samples.length; n++) {
            if (rule.enough(samples, n, n * secondsEach)) {
                return n;
            }
        }
        return -1;
    }

    @Test
    void alikeSamplesEndAtTheFirstLook() {
        assertEquals(30, end(new StoppingRule(new Effort(1, 0, 0.01, 1)), ALIKE, 0.001));
    }

    @Test
    void theLeastNumberOfSamplesMovesTheFirstLook() {
        assertEquals(100, end(new StoppingRule(new Effort(100, 0, 0.01, 1)), ALIKE, 0.001));
    }

    /** 30, then ceil(1.25 n): 38, 48, 60, 75, 94, 118, 148, 185. */
    @Test
    void looksAreAQuarterApart() {
        List<Integer> ends = new ArrayList<>();
        for (int least = 0; least < 180; least++) {
            // Enough time only after that many samples; the next look ends it.
            ends.add(end(new StoppingRule(new Effort(1, 0.001 * (least + 0.5), 0.01, 1)), ALIKE, 0.001));
        }
        assertEquals(
                List.of(30, 38, 48, 60, 75, 94, 118, 148, 185),
                ends.stream().distinct().toList());
    }

    @Test
    void aNarrowIntervalBetweenTwoLooksIsNotSeen() {
        StoppingRule rule = new StoppingRule(new Effort(1, 0, 0.01, 1));
        double[] wide = {0.001, 0.002};
        double[] samples = new double[60];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = wide[i % 2];
        }
        assertFalse(rule.enough(samples, 30, 1), "half of the samples are twice as long");
        assertFalse(rule.enough(ALIKE, 31, 1));
        assertFalse(rule.enough(ALIKE, 37, 1));
        assertTrue(rule.enough(ALIKE, 38, 1));
    }

    /**
     * Uniform between 0.9 and 1.1: the half interval of the median of n is 1.96 sqrt(n)/2 order statistics, each 0.2/n
     * apart, so 0.196/sqrt(n). It is 0.02 at n = 96 and 0.005 at n = 1537, give or take.
     */
    @Test
    void precisionDecidesHowManySamplesAreTaken() {
        Random random = new Random(7);
        double[] x = random.doubles(5000, 0.9, 1.1).toArray();
        int coarse = end(new StoppingRule(new Effort(1, 0, 0.02, 1)), x, 1);
        int fine = end(new StoppingRule(new Effort(1, 0, 0.005, 1)), x, 1);
        assertTrue(coarse >= 48 && coarse <= 250, () -> "coarse took " + coarse);
        assertTrue(fine >= 750 && fine <= 3800, () -> "fine took " + fine);
    }
}
