package dev.panamark.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.DeviceException;
import dev.panamark.stats.Descriptive;
import dev.panamark.stats.MedianInterval;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;

class InterleavingTest {
    /** A rule that is never content. */
    private static final double NEVER = 1e-12;

    private final FakeClock clock = new FakeClock();
    private final FakeHold hold = new FakeHold();
    /** Names of those that were launched, in order; the same in a row once. */
    private final StringBuilder order = new StringBuilder();

    /** A subject with a name, whose launches take what is said. */
    private final class Named implements Subject {
        private final String name;
        private final DoubleSupplier seconds;
        private final boolean alone;
        int launches;

        Named(String name, boolean alone, DoubleSupplier seconds) {
            this.name = name;
            this.alone = alone;
            this.seconds = seconds;
        }

        @Override
        public void restore() {}

        @Override
        public boolean needsRestore() {
            return alone;
        }

        @Override
        public double time(int count) {
            if (!order.toString().endsWith(name)) {
                order.append(name);
            }
            double sum = 0;
            for (int i = 0; i < count; i++) {
                launches++;
                sum += seconds.getAsDouble();
            }
            clock.advance(sum);
            return sum;
        }
    }

    private Track track(Subject subject, double precision) {
        return track(subject, precision, 1e-3);
    }

    private Track track(Subject subject, double precision, double launchSeconds) {
        int least = precision == NEVER ? Integer.MAX_VALUE : 30;
        return new Track(
                subject,
                clock,
                launchSeconds,
                new FakeTimer(1e-9, false),
                new StoppingRule(new Effort(least, 0, precision, 1)),
                hold);
    }

