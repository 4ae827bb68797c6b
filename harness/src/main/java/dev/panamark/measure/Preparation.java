package dev.panamark.measure;

import dev.panamark.device.Device;
import dev.panamark.device.LaunchCounter;
import dev.panamark.device.Timer;
import dev.panamark.device.UnsupportedException;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.Catalogue;
import dev.panamark.kernel.DeviceValues;
import dev.panamark.kernel.Inputs;
import dev.panamark.kernel.Instance;
import dev.panamark.kernel.Kernel;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.kernel.Problem;
import dev.panamark.kernel.Resolution;
import dev.panamark.kernel.Value;
import dev.panamark.kernel.fill.Filler;
import dev.panamark.kernel.reference.Reference;
import dev.panamark.kernel.reference.References;
import dev.panamark.result.ResultWriteException;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.result.TensorDump;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Supplier;

/** Brings a request to the point where its launches can be timed: image loaded, buffers filled, output found right. */
final class Preparation {
    private final Device device;
    private final Catalogue catalogue;
    private final HostClock clock;

    Preparation(Device device, Catalogue catalogue, HostClock clock) {
        this.device = device;
        this.catalogue = catalogue;
        this.clock = clock;
    }

    /** Hears how it goes on. */
    interface Progress {
        void entered(Phase phase);

        /** The image is loaded; this identifies it. */
        void loaded(SequencedMap<String, Object> code);
    }

    /** What came of it. */
    sealed interface Outcome {
        /** It is right and can be timed. */
        record Right(Validated validated) implements Outcome {}

        /** There is nothing to time, and this row says why. */
        record Ended(Row row) implements Outcome {}
    }

    /**
     * Prepares.
     *
     * @param row makes the row's builder, with the image as it is known then
     * @throws RuntimeException for whatever keeps the kernel from being run; nothing stays allocated
     */
    @SuppressWarnings("MustBeClosedChecker") // closed with what is validated, or here
    Outcome prepare(Request request, Supplier<Row.Builder> row, Progress progress) {
        progress.entered(Phase.LOAD);
        Kernel kernel = kernel(request);
        Instance instance;
        switch (resolve(kernel, request.problem())) {
            case Resolution.Ready ready -> instance = ready.instance();
            case Resolution.Excluded out -> {
                return ended(row, Status.SKIPPED, out.reason());
            }
            case Resolution.Unsupported no -> {
                return ended(row, Status.UNSUPPORTED, no.reason());
            }
        }
        if (instance.check().oracle()) {
            return ended(
                    row,
                    Status.SKIPPED,
                    "it is what others are checked against (check: {oracle: true}); nothing checks it, so it is not timed");
        }
        Reference reference = reference(kernel, instance, request.problem());
        Prepared prepared = new Prepared(device, instance);
        Arena arena = Arena.ofShared();
        boolean kept = false;
        try {
            SequencedMap<String, Object> code = new LinkedHashMap<>();
            code.put("kernel", kernel.name());
            code.put("image", prepared.module().imageHash());
            code.put("kernel_file_sha256", kernel.sourceSha256());
            code.putAll(prepared.module().facts());
            progress.loaded(code);
            Outcome outcome = validate(request, prepared, reference, arena, row.get(), progress);
            kept = outcome instanceof Outcome.Right;
            return outcome;
        } finally {
            if (!kept) {
                prepared.close();
                arena.close();
            }
        }
    }

    private static Outcome ended(Supplier<Row.Builder> row, Status status, String reason) {
        return new Outcome.Ended(row.get().status(status, reason).build());
    }

    private Outcome validate(
            Request request, Prepared prepared, Reference reference, Arena arena, Row.Builder row, Progress progress) {
        Instance instance = prepared.instance();
        RowMetrics metrics = new RowMetrics(row, device.info(), instance);
        long start = clock.nanos();
        Inputs inputs = Filler.fill(instance, request.seed(), arena);
        metrics.work(instance.work().of(inputs));
        metrics.occupancy(prepared.occupancies());
        Validation validation =
                validation(request.effort().blocks(), instance, reference, () -> progress.entered(Phase.CHECK));
        Validation.Evidence evidence = evidence(request.dump(), instance, metrics);
        progress.entered(Phase.VALIDATE);
        Counting counting = new Counting(prepared, () -> progress.entered(Phase.COUNT));
        Validation.Outcome before =
                validation.validate(prepared, inputs, passes(request, prepared, counting), evidence);
        double seconds = (clock.nanos() - start) * 1e-9;
        if (!before.right()) {
            return new Outcome.Ended(metrics.wrong(
                    before, counting.counted().isEmpty() ? "before the timed launches" : "when it was counted"));
        }
        if (request.once()) {
            return new Outcome.Ended(metrics.once(before));
        }
        return new Outcome.Right(new Validated(
                prepared, arena, inputs, metrics, validation, evidence, before, counting.counted(), seconds));
    }

    private Validation validation(int blocks, Instance instance, Reference reference, Runnable checking) {
        Validation whole = new Validation(reference, checking);
        return blocks > 0
                        && instance.canBeSampled()
                        && device.counter() instanceof Availability.Available<LaunchCounter>(LaunchCounter counter)
                ? whole.of(blocks, counter)
                : whole;
    }

    private List<Runnable> passes(Request request, Prepared prepared, Counting counting) {
        if (request.once()) {
            return List.of(prepared::pass);
        }
        boolean timed = device.timer() instanceof Availability.Available<Timer>;
        return List.of(prepared::pass, timed ? prepared::pass : counting);
    }

    private static Validation.Evidence evidence(Optional<Path> dump, Instance instance, RowMetrics metrics) {
        return (inputs, outputs, again, expected) -> dump.ifPresent(folder -> {
            try {
                metrics.dumped(TensorDump.write(folder, instance, inputs, outputs, again, expected));
            } catch (ResultWriteException e) {
                metrics.notDumped(String.valueOf(e.getMessage()));
            }
        });
    }

    /** What a request's problem becomes on this device. */
    Resolution resolve(Request request) {
        return resolve(kernel(request), request.problem());
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
                new LinkedHashMap<>(other.problems(device.info().backend(), List.of(), Optional.empty())
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
}
