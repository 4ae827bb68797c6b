package dev.panamark.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PercentilesTest {
    private static double[] microseconds(int n) {
        // Every i in 1..n once, out of order.
        return IntStream.range(0, n)
                .mapToDouble(i -> (i * 7919L % n + 1) * 1e-6)
                .toArray();
    }

    @Test
    void needsWhatTheFormulaSays() {
        assertEquals(6, Percentiles.needed(0.5)); // 0.5^5 = 0.031, 0.5^6 = 0.016
        assertEquals(36, Percentiles.needed(0.9)); // 0.9^35 = 0.02503, 0.9^36 = 0.02253
        assertEquals(368, Percentiles.needed(0.99)); // 0.99^367 = 0.02501, 0.99^368 = 0.02476
        assertTrue(1 - Math.pow(0.99, 368) >= 0.975 && 1 - Math.pow(0.99, 367) < 0.975);
    }

    @Test
    void givesNearestRanksToFourDigits() {
        Percentiles p = Percentiles.of(microseconds(1000), 1);
        assertEquals(500e-6, value(p.p50()), 500e-6 * 1e-4);
        assertEquals(900e-6, value(p.p90()), 900e-6 * 1e-4);
        assertEquals(990e-6, value(p.p99()), 990e-6 * 1e-4);
        assertEquals(1000e-6, value(p.max()), 1e-18);
    }

    @Test
    void saysHowManyAreMissing() {
        Percentiles p = Percentiles.of(microseconds(367), 1);
        assertNull(p.p99().value());
        assertEquals("p99 needs 368 samples, and there are 367", p.p99().reason());
        assertEquals(331e-6, value(p.p90()), 331e-6 * 1e-4);
        Percentiles few = Percentiles.of(microseconds(5), 1);
        assertEquals("p50 needs 6 samples, and there are 5", few.p50().reason());
        assertEquals(5e-6, value(few.max()), 1e-18);
        assertEquals("no samples", Percentiles.of(new double[0], 1).max().reason());
    }

    @Test
    void areOfSingleLaunchesOnly() {
        Percentiles p = Percentiles.of(microseconds(1000), 16);
        assertNull(p.p50().value());
        assertNull(p.max().value());
        assertEquals(
                "a sample is the mean of 16 launches; percentiles are of single launches",
                p.p99().reason());
    }

    @Test
    void spansNineDecades() {
        double[] x = microseconds(400);
        x[0] = 1000;
        x[1] = 0;
        assertEquals(1000, value(Percentiles.of(x, 1).max()));
        assertTrue(value(Percentiles.of(x, 1).p50()) > 150e-6);
    }

    private static double value(Percentiles.Percentile p) {
        Double value = p.value();
        assertNull(p.reason());
        assertTrue(value != null);
        return value == null ? Double.NaN : value;
    }
}
