package dev.panamark.stats;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DescriptiveTest {
    private static final double[] TEN = {10, 1, 9, 2, 8, 3, 7, 4, 6, 5};

    /** R 4: quantile(1:10, c(0, .25, .5, .9, 1), type = 7) gives 1, 3.25, 5.5, 9.1, 10. */
    @Test
    void quantilesAreThoseOfR() {
        assertEquals(1, Descriptive.quantile(TEN, 0));
        assertEquals(3.25, Descriptive.quantile(TEN, 0.25));
        assertEquals(5.5, Descriptive.median(TEN));
        assertEquals(9.1, Descriptive.quantile(TEN, 0.9), 1e-12);
        assertEquals(10, Descriptive.quantile(TEN, 1));
        assertEquals(3, Descriptive.median(new double[] {5, 1, 3}));
        assertEquals(7, Descriptive.quantile(new double[] {7}, 0.3));
        assertArrayEquals(new double[] {10, 1, 9, 2, 8, 3, 7, 4, 6, 5}, TEN);
    }

    /** NIST StRD NumAcc1: certified mean 10000002, deviation 1, autocorrelation -0.5. */
    @Test
    void numAcc1() {
        double[] x = {10000001, 10000003, 10000002};
        assertEquals(10000002, Descriptive.mean(x));
        assertEquals(1, Descriptive.stdev(x));
        assertEquals(-0.5, Descriptive.lag1(x));
        assertEquals(1 / 10000002.0, Descriptive.noise(x));
    }

    /** NIST StRD NumAcc3: 1000000.2, then 1000000.1 and .3 by turns; certified 1000000.2, 0.1, -0.999. */
    @Test
    void numAcc3() {
        double[] x = new double[1001];
        x[0] = 1000000.2;
        for (int i = 1; i < x.length; i++) {
            x[i] = i % 2 == 1 ? 1000000.1 : 1000000.3;
        }
        assertEquals(1000000.2, Descriptive.mean(x), 1e-9);
        assertEquals(0.1, Descriptive.stdev(x), 1e-9);
        assertEquals(-0.999, Descriptive.lag1(x), 1e-9);
    }

    /**
     * NIST StRD Michelso (Michelson's speed of light of 1879, in 1000 km/s; here its last digits, 299850 km/s as 850):
     * certified mean 299.8524, deviation 0.0790105478190518, autocorrelation 0.535199668621283.
     */
    @Test
    void michelson() {
        int[] last = {
            850, 740, 900, 1070, 930, 850, 950, 980, 980, 880, 1000, 980, 930, 650, 760, 810, 1000, 1000, 960, 960,
            960, 940, 960, 940, 880, 800, 850, 880, 900, 840, 830, 790, 810, 880, 880, 830, 800, 790, 760, 800,
            880, 880, 880, 860, 720, 720, 620, 860, 970, 950, 880, 910, 850, 870, 840, 840, 850, 840, 840, 840,
            890, 810, 810, 820, 800, 770, 760, 740, 750, 760, 910, 920, 890, 860, 880, 720, 840, 850, 850, 780,
            890, 840, 780, 810, 760, 810, 790, 810, 820, 850, 870, 870, 810, 740, 810, 940, 950, 800, 810, 870
        };
        double[] x = Arrays.stream(last).mapToDouble(v -> (299000 + v) / 1000.0).toArray();
        assertEquals(299.8524, Descriptive.mean(x), 1e-12);
        assertEquals(0.0790105478190518, Descriptive.stdev(x), 1e-13);
        assertEquals(0.535199668621283, Descriptive.lag1(x), 1e-12);
    }

    @Test
    void aConstantSeriesHasNoAutocorrelationAndNoSpread() {
        double[] x = {0.1, 0.1, 0.1, 0.1};
        assertEquals(0, Descriptive.lag1(x));
        assertEquals(0, Descriptive.stdev(x));
        assertEquals(0, Descriptive.noise(x));
    }

    @Test
    void refusesWhatHasNoAnswer() {
        assertThrows(IllegalArgumentException.class, () -> Descriptive.median(new double[0]));
        assertThrows(IllegalArgumentException.class, () -> Descriptive.stdev(new double[1]));
        assertThrows(IllegalArgumentException.class, () -> Descriptive.lag1(new double[1]));
        assertThrows(IllegalArgumentException.class, () -> Descriptive.quantile(TEN, 1.1));
        assertThrows(IllegalArgumentException.class, () -> Descriptive.noise(new double[] {0, 0}));
    }
}
