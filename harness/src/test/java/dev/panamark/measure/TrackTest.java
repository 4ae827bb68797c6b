package dev.panamark.measure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrackTest {
    private static final double NEVER = 1e-12;

    private final FakeClock clock = new FakeClock();
    private final FakeHold hold = new FakeHold();

    /** One track that has the time to itself. */
    private Track.Samples run(Subject subject, double launch, double resolution, StoppingRule rule, double atMost) {
        Track track = new Track(subject, clock, launch, new FakeTimer(resolution, false), rule, hold);
        new Interleaving(clock, Mode.HOT).run(List.of(track), atMost);
        return track.samples();
    }

    /** A rule that no noisy series satisfies. */
    private static StoppingRule endless() {
        return new StoppingRule(new Effort(1, 0, NEVER, 1));
    }

    /** One that ends at its first look where the times are all alike. */
    private static StoppingRule thirty() {
        return new StoppingRule(new Effort(1, 0, 0.01, 1));
    }

    @Test
    void aLaunchAsLongAsAThousandTicksHasASampleOfItsOwn() {
        Script script = new Script(clock, false, i -> 1e-3);
        Track.Samples samples = run(script, 1e-3, 1e-6, thirty(), 10);
        assertEquals(1, samples.launchesPerSample());
        assertEquals(30, samples.seconds().length);
        assertEquals(30, script.launches);
        assertEquals(0.030, samples.sampled(), 1e-9);
        assertEquals(1e-6, samples.resolution());
    }

    @Test
    void aShorterOneSharesItsSample() {
        // 1000 ticks of 1 us are 1 ms: 8 launches of 0.125 ms.
        Script script = new Script(clock, false, i -> i % 8 == 0 ? 0.25e-3 : 0.125e-3);
        Track.Samples samples = run(script, 0.125e-3, 1e-6, thirty(), 10);
        assertEquals(8, samples.launchesPerSample());
        assertEquals(30 * 8, script.launches);
        // (0.25 + 7 * 0.125) / 8
        assertEquals(0.140625e-3, samples.seconds()[0], 1e-12);
        assertEquals(30, script.restored);
    }

    @Test
    void aSampleLastsFiftyMicrosecondsHoweverFineTheClock() {
        Track.Samples samples = run(new Script(clock, false, i -> 1.1e-6), 1.1e-6, 1e-9, thirty(), 10);
        // 45 launches take 49.5 us.
        assertEquals(46, samples.launchesPerSample());
    }

    @Test
    void aKernelThatWorksInPlaceIsRestoredBeforeEachLaunch() {
        Script script = new Script(clock, true, i -> 1e-6);
        Track.Samples samples = run(script, 1e-6, 1e-6, thirty(), 10);
        assertEquals(1, samples.launchesPerSample());
        assertEquals(script.launches, script.restored);
    }

    @Test
    void endsWhenItsTimeIsSpent() {
        Script script = new Script(clock, false, i -> i % 2 == 0 ? 0.010 : 0.012);
        Track.Samples samples = run(script, 0.010, 1e-9, endless(), 1);
        // 11 ms on average: 90 take 0.990 s, 91 take 1.000 s.
        assertEquals(91, samples.seconds().length);
    }

    @Test
    void timeSpentOnRestoringCounts() {
        Script script = new Script(clock, true, i -> i % 2 == 0 ? 0.010 : 0.012);
        script.restoring = 0.089;
        Track.Samples samples = run(script, 0.010, 1e-9, endless(), 2);
        assertEquals(20, samples.seconds().length);
        assertEquals(0.220, samples.sampled(), 1e-9);
    }

    @Test
    void tenSamplesAreTakenEvenWhenThereIsNoTimeLeft() {
        Script script = new Script(clock, true, i -> 0.05);
        // Longer than the estimate of a launch says: a launch and its restoring take 150 ms.
        script.restoring = 0.1;
        Track.Samples samples = run(script, 0.04, 1e-9, endless(), 0.01);
        assertEquals(10, samples.seconds().length);
    }

    @Test
    void butOnlyWithinTwoSeconds() {
        Track.Samples samples = run(new Script(clock, false, i -> 0.8), 0.8, 1e-9, endless(), 0.01);
        assertEquals(3, samples.seconds().length);
        samples = run(new Script(clock, false, i -> 5), 5, 1e-9, endless(), 0.01);
        assertArrayEquals(new double[] {5}, samples.seconds());
    }

    @Test
    void samplesStayInOrderOfTimeBeyondTheFirstBuffer() {
        Track.Samples samples = run(new Script(clock, false, i -> 1e-3 + 1e-7 * i), 1e-3, 1e-9, endless(), 3);
        double[] s = samples.seconds();
        double[] sorted = s.clone();
        Arrays.sort(sorted);
        assertArrayEquals(sorted, s);
        assertEquals(1e-3 + 1e-7 * 2000, s[2000], 1e-12);
    }
}
