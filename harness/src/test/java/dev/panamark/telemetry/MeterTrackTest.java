package dev.panamark.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import dev.panamark.measure.HostClock;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One meter whose every reading is written here, 10 ms apart; joules are worked out by hand. */
class MeterTrackTest {
    private static final Calibration TENTH = new Calibration(0.1, 0, 1e-3, null);

    private long now = -7_000_000_000L;
    private long shown;

    private final HostClock clock = new HostClock() {
        @Override
        public long nanos() {
            return now;
        }

        @Override
        public void sleepUntil(long nanos) {
            now = Math.max(now, nanos);
        }
    };

    private MeterTrack track(MeterInfo.Quantity quantity, double unit, OptionalLong range) {
        MeterInfo info = new MeterInfo(
                "m",
                "cpu:0",
                Optional.empty(),
                "test",
                "here",
                MeterInfo.Scope.PACKAGE,
                quantity,
                unit,
                range,
                0,
                Optional.empty(),
                OptionalDouble.empty(),
                "made up");
        return new MeterTrack(
                new PowerMeter() {
                    @Override
                    public MeterInfo info() {
                        return info;
                    }

                    @Override
                    public long read() {
                        return shown;
                    }

                    @Override
                    public void close() {}
                },
                clock,
                TENTH);
    }

    private void shows(MeterTrack track, long... values) {
        for (long value : values) {
            shown = value;
            now += 10_000_000;
            track.poll();
        }
    }

    private MeterTrack counter(OptionalLong range) {
        return track(MeterInfo.Quantity.ENERGY, 1e-6, range);
    }

    @Test
    void aWrapIsUndone() {
        MeterTrack track = counter(OptionalLong.of(1_000_000));
        shows(track, 900_000, 990_000, 20_000, 30_000);
        assertNull(track.fault());
        assertEquals(0.13, track.joules(), 1e-12, "90 + 30 + 10 mJ");
    }

    /** Half of the range within one reading is no wrap; nor is anything without a range. */
    @ParameterizedTest
    @CsvSource({"1000000, 900000, 899999", "1000000, 900000, 500000", "0, 900000, 5", "1000000, 2500000, 5"})
    void goingBackwardsIsNoWrap(long range, long from, long to) {
        MeterTrack track = counter(range == 0 ? OptionalLong.empty() : OptionalLong.of(range));
        shows(track, from, to);
        assertTrue(String.valueOf(track.fault()).contains("went backwards, from "), track::fault);
        assertEquals(range == 0, String.valueOf(track.fault()).contains("may have wrapped"));
        shows(track, to + 10);
        assertEquals(0, track.joules(), "it stays of no use");
    }

    /** The value of 5 J came somewhere in the 10 ms before it was seen. */
    @Test
    void aTickIsAsOldAsTheTimeSinceTheReadingBefore() {
        MeterTrack track = counter(OptionalLong.empty());
        shows(track, 0, 0, 0);
        assertNull(track.tick());
        shows(track, 5_000_000);
        Tick tick = Objects.requireNonNull(track.tick());
        assertEquals(0.01, tick.slack(), 1e-12);
        assertEquals(-0.005, tick.seconds(now), 1e-12);
        now += 500_000_000;
        shows(track, 9_000_000);
        Tick late = Objects.requireNonNull(track.tick());
        assertEquals(0.1, late.slack(), 1e-12, "an update period, as another would have come since");
    }

    @Test
    void standingStillForFiftyUpdatesIsStuck() {
        MeterTrack still = counter(OptionalLong.empty());
        shows(still, new long[500]);
        assertNull(still.fault(), "4.99 s");
        shows(still, 0, 0, 0);
        assertTrue(String.valueOf(still.fault()).contains("stuck: it stayed at 0.00000 J for 5.0"), still::fault);
    }

    /** Trapezoids of 10 ms: 100 to 100, 100 to 200, 200 to 200 W make 1 + 1.5 + 2 J. */
    @Test
    void powerIsIntegrated() {
        MeterTrack track = track(MeterInfo.Quantity.POWER, 1e-3, OptionalLong.empty());
        shows(track, 100_000, 100_000, 200_000, 200_000);
        assertEquals(4.5, track.joules(), 1e-12);
        assertEquals(2.5, Objects.requireNonNull(track.update()).joules(), 1e-12, "it changed at the third reading");
        shows(track, -1);
        assertTrue(String.valueOf(track.fault()).contains("not negative"), track::fault);
    }
}