    @Test
    void turnsRunForthAndBack() {
        List<Track> tracks = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            tracks.add(track(new Named(name, false, () -> 1e-3), NEVER));
        }
        // A turn takes 25 ms and one more for the sample thrown away: a little under 13 turns in a third of a second.
        new Interleaving(clock, Mode.HOT).run(tracks, 0.33);
        assertTrue(order.toString().startsWith("abcbabcba"), order::toString);
    }

    @Test
    void theSampleAfterAChangeIsThrownAway() {
        Named a = new Named("a", false, () -> 1e-3);
        Named b = new Named("b", false, () -> 1e-3);
        Track first = track(a, NEVER);
        Track second = track(b, NEVER);
        // a b, b a: four turns of 25 samples; b's second turn follows its first and throws nothing away.
        new Interleaving(clock, Mode.HOT).run(List.of(first, second), 0.1025);
        assertEquals("aba", order.toString());
        assertEquals(2, first.samples().visits());
        assertEquals(a.launches - 2, first.samples().seconds().length);
        assertEquals(b.launches - 1, second.samples().seconds().length);
    }

    @Test
    void aSlowKernelGetsFourSamplesATurn() {
        Named slow = new Named("s", true, () -> 0.1);
        Named quick = new Named("q", true, () -> 1e-3);
        Track track = track(slow, NEVER);
        new Interleaving(clock, Mode.HOT).run(List.of(track, track(quick, NEVER)), 20);
        Track.Samples samples = track.samples();
        assertEquals(4.0, (double) samples.seconds().length / samples.visits(), 0.2);
    }

    /** The machine gets 1 % slower every second; each then sees the same drift, whichever came first. */
    @Test
    void aDriftIsSharedOut() {
        long start = clock.nanos();
        DoubleSupplier drifting = () -> 1e-3 * (1 + 0.01 * (clock.nanos() - start) * 1e-9);
        Track a = track(new Named("a", true, drifting), NEVER);
        Track b = track(new Named("b", true, drifting), NEVER);
        new Interleaving(clock, Mode.HOT).run(List.of(a, b), 10);
        double interleaved = Descriptive.median(a.samples().seconds())
                / Descriptive.median(b.samples().seconds());
        // One after the other, five seconds apart, they would differ by 5 %.
        assertEquals(1, interleaved, 0.002);
    }

    @Test
    void allGoOnUntilTheLastHasEnough() {
        Random random = new Random(1);
        long start = clock.nanos();
        Named quiet = new Named("a", true, () -> 1e-3);
        Named loud = new Named("b", true, () -> 1e-3 * (0.9 + 0.2 * random.nextDouble()));
        Track a = track(quiet, 0.01);
        Track b = track(loud, 0.005);
        new Interleaving(clock, Mode.HOT).run(List.of(a, b), 60);
        assertTrue(a.done() && b.done());
        // The quiet one has enough with 30. Of n uniform samples 20 % wide the interval's half is 1.96 * 20 % / (2 sqrt
        // n),
        // so 0.5 % takes the loud one 1537.
        assertTrue(
                a.samples().seconds().length > 1000, () -> "a: " + a.samples().seconds().length);
        assertTrue(clock.nanos() - start < 55e9, "both ended by their rules");
    }

    @Test
    void whatOneThrowsIsItsOwn() {
        int[] left = {40};
        Track bad = track(
                new Named("a", true, () -> {
                    if (left[0]-- == 0) {
                        throw new DeviceException("cuLaunchKernel: 700");
                    }
                    return 1e-3;
                }),
                NEVER);
        Track good = track(new Named("b", true, () -> 1e-3), NEVER);
        new Interleaving(clock, Mode.HOT).run(List.of(bad, good), 1);
        assertEquals(
                "cuLaunchKernel: 700",
                assertThrows(DeviceException.class, bad::samples).getMessage());
        assertTrue(good.samples().seconds().length > 500, "the other goes on");
    }

    @Test
    void whereTimeIsShortEachStillHasAnInterval() {
        List<Track> tracks = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            tracks.add(track(new Named(name, true, () -> 0.05), NEVER));
        }
        new Interleaving(clock, Mode.HOT).run(tracks, 0.2);
        for (Track track : tracks) {
            assertEquals(MedianInterval.LEAST, track.samples().seconds().length);
        }
    }

    /** Two seconds for each are four: enough for ten launches of 1 ms and six of 0.7 s, if the slow one comes last. */
    @Test
    void aSlowKernelLeavesTimeToTheOthers() {
        Track slow = track(new Named("s", true, () -> 0.7), NEVER, 0.7);
        Track quick = track(new Named("q", true, () -> 1e-3), NEVER, 1e-3);
        new Interleaving(clock, Mode.HOT).run(List.of(slow, quick), 0);
        assertEquals(MedianInterval.LEAST, quick.samples().seconds().length);
        assertEquals(6, slow.samples().seconds().length);
    }

    @Test
    void eachIsLaunchedHoweverLittleTimeThereIs() {
        Track first = track(new Named("a", true, () -> 10), NEVER, 10);
        Track second = track(new Named("b", true, () -> 10), NEVER, 10);
        new Interleaving(clock, Mode.HOT).run(List.of(first, second), 0);
        assertEquals(1, first.samples().seconds().length);
        assertEquals(1, second.samples().seconds().length);
    }

    @Test
    void coldTurnsAreOneSampleLong() {
        Named a = new Named("a", true, () -> 1e-3);
        Track first = track(a, NEVER);
        new Interleaving(clock, Mode.COLD).run(List.of(first, track(new Named("b", true, () -> 1e-3), NEVER)), 0.1);
        assertEquals(first.samples().visits(), first.samples().seconds().length);
        assertEquals(a.launches, first.samples().seconds().length, "none is thrown away");
    }

    @Test
    void interruptedSamplesAreCounted() {
        Named a = new Named("a", true, () -> 1e-3);
        // One interruption in every launch whose number is a multiple of five, seen after it.
        hold.interruptions = () -> a.launches / 5;
        Track track = track(a, NEVER);
        new Interleaving(clock, Mode.HOT).run(List.of(track), 0.1);
        assertEquals(100, track.samples().seconds().length);
        assertEquals(20, track.samples().disturbed());
    }

    @Test
    void aClockThatChangesDisturbsItsVisit() {
        double[] hertz = {2e9};
        hold.clock = () -> OptionalDouble.of(hertz[0]);
        Named a = new Named("a", true, () -> {
            hertz[0] = clock.nanos() < -4_950_000_000L ? 2e9 : 1.9e9;
            return 1e-3;
        });
        Track track = track(a, NEVER);
        new Interleaving(clock, Mode.HOT).run(List.of(track), 0.1);
        assertEquals(100, track.samples().disturbed(), "nobody knows which of them");
        assertEquals(new MedianInterval.Bounds(1.9e9, 2e9), track.samples().clockRange());
    }

    @Test
    void aSteadyClockIsRecorded() {
        hold.clock = () -> OptionalDouble.of(2e9);
        Track track = track(new Named("a", true, () -> 1e-3), NEVER);
        new Interleaving(clock, Mode.HOT).run(List.of(track), 0.1);
        assertEquals(0, track.samples().disturbed());
        assertEquals(new MedianInterval.Bounds(2e9, 2e9), track.samples().clockRange());
    }
}
