package dev.panamark.benchmark.coverage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SamplingTest {
    /** Launches that take 1 and {@code other} by turns. */
    private static Course byTurns(double other) {
        return new Course() {
            private boolean odd;

            @Override
            public double next() {
                odd = !odd;
                return odd ? 1 : other;
            }

            @Override
            public double median() {
                return (1 + other) / 2;
            }

            @Override
            public double mean() {
                return (1 + other) / 2;
            }
        };
    }

    /** The first of 100, 125, 157, 197, 247, 309, 387, 484, 605 samples of 1 ms that take 500 ms. */
    @Test
    void alikeLaunchesTakeTheLeastTime() {
        assertEquals(605, new Sampling(1e-3).sample(byTurns(1), 1).length);
        // At twice the time each, the first that take 500 ms are 309.
        assertEquals(309, new Sampling(1e-3).sample(byTurns(1), 2).length);
    }

    @Test
    void longLaunchesTakeTheLeastSamples() {
        assertEquals(100, new Sampling(20e-3).sample(byTurns(1), 1).length);
    }

    /** The interval of the median reaches from 1 to 1.5 whatever the number, so the 2.5 s are spent, 1.25 ms a launch. */
    @Test
    void launchesThatNeverAgreeTakeAllTheTime() {
        assertEquals(2000, new Sampling(1e-3).sample(byTurns(1.5), 1).length, 1);
    }
}
