package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceException;
import dev.panamark.device.Hold;
import dev.panamark.device.Module;
import dev.panamark.device.UnsupportedException;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Step;
import dev.panamark.stats.Descriptive;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Times what no kernel can be faster than: an empty kernel with the same grids, launched and timed the same way. */
final class Floor implements AutoCloseable {
    private static final int SAMPLES = 30;

    /** Grids of many millions of blocks take long even when they are empty; then there are fewer samples. */
    private static final double SECONDS = 0.1;

    private static final int WARM_UP = 3;

    private final Device device;
    private final HostClock clock;
    private final Module module;

    private Floor(Device device, HostClock clock, Module module) {
        this.device = device;
        this.clock = clock;
        this.module = module;
    }

    /**
     * What was measured.
     *
     * @param seconds the median for all launches of a pass together
     * @param samples how many
     */
    record Time(double seconds, int samples) {}

    /** Loads the empty kernel of the device's backend. */
    static Availability<Floor> open(Device device, HostClock clock, Catalogue catalogue) {
        String backend = device.info().backend();
        Optional<Image> image = catalogue.empty(backend);
        if (image.isEmpty()) {
            return Availability.missing(
                    "this version has no empty kernel for " + backend, "Read times below some microseconds with care.");
        }
        try {
            return Availability.of(new Floor(device, clock, device.load(image.get())));
        } catch (DeviceException | UnsupportedException e) {
            return Availability.missing(
                    "the empty kernel cannot be loaded: " + e.getMessage(), "'panamark doctor' says what is missing.");
        }
    }

    /** Measures; memsets are left out, because they are work. */
    Time of(Instance instance, Hold hold) {
        List<Runnable> launches = new ArrayList<>();
        for (Step step : instance.steps()) {
            if (step instanceof Step.Launch launch) {
                Step.Launch empty = new Step.Launch(
                        Catalogue.EMPTY_ENTRY,
                        launch.grid(),
                        launch.block(),
                        launch.shared(),
                        List.of(),
                        launch.cluster(),
                        launch.cooperative());
                launches.add(module.entry(Catalogue.EMPTY_ENTRY).bind(empty, Map.of()));
            }
        }
        Subject subject = new Pass(device, launches.toArray(Runnable[]::new));
        double last = 0;
        for (int i = 0; i < WARM_UP; i++) {
            last = subject.time(1);
        }
        StoppingRule never = new StoppingRule(new Effort(Integer.MAX_VALUE, 0, 1, SECONDS));
        Track track = new Track(subject, clock, last, Timers.of(device), never, hold);
        track.visit(SAMPLES, 0, clock.nanos() + (long) (SECONDS * 1e9));
        double[] seconds = track.samples().seconds();
        return new Time(Descriptive.median(seconds), seconds.length);
    }

    @Override
    public void close() {
        module.close();
    }
}
