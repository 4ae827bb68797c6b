package dev.panamark.measure;

import dev.panamark.device.BrokenDeviceException;
import dev.panamark.device.CacheSweep;
import dev.panamark.device.Device;
import dev.panamark.device.Profile;
import dev.panamark.device.Profiler;
import dev.panamark.device.UnsupportedException;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Resolution;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;

/**
 * Counts by the hardware what rows do that were measured elsewhere, with the same inputs: in a process in which nothing is
 * timed, because an attached profiler changes clocks and power. Their outputs are not looked at again. Used by one thread.
 */
public final class ProfileMeasurement {
    private final Device device;
    private final Preparation preparation;

    /** {@code catalogue} has the kernels that requests name. */
    public ProfileMeasurement(Device device, Catalogue catalogue, HostClock clock) {
        this.device = device;
        this.preparation = new Preparation(device, catalogue, clock);
    }

    /**
     * Counts with a profiler of this process.
     *
     * @return rows that hold nothing but counts, in the order of the requests
     */
    public List<Measured> profile(List<Request> requests, Profiler profiler, RowMeasurement.Listener listener) {
        return each(requests, listener, (request, instance) -> {
            Profile profile = OnePass.with(device, instance, request.seed(), (prepared, inputs, arena) -> {
                Runnable prepare = before(request, prepared, () -> prepared.upload(inputs));
                prepare.run();
                prepared.pass();
                device.synchronize();
                return profiler.profile(prepare, prepared::pass);
            });
            return ProfileMetrics.add(builder(request), profile).build();
        });
    }

    /** Launches what a program counts that watches this process: all steps once, then once more. */
    public List<Measured> launch(List<Request> requests, RowMeasurement.Listener listener) {
        return each(
                requests,
                listener,
                (request, instance) -> OnePass.with(device, instance, request.seed(), (prepared, inputs, arena) -> {
                    Runnable prepare = before(request, prepared, () -> prepared.upload(inputs));
                    for (int i = 0; i < 2; i++) {
                        prepare.run();
                        prepared.pass();
                        device.synchronize();
                    }
                    return builder(request).build();
                }));
    }

    /** In cold rows nothing of a kernel's data is cached before its launch; in the others what the launch before left. */
    private Runnable before(Request request, Prepared prepared, Runnable upload) {
        boolean restores = prepared.instance().buffers().stream().anyMatch(Buffer::needsRestore);
        Runnable restore = restores ? upload : () -> {};
        if (request.mode() != Mode.COLD) {
            return restore;
        }
        CacheSweep sweep = switch (device.cacheSweep()) {
            case Availability.Available<CacheSweep>(CacheSweep there) -> there;
            case Availability.Unavailable<CacheSweep> no -> throw new UnsupportedException(no.text());
        };
        return () -> {
            restore.run();
            sweep.sweep();
        };
    }

    /** What is done with an instance that can be launched here. */
    private interface Work {
        Row on(Request request, Instance instance);
    }

    private List<Measured> each(List<Request> requests, RowMeasurement.Listener listener, Work work) {
        List<Measured> all = new ArrayList<>();
        for (Request request : requests) {
            int number = all.size();
            listener.entered(number, Phase.COUNT);
            Function<Failure, Measured> ended = f ->
                    measured(builder(request).status(f.status(), f.reason()).build(), f.inputFault());
            Measured done;
            try {
                done = measured(row(request, work), false);
            } catch (BrokenDeviceException e) {
                listener.ended(number, ended.apply(Failure.of(e)));
                throw e;
            } catch (RuntimeException | OutOfMemoryError e) {
                done = ended.apply(Failure.of(e));
            }
            all.add(done);
            listener.ended(number, done);
        }
        return all;
    }

    private Row row(Request request, Work work) {
        return switch (preparation.resolve(request)) {
            case Resolution.Ready ready -> work.on(request, ready.instance());
            case Resolution.Excluded out ->
                builder(request).status(Status.SKIPPED, out.reason()).build();
            case Resolution.Unsupported no ->
                builder(request).status(Status.UNSUPPORTED, no.reason()).build();
        };
    }

    private static Measured measured(Row row, boolean inputFault) {
        return new Measured(row, new LinkedHashMap<>(), inputFault);
    }

    private Row.Builder builder(Request request) {
        return Row.builder(
                        device.info().id(),
                        request.kernel(),
                        "",
                        request.json(),
                        request.mode().tag())
                .invocation(0);
    }
}
