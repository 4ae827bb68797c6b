package dev.panamark.telemetry;

import dev.panamark.device.MeterInfo;
import dev.panamark.device.PowerMeter;
import dev.panamark.measure.HostClock;
import dev.panamark.measure.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Measures the energy of launches on one device. Update periods are measured once, and the idle window of the quick
 * mode too, so there is one of these for a device and a session. Used by one thread.
 *
 * <p>Each window begins and ends on a tick of the meter while the load goes on across both, after the load has run long
 * enough for sensors that average; the joules between the ticks are divided by the launches that ended between them,
 * which is the time between the ticks over the mean time from launch to launch. Windows begin after random delays, so
 * that launches and a sensor that looks only now and then fall together in ever other ways. Idle windows as long lie
 * before and after, each begun when power has come to rest.
 *
 * <p>Intervals (95 %) hold what is random: Student's t over the windows, or over the parts of a single one, and in
 * quadrature twice the standard deviation that unsure ticks give; for net energy also that of the idle power and its
 * drift from before to after. A tick that was seen within d seconds is unsure by {@code (d + jitter) / sqrt(12)}. What
 * a sensor itself is wrong by is no part of them.
 */
public final class EnergyProtocol {
    /** Parts of a window, for the spread within it. */
    private static final int PARTS = 10;

    private final HostClock clock;
    private final List<PowerMeter> meters;
    private final String absence;
    private final SplittableRandom random;
    private @Nullable List<Calibration> calibrations;
    private @Nullable List<IdlePower> quickIdle;
    private boolean quickIdleSettled;

    /**
     * Reads nothing yet.
     *
     * @param meters of one device, which stay the caller's; those with an overlap are given besides, and are in no sum
     * @param absence why there are none and what to do, where there are none
     * @param seed of the delays
     */
    public EnergyProtocol(HostClock clock, List<PowerMeter> meters, String absence, long seed) {
        this.clock = clock;
        this.meters = List.copyOf(meters);
        this.absence = absence;
        this.random = new SplittableRandom(seed);
    }

    /**
     * Measures what launches of a load cost.
     *
     * @param load warmed up, and paused; it is paused afterwards
     * @param mode how much time to take
     * @param longest s that all windows under load may take together; windows become shorter, and a meter whose window
     *     would hold fewer than ten updates gives no figure
     * @return never throws for what meters do: reasons are in the metrics
     */
    public LaunchEnergy measure(Load load, EnergyMode mode, double longest) {
        if (mode == EnergyMode.OFF) {
            return LaunchEnergy.missing("no energy was asked for (--energy off)");
        }
        if (meters.isEmpty()) {
            return LaunchEnergy.missing(absence);
        }
        List<MeterTrack> tracks = tracks(load);
        double response = tracks.stream()
                .filter(t -> t.fault() == null)
                .mapToDouble(MeterTrack::response)
                .max()
                .orElse(0);
        double window = Math.min(mode.window(response), longest / mode.trials());
        tracks.forEach(t -> refuse(t, window));
        if (mode == EnergyMode.QUICK) {
            return quick(tracks, load, window, response, mode);
        }
        List<String> flags = new ArrayList<>();
        List<IdlePower> before = idle(tracks, window, mode, flags, "before");
        List<List<Window>> trials = new ArrayList<>();
        for (int i = 0; i < mode.trials(); i++) {
            trials.add(trial(tracks, load, window, mode.settle(response)));
        }
        List<IdlePower> after = idle(tracks, window, mode, flags, "after");
        List<Figures> figures = new ArrayList<>();
        for (int i = 0; i < tracks.size(); i++) {
            figures.add(new Figures(tracks.get(i), of(trials, i), List.of(before.get(i), after.get(i)), flags, null));
        }
        return joined(figures);
    }

    private LaunchEnergy quick(List<MeterTrack> tracks, Load load, double window, double response, EnergyMode mode) {
        List<String> flags = new ArrayList<>();
        List<IdlePower> idle = quickIdle;
        if (idle == null) {
            idle = idle(tracks, window, mode, flags, "of the device");
            // A window that was too short for this row need not be so for the next.
            if (idle.stream().allMatch(i -> i.fault() == null)) {
                quickIdle = idle;
                quickIdleSettled = flags.isEmpty();
            }
        } else if (!quickIdleSettled) {
            flags.add(unsettled(mode, "of the device"));
        }
        List<Window> windows = trial(tracks, load, window, mode.settle(response));
        List<Figures> figures = new ArrayList<>();
        for (int i = 0; i < tracks.size(); i++) {
            figures.add(new Figures(
                    tracks.get(i),
                    List.of(windows.get(i)),
                    List.of(idle.get(i)),
                    flags,
                    "a net figure needs idle windows before and after, which --energy screen and publish take"));
        }
        return joined(figures);
    }

