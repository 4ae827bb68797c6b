package dev.panamark.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DependenceTest {
    /** An autoregressive series with many equal values. */
    private static final double[] SIXTY = {
        42, 46, 35, 45, 54, 50, 53, 54, 50, 44, 31, 47, 47, 66, 67, 64, 55, 64, 56, 65, 58, 57, 44, 62, 58, 53, 58, 49,
        55, 45, 50, 43, 32, 33, 28, 38, 42, 48, 49, 47, 48, 56, 53, 47, 41, 42, 39, 56, 46, 39, 40, 48, 47, 41, 38, 39,
        49, 42, 44, 41
    };

    /**
     * Computed with NumPy 2.4 and SciPy 1.17 (rankdata, norm.ppf, t.ppf) from the formulas that the class names: batches
     * of 4 with 0.183966 left and a half of 14.912871 ranks; normal scores with a corrected autocorrelation of 0.659888
     * and a half of 16.064270 ranks.
     */
    @Test
    void isThatOfAnIndependentImplementation() {
        Dependence d = Dependence.of(SIXTY);
        assertEquals(4, d.batch());
        assertEquals(15, d.batches());
        assertEquals(0.183966, d.left(), 1e-6);
        assertFalse(d.drifted());
        assertEquals(16.064270, d.half(), 1e-5);
        assertEquals(16.064270 / 14.912871, d.beyondBatches(), 1e-6);
    }

    @Test
    void takesOnlyTheOrderOfValuesFromThem() {
        double[] stretched = Arrays.stream(SIXTY).map(Math::exp).toArray();
        assertEquals(Dependence.of(SIXTY), Dependence.of(stretched));
    }

    /** By hand: signs -5 x 1, +5 x 1 by turns, so batch 1, variance 1/9; ranks fall and rise, so they add nothing. */
    @Test
    void ranksThatAlternateAddNothing() {
        Dependence d = Dependence.of(new double[] {1, 10, 2, 9, 3, 8, 4, 7, 5, 6});
        assertEquals(1, d.beyondBatches());
        assertEquals(5 * 2.262157 / 3, d.half(), 1e-5);
    }

    @Test
    void aClockThatShowsOneValueShowsNoDependence() {
        double[] x = new double[30];
        Arrays.fill(x, 7);
        Dependence d = Dependence.of(x);
        assertEquals(1, d.beyondBatches());
        assertEquals(1, d.batch());
    }

    @Test
    void aRampDrifts() {
        Dependence d = Dependence.of(IntStream.range(0, 200).asDoubleStream().toArray());
        assertTrue(d.drifted());
        assertTrue(d.half() > 100, d.toString());
    }
}
