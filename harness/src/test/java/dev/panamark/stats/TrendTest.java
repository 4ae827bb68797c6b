package dev.panamark.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class TrendTest {
    /** By hand: 45 pairs rise, variance 10 * 9 * 25 / 18 = 125, z = 44 / sqrt(125). */
    @Test
    void aRisingSeriesByHand() {
        Trend t = Trend.of(new double[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        assertEquals(45, t.s());
        assertEquals(44 / Math.sqrt(125), t.z(), 1e-12);
        assertEquals(8.3e-5, t.p(), 0.05e-5); // 2 Phi(-3.9355)
        assertEquals(1, t.slope());
        assertEquals(9 / 5.5, t.change(), 1e-12);
        assertFalse(t.steady(0.01));
        assertTrue(t.steady(2));
    }

    /** By hand: of 6 pairs one is a tie and 5 rise; variance (4 * 3 * 13 - 2 * 1 * 9) / 18 = 138 / 18. */
    @Test
    void tiesByHand() {
        Trend t = Trend.of(new double[] {1, 1, 2, 3});
        assertEquals(5, t.s());
        assertEquals(4 / Math.sqrt(138.0 / 18), t.z(), 1e-12);
        Trend down = Trend.of(new double[] {3, 2, 1, 1});
        assertEquals(-5, down.s());
        assertEquals(-t.z(), down.z(), 1e-12);
        assertEquals(t.p(), down.p(), 1e-12);
    }

    @Test
    void aConstantSeriesIsSteady() {
        Trend t = Trend.of(new double[] {2, 2, 2, 2, 2});
        assertEquals(0, t.z());
        assertEquals(1, t.p(), 1e-12);
        assertTrue(t.steady(0));
    }

    /** 5 % of independent series seem to have a trend; four standard errors of 1000 runs either way. */
    @Test
    void seldomSeesATrendWhereThereIsNone() {
        Random random = new Random(7);
        int seen = 0;
        for (int run = 0; run < 1000; run++) {
            double[] x = random.doubles(40).map(v -> 1 + 0.1 * v).toArray();
            seen += Trend.of(x).steady(0) ? 0 : 1;
        }
        assertTrue(seen >= 22 && seen <= 78, "saw " + seen);
    }

    @Test
    void seesAWarmUp() {
        Random random = new Random(7);
        double[] x = new double[40];
        for (int i = 0; i < x.length; i++) {
            x[i] = 1 + 0.2 * Math.exp(-i / 15.0) + 0.02 * random.nextGaussian();
        }
        Trend t = Trend.of(x);
        assertTrue(t.z() < -4, t.toString());
        assertFalse(t.steady(0.01), t.toString());
        assertThrows(IllegalArgumentException.class, () -> Trend.of(new double[3]));
    }
}
