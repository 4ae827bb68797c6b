package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.device.DeviceException;
import dev.panamark.device.MissingEntryException;
import dev.panamark.device.UnsupportedException;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.DeviceValues;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Kernel;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.kernel.Problem;
import dev.panamark.kernel.Resolution;
import dev.panamark.kernel.Value;
import dev.panamark.kernel.Work;
import dev.panamark.kernel.check.Poison;
import dev.panamark.kernel.fill.FillException;
import dev.panamark.kernel.fill.Filler;
import dev.panamark.kernel.reference.Reference;
import dev.panamark.kernel.reference.References;
import dev.panamark.result.ResultWriteException;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.result.TensorDump;
import java.lang.foreign.Arena;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Measures one row on an open device: load, validate, warm up, sample, validate again on other inputs. Whatever goes
 * wrong becomes the row's status and reason. Used by one thread.
 */
public final class RowMeasurement {
    /** Share of a row's time that warming up may take. */
    private static final double WARM_SHARE = 0.2;

    /** Below this a helper thread's core may not have been given to us yet, where a hypervisor shares cores out. */
    private static final double SHORTEST_WARM_UP = 0.25;

    private final Device device;
    private final Catalogue catalogue;
    private final HostClock clock;
    private final Listener listener;

    /** Hears how a row gets on. */
    @FunctionalInterface
    public interface Listener {
        /** A phase begins. */
        void entered(Phase phase);

        /** The image is loaded; {@code code} identifies it. */
        default void loaded(SequencedMap<String, Object> code) {}
    }

    /**
     * A row as measured.
     *
     * @param row with every metric that could be computed
     * @param code what identifies the code that ran: compiler, options, hashes; empty when it was not loaded
     * @param inputFault whether it failed because of what a person wrote (exit code 2)
     */
    public record Measured(Row row, SequencedMap<String, Object> code, boolean inputFault) {}

    /** {@code listener} is told while a row is measured. */
    public RowMeasurement(Device device, Catalogue catalogue, HostClock clock, Listener listener) {
        this.device = device;
        this.catalogue = catalogue;
        this.clock = clock;
        this.listener = listener;
    }

    /** Measures; throws only what means that this process is broken. */
    public Measured measure(Request request) {
        SequencedMap<String, Object> code = new LinkedHashMap<>();
        try {
            return new Measured(attempt(request, code), code, false);
        } catch (KernelFileException | MissingEntryException | FillException e) {
            return new Measured(ended(request, code, Status.FAILED, e), code, true);
        } catch (UnsupportedException e) {
            return new Measured(ended(request, code, Status.UNSUPPORTED, e), code, false);
        } catch (DeviceException e) {
            return new Measured(ended(request, code, Status.FAILED, e), code, false);
        } catch (OutOfMemoryError e) {
            return new Measured(
                    ended(
                            request,
                            code,
                            Status.UNSUPPORTED,
                            new IllegalStateException(
                                    "the worker ran out of memory (" + e.getMessage() + "); take a smaller problem",
                                    e)),
                    code,
                    false);
        } catch (RuntimeException e) {
            e.printStackTrace(); // into the worker's output file, for whoever looks into it
            return new Measured(
                    ended(
                            request,
                            code,
                            Status.FAILED,
                            new IllegalStateException("internal error, please report: " + e, e)),
                    code,
                    false);
        }
    }

    private Row ended(Request request, Map<String, Object> code, Status status, Throwable why) {
        return builder(request, code)
                .status(status, String.valueOf(why.getMessage()))
                .build();
    }

    private Row.Builder builder(Request request, Map<String, Object> code) {
        String image = code.get("image") instanceof String hash ? hash : "";
        return Row.builder(device.info().id(), request.kernel(), image, request.json(), "hot")
                .invocation(0);
    }

    private Row attempt(Request request, SequencedMap<String, Object> code) {
        long start = clock.nanos();
        listener.entered(Phase.LOAD);
        Kernel kernel = kernel(request);
        Instance instance;
        switch (resolve(kernel, request.problem())) {
            case Resolution.Ready ready -> instance = ready.instance();
            case Resolution.Excluded out -> {
                return builder(request, code)
                        .status(Status.SKIPPED, out.reason())
                        .build();
            }
            case Resolution.Unsupported no -> {
                return builder(request, code)
                        .status(Status.UNSUPPORTED, no.reason())
                        .build();
            }
        }
        if (instance.check().oracle()) {
            return builder(request, code)
                    .status(
                            Status.SKIPPED,
                            "it is what others are checked against (check: {oracle: true}); nothing checks it, so it is not timed")
                    .build();
        }
        Reference reference = reference(kernel, instance, request.problem());
        try (Prepared prepared = new Prepared(device, instance);
                Arena arena = Arena.ofShared()) {
            code.put("kernel", kernel.name());
            code.put("image", prepared.module().imageHash());
            code.put("kernel_file_sha256", kernel.sourceSha256());
            code.putAll(prepared.module().facts());
            listener.loaded(code);
            RowMetrics metrics = new RowMetrics(builder(request, code), device.info(), instance);
            return measure(request, prepared, reference, arena, metrics, start);
        }
    }

