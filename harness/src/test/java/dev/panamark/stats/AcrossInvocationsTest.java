package dev.panamark.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AcrossInvocationsTest {

    /** By hand: stdev of 1..5 is sqrt(2.5), t(4) is 2.776445, the ratio of variances 5 pi / 11.141593. */
    @Test
    void fiveByHand() {
        AcrossInvocations a = AcrossInvocations.of(new double[] {3, 1, 5, 2, 4});
        assertEquals(3, a.median());
        assertNotNull(a.half());
        assertEquals(2.776445 * Math.sqrt(2.5 / 5) * Math.sqrt(5 * Math.PI / 11.141593), a.half(), 1e-5);
    }

    @Test
    void twoAreTooFew() {
        AcrossInvocations a = AcrossInvocations.of(new double[] {1, 3});
        assertEquals(2, a.median());
        assertNull(a.half());
        assertTrue(String.valueOf(a.reason()).startsWith("2 invocations"), a.reason());
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5, 10, 20})
    void holdsTheTruthAsOftenAsItSays(int n) {
        Random random = new Random(n);
        int held = 0;
        int runs = 4000;
        for (int run = 0; run < runs; run++) {
            double[] x = random.doubles(n, 0, 1).map(u -> random.nextGaussian()).toArray();
            AcrossInvocations a = AcrossInvocations.of(x);
            held += a.half() != null && Math.abs(a.median()) <= a.half() ? 1 : 0;
        }
        // The standard error of 4000 runs is 0.34 %.
        assertEquals(0.95, (double) held / runs, 0.015);
    }
}
