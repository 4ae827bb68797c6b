package dev.panamark.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RankShiftTest {
    /**
     * Critical values of U at 5 %, two-sided, as tables of the Mann-Whitney test have them: 0 for 4 and 4, 2 for 5 and 5, …,
     * 127 for 20 and 20; the rank is one more. There is none for 3 and 3.
     */
    @ParameterizedTest
    @CsvSource({"3, 3, 0", "4, 4, 1", "4, 5, 2", "5, 5, 3", "4, 10, 6", "10, 5, 9", "10, 10, 24", "20, 20, 128"})
    void ranksAreThoseOfTheTables(int n, int m, int rank) {
        assertEquals(rank, RankShift.rank(n, m));
    }

    /** Counted, 30 and 30 values have the critical value 317; the normal approximation is one more careful. */
    @Test
    void aboveFiftyValuesTheNormalApproximationServes() {
        assertEquals(317, RankShift.rank(30, 30));
        assertEquals(RankShift.rank(25, 25), RankShift.rank(25, 26), 12);
        assertTrue(RankShift.rank(1000, 1000) > 470_000);
    }

    /** By hand: the three smallest of the 25 differences are 5, 6, 7 less 40, the three largest 9, 8, 7 less 0. */
    @Test
    void fiveAgainstFiveByHand() {
        MedianInterval.Bounds b = RankShift.of(new double[] {0, 10, 20, 30, 40}, new double[] {9, 5, 8, 6, 7});
        assertEquals(-33, b.lo());
        assertEquals(7, b.hi());
    }

    @Test
    void threeAgainstThreeAreTooFew() {
        assertThrows(IllegalArgumentException.class, () -> RankShift.of(new double[3], new double[3]));
    }

    /** One wild value in ten on each side makes 19 wild differences, and the 24th counts. */
    @Test
    void oneWildValueInTenDoesLittle() {
        Random random = new Random(3);
        double[] a = random.doubles(10).toArray();
        double[] b = random.doubles(10).toArray();
        a[0] = 1e9;
        b[0] = -1e9;
        MedianInterval.Bounds bounds = RankShift.of(a, b);
        assertTrue(bounds.lo() > -1 && bounds.hi() < 1, bounds.toString());
    }

    /** 95 % less twice the standard error of 2,000 runs; 96.8 % in theory for 5 and 5, whatever the distribution. */
    @ParameterizedTest
    @CsvSource({"4, 4", "5, 5", "5, 10"})
    void holdsTheShiftOfSkewedValues(int n, int m) {
        Random random = new Random(20260204);
        int held = 0;
        for (int run = 0; run < 2000; run++) {
            double[] a = random.doubles(n).map(u -> -Math.log(u)).toArray();
            double[] b = random.doubles(m).map(u -> 0.7 - Math.log(u)).toArray();
            MedianInterval.Bounds bounds = RankShift.of(a, b);
            held += bounds.lo() <= 0.7 && 0.7 <= bounds.hi() ? 1 : 0;
            double medians = Descriptive.median(b) - Descriptive.median(a);
            assertTrue(bounds.lo() <= medians && medians <= bounds.hi(), "the difference of the medians lies outside");
        }
        assertTrue(held >= 0.94 * 2000 && held <= 0.985 * 2000, "held " + held);
    }
}