    private Row measure(
            Request request, Prepared prepared, Reference reference, Arena arena, RowMetrics metrics, long start) {
        Instance instance = prepared.instance();
        Validation validation = new Validation(reference, () -> listener.entered(Phase.CHECK));
        Validation.Evidence evidence =
                (inputs, outputs, again, expected) -> request.dump().ifPresent(folder -> {
                    try {
                        metrics.dumped(TensorDump.write(folder, instance, inputs, outputs, again, expected));
                    } catch (ResultWriteException e) {
                        metrics.notDumped(String.valueOf(e.getMessage()));
                    }
                });

        long filling = clock.nanos();
        Inputs inputs = Filler.fill(instance, request.seed(), arena);
        double fillSeconds = seconds(filling);
        Work work = instance.work().of(inputs);
        metrics.work(work);
        listener.entered(Phase.VALIDATE);
        long validating = clock.nanos();
        Validation.Outcome before = validation.validate(prepared, inputs, request.once(), evidence);
        double validationSeconds = seconds(validating);
        if (!before.right()) {
            return metrics.wrong(before, "before the timed launches");
        }
        if (request.once()) {
            return metrics.once(before);
        }

        listener.entered(Phase.WARM);
        prepared.upload(inputs);
        OnDevice subject = new OnDevice(prepared, inputs);
        Effort effort = request.effort();
        // The validation after the timing, on inputs of its own, takes what the first one took.
        double forSampling = Math.max(0, effort.seconds() - seconds(start) - fillSeconds - validationSeconds);
        WarmUp.Warmth warmth = new WarmUp(clock)
                .run(subject, Math.min(SHORTEST_WARM_UP, WARM_SHARE * forSampling), WARM_SHARE * forSampling);

        prepared.poison(Poison.A.value());
        listener.entered(Phase.SAMPLE);
        HotSampler.Samples samples = new HotSampler(clock)
                .run(
                        subject,
                        warmth.lastSeconds(),
                        device.timer().resolution(),
                        new StoppingRule(effort),
                        (1 - WARM_SHARE) * forSampling);

        Validation.Outcome timed = validation.afterTiming(prepared, inputs, before.expected(), evidence);
        if (!timed.right()) {
            return metrics.wrong(timed, "after the timed launches");
        }

        listener.entered(Phase.REVALIDATE);
        long freshSeed = request.seed() ^ 0x5DEECE66DL;
        try (Arena fresh = Arena.ofShared()) {
            Inputs other = Filler.fill(instance, freshSeed, fresh);
            Validation.Outcome after = validation.validate(prepared, other, false, evidence);
            if (!after.right()) {
                return metrics.wrong(after, "after the timed launches, on other inputs");
            }
            return metrics.measured(
                    before, after, request, warmth, samples, device.timer().clock());
        }
    }

    private Kernel kernel(Request request) {
        Kernel kernel = catalogue.select(List.of(request.kernel())).getFirst();
        if (!kernel.sourceSha256().equals(request.sourceSha256())) {
            throw new KernelFileException(
                    kernel.file(), 0, "", "it or one of its images was changed while the run was going on; run again");
        }
        return kernel;
    }

    private Resolution resolve(Kernel kernel, Problem problem) {
        return kernel.instance(
                problem, new DeviceValues(device.info().backend(), device.info().values()));
    }

    private Reference reference(Kernel kernel, Instance instance, Problem problem) {
        Reference reference = instance.check()
                .reference()
                .map(name -> References.named(name)
                        .orElseThrow(() -> new KernelFileException(
                                kernel.file(),
                                0,
                                "check.reference",
                                "there is no reference '" + name + "'; there are "
                                        + String.join(", ", References.names()))))
                .orElseGet(() -> against(kernel, instance.check().against().orElseThrow(), problem));
        List<String> faults = reference.faults(instance);
        if (!faults.isEmpty()) {
            throw new KernelFileException(kernel.file(), 0, "", String.join("; ", faults));
        }
        return reference;
    }

    /** The other kernel takes the axes that it shares with this one and the first value of each that it does not. */
    private Reference against(Kernel kernel, String name, Problem problem) {
        Kernel other = catalogue.select(List.of(name)).getFirst();
        SequencedMap<String, Value> values =
                new LinkedHashMap<>(other.problems(device.info().backend(), List.of(), java.util.Optional.empty())
                        .getFirst()
                        .values());
        values.replaceAll((axis, own) -> problem.values().getOrDefault(axis, own));
        return switch (resolve(other, new Problem(values))) {
            case Resolution.Ready ready -> new AgainstKernel(device, ready.instance());
            case Resolution.Excluded out -> throw unusable(kernel, name, out.reason());
            case Resolution.Unsupported no -> throw unusable(kernel, name, no.reason());
        };
    }

    private static UnsupportedException unusable(Kernel kernel, String other, String reason) {
        return new UnsupportedException(
                kernel.name() + " is checked against " + other + ", which cannot run this problem here: " + reason);
    }

    private double seconds(long since) {
        return (clock.nanos() - since) * 1e-9;
    }
}
