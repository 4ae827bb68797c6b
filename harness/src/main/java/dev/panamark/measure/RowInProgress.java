package dev.panamark.measure;

import static java.util.Objects.requireNonNull;

import dev.panamark.device.BrokenDeviceException;
import dev.panamark.device.CacheSweep;
import dev.panamark.device.Device;
import dev.panamark.device.DeviceException;
import dev.panamark.device.Hold;
import dev.panamark.device.UnsupportedException;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Instance;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.stats.Descriptive;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SequencedMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One row on its way: prepared, warmed up, sampled, validated again. Where a stage goes wrong the row has ended, and
 * later stages do nothing.
 */
final class RowInProgress implements AutoCloseable {
    private final int number;
    private final Request request;
    private final Device device;
    private final HostClock clock;
    private final RowMeasurement.Listener listener;
    private SequencedMap<String, Object> code = new LinkedHashMap<>();
    private @Nullable Validated validated;
    private @Nullable Subject subject;
    private WarmUp.@Nullable Warmth warmth;
    private @Nullable Track track;
    private @Nullable Sampling sampling;
    private EnergyMeasurement.@Nullable Energy energy;
    private @Nullable Measured ended;

    RowInProgress(int number, Request request, Device device, HostClock clock, RowMeasurement.Listener listener) {
        this.number = number;
        this.request = request;
        this.device = device;
        this.clock = clock;
        this.listener = listener;
    }

    int number() {
        return number;
    }

    String kernel() {
        return request.kernel();
    }

    boolean hasEnded() {
        return ended != null;
    }

    /** The row, once it has ended. */
    Measured measured() {
        return requireNonNull(ended);
    }

    /** Seconds that validating took; 0 for a row that has ended. */
    double validationSeconds() {
        return hasEnded() ? 0 : requireNonNull(validated).seconds();
    }

    void prepare(Preparation preparation) {
        attempt(() -> {
            Preparation.Progress progress = new Preparation.Progress() {
                @Override
                public void entered(Phase phase) {
                    listener.entered(number, phase);
                }

                @Override
                public void loaded(SequencedMap<String, Object> found) {
                    code = found;
                    listener.loaded(number, found);
                }
            };
            switch (preparation.prepare(request, this::builder, progress)) {
                case Preparation.Outcome.Ended done -> end(done.row(), false);
                case Preparation.Outcome.Right right -> validated = right.validated();
            }
        });
    }

    void warmUp(double atLeast, double atMost) {
        attempt(() -> {
            Validated v = requireNonNull(validated);
            listener.entered(number, Phase.WARM);
            v.prepared().upload(v.inputs());
            subject = subject(v);
            warmth = new WarmUp(clock).run(subject, atLeast, atMost);
            v.poison();
        });
    }

    private Subject subject(Validated v) {
        Subject hot = v.prepared().subject(v.inputs());
        return switch (request.mode()) {
            case HOT -> hot;
            case GRAPH -> v.prepared().graph(device.graphs().orElseThrow(UnsupportedException::new), v.inputs());
            case COLD ->
                switch (device.cacheSweep()) {
                    case Availability.Available<CacheSweep>(CacheSweep sweep) -> new Cold(hot, sweep);
                    case Availability.Unavailable<CacheSweep> no -> throw new UnsupportedException(no.text());
                };
        };
    }

    /** What is to be sampled; only for a row that is warm. */
    Track track(Hold hold) {
        track = new Track(
                requireNonNull(subject),
                clock,
                requireNonNull(warmth).lastSeconds(),
                Timers.of(device),
                new StoppingRule(request.effort()),
                hold);
        return track;
    }

    /** Ends with what broke the device, where a launch of this row's did. */
    void brokeDevice() {
        Track t = track;
        if (t != null && t.brokeDevice()) {
            attempt(t::samples);
        }
    }

    /** Sampling is over; {@code with} are the rows that took turns with this one. */
    void sampled(List<RowInProgress> with, Hold hold, Availability<Floor> floor) {
        attempt(() -> {
            Track.Samples samples = requireNonNull(track).samples();
            Availability<Floor.Time> least = switch (floor) {
                case Availability.Available<Floor>(Floor f) ->
                    floor(f, requireNonNull(validated).prepared().instance(), hold);
                case Availability.Unavailable<Floor> no -> no.as();
            };
            sampling = new Sampling(
                    request.mode(),
                    requireNonNull(warmth),
                    samples,
                    Timers.of(device).clock(),
                    conditions(hold),
                    with.stream()
                            .filter(other -> other != this)
                            .map(RowInProgress::kernel)
                            .toList(),
                    hold.warnings(),
                    least);
        });
    }

