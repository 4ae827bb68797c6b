package dev.panamark.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class MeanIntervalTest {
    /** Student's own data (Biometrika 1908, R's {@code sleep}); R's t.test gives -0.5297804 to 2.0297804. */
    private static final double[] SLEEP = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};

    @Test
    void independentValuesHaveStudentsInterval() {
        MeanInterval i = MeanInterval.independent(SLEEP);
        assertEquals(0.75, i.mean(), 1e-12);
        assertEquals(10, i.n());
        assertEquals(-0.5297804, i.mean() - i.half(), 5e-8);
        assertEquals(2.0297804, i.mean() + i.half(), 5e-8);
    }

    /**
     * By hand: 1 to 10 has r = 57.75 / 82.5 = 0.7, corrected 0.7 + 3.1 / 10 = 1.01, taken as 0.9; that leaves fewer
     * than two independent values, so t(0.975, 1) = 12.7062 (tables), s = 3.02765, and the variance grows by 19.
     */
    @Test
    void aSeriesThatHangsTogetherIsWide() {
        double[] rising = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        MeanInterval i = MeanInterval.series(rising);
        assertEquals(5.5, i.mean(), 1e-12);
        assertEquals(12.7062 * 3.02765 * Math.sqrt(19 / 10.0), i.half(), 1e-2);
    }

    @Test
    void aSeriesThatAlternatesIsNotNarrowed() {
        double[] alternating = {1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
        assertEquals(
                MeanInterval.independent(alternating).half(),
                MeanInterval.series(alternating).half());
        // The same values as SLEEP in another order, in which neighbours have little in common: r = 0.055 by hand.
        double[] mixed = {0.7, 2.0, 3.7, -1.2, -0.2, 0.8, 3.4, 0.0, -1.6, -0.1};
        assertEquals(
                MeanInterval.independent(mixed).half(),
                MeanInterval.series(mixed).half());
    }

    @Test
    void equalValuesHaveAnIntervalOfNoWidthAndOneHasNone() {
        assertEquals(0, MeanInterval.series(new double[] {3, 3, 3}).half());
        assertThrows(IllegalArgumentException.class, () -> MeanInterval.independent(new double[] {3}));
    }
}
