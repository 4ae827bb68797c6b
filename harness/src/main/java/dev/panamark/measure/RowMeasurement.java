package dev.panamark.measure;

import dev.panamark.device.BrokenDeviceException;
import dev.panamark.device.Device;
import dev.panamark.device.Hold;
import dev.panamark.device.Timer;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Catalogue;
import java.util.ArrayList;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Measures rows on an open device: load, validate, warm up, sample, meter energy, validate again on other inputs. On a
 * device without a clock a pass of the validation is counted, and nothing is timed. Rows that are
 * measured together are variants of one problem, and their samples are interleaved. Whatever goes wrong becomes a row's
 * status and reason. Used by one thread.
 */
public final class RowMeasurement implements AutoCloseable {
    /** Share of the time that warming up may take. */
    private static final double WARM_SHARE = 0.2;

    /** Below this a helper thread's core may not have been given to us yet, where a hypervisor shares cores out. */
    private static final double SHORTEST_WARM_UP = 0.25;

    private final Device device;
    private final Catalogue catalogue;
    private final HostClock clock;
    private final EnergyMeasurement energy;
    private @Nullable Availability<Floor> floor;

    /** Hears how rows get on; they are known by their numbers in the list that is measured, from 0. */
    @FunctionalInterface
    public interface Listener {
        /** For phases that all rows are in together. */
        int ALL = -1;

        /** A phase begins for this row, or for {@link #ALL} that are left. */
        void entered(int row, Phase phase);

        /** The row's image is loaded; {@code code} identifies it. */
        default void loaded(int row, SequencedMap<String, Object> code) {}

        /** The row is finished. */
        default void ended(int row, Measured measured) {}
    }

    /**
     * Measures nothing yet.
     *
     * @param catalogue has the kernels that requests name
     * @param energy of this device; the caller's
     */
    public RowMeasurement(Device device, Catalogue catalogue, HostClock clock, EnergyMeasurement energy) {
        this.device = device;
        this.catalogue = catalogue;
        this.clock = clock;
        this.energy = energy;
    }

    /**
     * Measures; throws only what means that this process is broken.
     *
     * @throws BrokenDeviceException once the row whose doing it is has ended; rows that have not are for another process
     *
     * @param requests at least one, all of one mode; together they may take the sum of their seconds
     * @return in the same order
     */
    public List<Measured> measure(List<Request> requests, Listener listener) {
        long start = clock.nanos();
        double seconds =
                requests.stream().mapToDouble(r -> r.effort().seconds()).sum();
        List<RowInProgress> rows = new ArrayList<>();
        try {
            for (int i = 0; i < requests.size(); i++) {
                rows.add(new RowInProgress(i, requests.get(i), device, clock, listener));
            }
            Preparation preparation = new Preparation(device, catalogue, clock);
            rows.forEach(row -> row.prepare(preparation));
            List<RowInProgress> right = left(rows);
            switch (device.timer()) {
                case Availability.Available<Timer> there -> {
                    time(right, requests, seconds - since(start), listener);
                    right.forEach(RowInProgress::finish);
                }
                case Availability.Unavailable<Timer> none ->
                    right.forEach(row -> row.finishCounted(none.reasons().getFirst(), energy));
            }
            return rows.stream().map(RowInProgress::measured).toList();
        } finally {
            rows.forEach(RowInProgress::close);
        }
    }

    private double since(long start) {
        return (clock.nanos() - start) * 1e-9;
    }

    private void time(List<RowInProgress> rows, List<Request> requests, double seconds, Listener listener) {
        // The validations after the timing, on inputs of their own, take what the first ones took.
        double again =
                rows.stream().mapToDouble(RowInProgress::validationSeconds).sum();
        double left = Math.max(0, seconds - again);
        int metered = (int) rows.stream().filter(RowInProgress::canBeMetered).count();
        double forEnergy = metered == 0 ? 0 : Math.min(energy.seconds(metered), energy.mostShare() * left);
        sample(rows, requests.getFirst().mode(), left - forEnergy, forEnergy, listener);
    }

    private void sample(List<RowInProgress> rows, Mode mode, double seconds, double forEnergy, Listener listener) {
        if (rows.isEmpty()) {
            return;
        }
        Availability<Floor> least = floor(); // a compiler that it starts must not inherit what is held
        try (Hold hold = device.hold()) {
            double warm = WARM_SHARE * seconds / rows.size();
            rows.forEach(row -> row.warmUp(Math.min(SHORTEST_WARM_UP, warm), warm));
            List<RowInProgress> warmed = left(rows);
            if (warmed.isEmpty()) {
                return;
            }
            listener.entered(warmed.size() == 1 ? warmed.getFirst().number() : Listener.ALL, Phase.SAMPLE);
            List<Track> tracks = warmed.stream().map(row -> row.track(hold)).toList();
            try {
                new Interleaving(clock, mode).run(tracks, (1 - WARM_SHARE) * seconds);
            } catch (BrokenDeviceException e) {
                warmed.forEach(RowInProgress::brokeDevice);
                throw e;
            }
            for (RowInProgress row : warmed) {
                row.sampled(warmed, hold, least);
            }
            long metered = warmed.stream().filter(RowInProgress::canBeMetered).count();
            for (RowInProgress row : warmed) {
                row.energy(energy, forEnergy / Math.max(1, metered));
            }
        }
    }

    private Availability<Floor> floor() {
        Availability<Floor> found = floor;
        if (found == null) {
            found = Floor.open(device, clock, catalogue);
            floor = found;
        }
        return found;
    }

    private static List<RowInProgress> left(List<RowInProgress> rows) {
        return rows.stream().filter(row -> !row.hasEnded()).toList();
    }

    /** Lets go of what rows share; the device stays open. */
    @Override
    public void close() {
        if (floor instanceof Availability.Available<Floor>(Floor open)) {
            open.close();
        }
        floor = null;
    }
}
