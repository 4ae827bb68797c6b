package dev.panamark.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class WarmUpTest {
    private final FakeClock clock = new FakeClock();
    private final WarmUp warmUp = new WarmUp(clock);

    @Test
    void stopsAfterOneWindowWhenNothingChanges() {
        Script script = new Script(clock, false, i -> 0.001);
        WarmUp.Warmth warmth = warmUp.run(script, 0, 10);
        assertEquals(16, warmth.launches());
        assertTrue(warmth.settled());
        assertEquals(0.016, warmth.seconds(), 1e-9);
        assertEquals(0.001, warmth.lastSeconds());
        assertEquals(16, script.restored, "an in-place kernel is restored before each of them");
    }

    @Test
    void goesOnWhileLaunchesBecomeFaster() {
        // 2 ms, falling by 1 % a launch for 60 launches, then flat. A window that lies wholly in the fall has a change
        // of some 15 %; one that is flat has none.
        Script script = new Script(clock, false, i -> 0.002 * Math.pow(0.99, Math.min(i, 60)));
        WarmUp.Warmth warmth = warmUp.run(script, 0, 10);
        assertTrue(warmth.settled());
        assertTrue(warmth.launches() > 60, () -> "stopped in the fall, after " + warmth.launches());
        assertTrue(warmth.launches() <= 76, () -> "a whole flat window was not enough: " + warmth.launches());
        assertEquals(0.002 * Math.pow(0.99, 60), warmth.lastSeconds(), 1e-9);
    }

    @Test
    void aDriftOfLessThanOnePerCentOverTheWindowIsSettled() {
        WarmUp.Warmth warmth = warmUp.run(new Script(clock, false, i -> 0.001 * (1 - 0.0005 * i)), 0, 10);
        assertEquals(16, warmth.launches());
        assertTrue(warmth.settled());
    }

    @Test
    void doesNotStopBeforeTheLeastTime() {
        WarmUp.Warmth warmth = warmUp.run(new Script(clock, false, i -> 0.001), 0.25, 10);
        assertEquals(250, warmth.launches());
        assertTrue(warmth.settled());
    }

    @Test
    void theLeastTimeHoldsForLaunchesOfMicrosecondsToo() {
        WarmUp.Warmth warmth = warmUp.run(new Script(clock, false, i -> 5e-6), 0.25, 10);
        assertEquals(50_000, warmth.launches());
        assertTrue(warmth.settled());
    }

    @Test
    void stopsAtTheMostTimeAndSaysThatItHadNotSettled() {
        WarmUp.Warmth warmth = warmUp.run(new Script(clock, false, i -> 0.001 * (1 + 0.02 * i)), 0, 0.5);
        assertFalse(warmth.settled());
        // 0.001 n + 0.00001 n (n - 1) reaches 0.5 s between n = 179 (0.49762) and 180 (0.5022).
        assertEquals(180, warmth.launches());
    }

    @Test
    void takesThreeLaunchesHoweverLongTheyAre() {
        WarmUp.Warmth warmth = warmUp.run(new Script(clock, false, i -> i == 1 ? 30 : 20), 0.25, 1);
        assertEquals(3, warmth.launches());
        assertFalse(warmth.settled());
        assertEquals(20, warmth.lastSeconds(), "the middle one");
    }

    @Test
    void aClockThatStandsStillDoesNotKeepItForEver() {
        WarmUp.Warmth warmth = warmUp.run(new Script(clock, false, i -> 0), 0.25, 10);
        assertEquals(10_000_000, warmth.launches());
        assertEquals(0, warmth.seconds());
    }

    @Test
    void aTrendThatNeverGoesEndsAfterTenThousandLaunches() {
        WarmUp.Warmth warmth = warmUp.run(new Script(clock, false, i -> 1e-5 * Math.pow(1.001, i)), 0, 1e9);
        assertEquals(10_000, warmth.launches());
        assertFalse(warmth.settled());
    }
}