    /** It stands beside the time, so what keeps it from being measured costs no more than itself. */
    private Availability<Floor.Time> floor(Floor f, Instance instance, Hold hold) {
        if (request.mode() == Mode.GRAPH) {
            return Availability.missing("launches in a graph are not those of empty kernels", "--hot has the floor.");
        }
        try {
            return Availability.of(f.of(instance, hold));
        } catch (DeviceException | UnsupportedException e) {
            return Availability.missing(
                    "the empty kernel cannot be launched like this one: " + e.getMessage(), "The time stands without.");
        }
    }

    /** Whether nothing but its launches runs between them; not for a row that has ended. */
    boolean canBeMetered() {
        Validated v = validated;
        return v != null
                && request.mode() != Mode.COLD
                && v.prepared().instance().buffers().stream().noneMatch(Buffer::needsRestore);
    }

    /** {@code seconds} may be spent on it. */
    void energy(EnergyMeasurement measurement, double seconds) {
        attempt(() -> {
            Subject load = requireNonNull(subject);
            OptionalDouble tokens = requireNonNull(validated).metrics().tokens();
            if (measurement.seconds(1) > 0 && !canBeMetered()) {
                energy = measurement.missing(
                        request.mode() == Mode.COLD
                                ? "emptying the caches between cold launches takes energy of its own; --hot has joules"
                                : "it works in place, and restoring its inputs between launches takes energy of its own",
                        tokens);
                return;
            }
            Runnable alive = () -> listener.entered(number, Phase.ENERGY);
            if (measurement.seconds(1) > 0) {
                alive.run();
            }
            double each = Descriptive.mean(requireNonNull(sampling).samples().seconds());
            energy = measurement.measure(new SubjectLoad(load, clock, each, alive), seconds, tokens);
        });
    }

    private SequencedMap<String, Object> conditions(Hold hold) {
        SequencedMap<String, Object> facts = new LinkedHashMap<>(hold.facts());
        if (request.mode() == Mode.COLD
                && device.cacheSweep() instanceof Availability.Available<CacheSweep>(CacheSweep sweep)) {
            facts.put("cache_sweep", sweep.facts());
        }
        if (subject instanceof Replay replay) {
            facts.putAll(replay.facts());
        }
        return facts;
    }

    /** The kernel once more, on other inputs, on a device that counts launches and has no clock; {@code noTime} says why. */
    void finishCounted(String noTime, EnergyMeasurement measurement) {
        attempt(() -> {
            Validated v = requireNonNull(validated);
            again(
                    "after the counted launch",
                    after -> v.metrics()
                            .counted(
                                    v.before(),
                                    after,
                                    request,
                                    v.counted().orElseThrow(),
                                    noTime,
                                    measurement.missing(
                                            noTime + ", so no launches run in real time whose energy could be metered",
                                            v.metrics().tokens())));
        });
    }

    /** Judges what the timed launches left, and the kernel once more on other inputs. */
    void finish() {
        attempt(() -> {
            Validated v = requireNonNull(validated);
            String launches = "after the timed launches";
            listener.entered(number, Phase.REVALIDATE);
            Validation.Outcome timed = v.afterTiming();
            if (!timed.right()) {
                end(v.metrics().wrong(timed, launches), false);
                return;
            }
            again(
                    launches,
                    after -> v.metrics()
                            .measured(v.before(), after, request, requireNonNull(sampling), requireNonNull(energy)));
        });
    }

    private void again(String launches, Function<Validation.Outcome, Row> right) {
        Validated v = requireNonNull(validated);
        listener.entered(number, Phase.REVALIDATE);
        Validation.Outcome after = v.again();
        end(after.right() ? right.apply(after) : v.metrics().wrong(after, launches + ", on other inputs"), false);
    }

    private void attempt(Runnable stage) {
        if (hasEnded()) {
            return;
        }
        try {
            stage.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            Failure failure = Failure.of(e);
            end(failure.status(), failure.reason(), failure.inputFault());
            if (e instanceof BrokenDeviceException broken) {
                throw broken;
            }
        }
    }

    private void end(Status status, String reason, boolean inputFault) {
        end(builder().status(status, reason).build(), inputFault);
    }

    private void end(Row row, boolean inputFault) {
        close();
        ended = new Measured(row, code, inputFault);
        listener.ended(number, ended);
    }

    private Row.Builder builder() {
        String image = code.get("image") instanceof String hash ? hash : "";
        return Row.builder(
                        device.info().id(),
                        request.kernel(),
                        image,
                        request.json(),
                        request.mode().tag())
                .invocation(0);
    }

    /** Frees what the row holds on the device; it can be closed more than once. */
    @Override
    public void close() {
        Validated v = validated;
        validated = null;
        if (v != null) {
            v.close();
        }
    }
}