    private static List<Window> of(List<List<Window>> trials, int meter) {
        return trials.stream().map(t -> t.get(meter)).toList();
    }

    /** A track for each meter, with its update period. */
    private List<MeterTrack> tracks(Load load) {
        List<Calibration> known = calibrations;
        if (known == null) {
            known = new Calibrator(clock).calibrate(meters, load);
            calibrations = known;
        }
        List<MeterTrack> tracks = new ArrayList<>();
        for (int i = 0; i < meters.size(); i++) {
            tracks.add(new MeterTrack(meters.get(i), clock, known.get(i)));
        }
        return tracks;
    }

    private static void refuse(MeterTrack track, double window) {
        double least = EnergyMode.FEWEST_UPDATES * track.response();
        if (track.fault() == null && window < least) {
            track.fail(String.format(
                    Locale.ROOT,
                    "below resolution: a window of %.3g s holds fewer than %d updates of %.3g s; allow at least %.3g s",
                    window,
                    EnergyMode.FEWEST_UPDATES,
                    track.response(),
                    least));
        }
    }

    private List<Window> trial(List<MeterTrack> tracks, Load load, double window, double settle) {
        double delay = tracks.stream()
                .filter(t -> t.fault() == null)
                .mapToDouble(MeterTrack::period)
                .max()
                .orElse(0);
        clock.sleepUntil(clock.nanos() + Math.round(random.nextDouble() * Math.min(1, delay) * 1e9));
        long begin = clock.nanos() + Math.round(settle * 1e9);
        while (clock.nanos() < begin) {
            load.advance();
            for (MeterTrack track : tracks) {
                if (clock.nanos() - track.lastPoll() > track.patience()) {
                    track.poll();
                }
            }
        }
        List<Window> windows = EnergyWindow.measure(clock, tracks, load, window, PARTS);
        load.pause();
        return windows;
    }

    private List<IdlePower> idle(
            List<MeterTrack> tracks, double window, EnergyMode mode, List<String> flags, String which) {
        if (!new IdleWait(clock, mode.longestRest()).settled(tracks)) {
            flags.add(unsettled(mode, which));
        }
        return EnergyWindow.measure(clock, tracks, null, window, PARTS).stream()
                .map(w -> {
                    if (w.fault() != null) {
                        return IdlePower.failed(w.fault());
                    }
                    Estimate watts = Estimate.of(List.of(w), Window.Stretch::watts);
                    return new IdlePower(watts.value(), watts.half(), w.seconds(), null);
                })
                .toList();
    }

    private static String unsettled(EnergyMode mode, String which) {
        return "idle power " + which + " had not come to rest within 2 W after " + Math.round(mode.longestRest())
                + " s";
    }

    /** One meter alone as it is; several as the sum of those that count each joule once, with all of them as parts. */
    private static LaunchEnergy joined(List<Figures> figures) {
        List<LaunchEnergy> counted = new ArrayList<>();
        List<LaunchEnergy> others = new ArrayList<>();
        for (Figures f : figures) {
            MeterInfo info = f.track().info();
            (info.overlap().isEmpty() ? counted : others).add(f.energy());
        }
        for (Figures f : figures) {
            String checked = f.track().meter().checks().orElse("");
            for (int i = 0; i < counted.size(); i++) {
                LaunchEnergy one = counted.get(i);
                String doubt = one.meter().equals(checked)
                        ? CrossCheck.doubt(
                                f.track().info().id(), one.power(), f.energy().power())
                        : null;
                if (doubt != null) {
                    counted.set(i, one.withFlag(doubt));
                }
            }
        }
        if (counted.isEmpty()) {
            return LaunchEnergy.missing("none of the meters counts the whole of the device");
        }
        if (counted.size() == 1 && others.isEmpty()) {
            return counted.getFirst();
        }
        return SumOfMeters.of(counted, others);
    }
}
