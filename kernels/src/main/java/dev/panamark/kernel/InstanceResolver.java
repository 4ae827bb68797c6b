package dev.panamark.kernel;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;

/** Makes of a kernel file what one problem on one device needs. */
final class InstanceResolver {
    private final KernelSpec spec;
    private final ProblemScope scope;

    InstanceResolver(KernelSpec spec, Problem problem, DeviceValues device) {
        this.spec = spec;
        this.scope = new ProblemScope(spec, problem, device);
    }

    /** What became of it. */
    Resolution resolve() {
        try {
            return resolved();
        } catch (Scope.MissingDeviceValue e) {
            return new Resolution.Unsupported(spec.name() + " " + e.getMessage());
        }
    }

    private Resolution resolved() {
        String backend = scope.device().backend();
        List<String> sections = sections(backend);
        if (sections.stream().noneMatch(spec.images()::containsKey)) {
            return new Resolution.Unsupported(spec.name() + " has no image for " + backend + "; it has one for "
                    + String.join(", ", spec.images().keySet()));
        }
        for (int i = 0; i < spec.where().size(); i++) {
            Formula clause = spec.where().get(i);
            if (!clause.truth(scope)) {
                return new Resolution.Excluded("where \"" + clause + "\" is false" + scope.situation(clause.names()));
            }
        }
        Optional<Image> image = image(sections);
        if (image.isEmpty()) {
            return new Resolution.Unsupported(
                    spec.name() + " has no image for " + backend + " whose when holds for " + scope.problem());
        }
        Optional<Resolution> tooOld = image.get().arch().flatMap(this::tooOld);
        if (tooOld.isPresent()) {
            return tooOld.get();
        }
        SequencedMap<String, Buffer> buffers = new BufferResolver(spec, scope).resolve();
        Optional<Resolution> tooLarge = tooLarge(buffers);
        if (tooLarge.isPresent()) {
            return tooLarge.get();
        }
        spec.tensorMaps().values().forEach(m -> m.check(scope));
        List<Step> steps =
                spec.steps().stream().map(s -> s.resolve(scope, backend)).toList();
        SequencedMap<String, Value> values = scope.values();
        Check check = spec.check().resolve(scope);
        WorkOfInputs work =
                new WorkOfInputs(spec.work(), new ProblemScope(spec, scope.problem(), scope.device()), buffers, check);
        work.checkWhatIsKnown();
        return new Resolution.Ready(new Instance(
                spec.name(),
                scope.problem(),
                values,
                image.get(),
                List.copyOf(buffers.values()),
                steps,
                check,
                work,
                spec.ceiling()));
    }

    /** An emulated GPU runs the images of the real one. */
    static List<String> sections(String backend) {
        return switch (backend) {
            case "emu" -> List.of("cuda");
            case "cuda", "hip" -> List.of(backend, "host." + backend);
            default -> List.of(backend);
        };
    }

    private Optional<Image> image(List<String> sections) {
        for (String section : sections) {
            for (ImageSpec choice : spec.images().getOrDefault(section, List.of())) {
                if (choice.when().map(w -> w.truth(scope)).orElse(true)) {
                    return Optional.of(new Image(
                            section.startsWith("host.") ? "host" : section,
                            choice.file(),
                            choice.options().stream().map(o -> o.resolve(scope)).toList(),
                            choice.arch()));
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Resolution> tooOld(CudaArch arch) {
        Number device = scope.device().values().get("cc");
        return device == null || arch.runsOn(device.intValue())
                ? Optional.empty()
                : Optional.of(new Resolution.Unsupported(
                        spec.name() + " is for " + arch.runners() + ", and the device is sm_" + device));
    }

    private Optional<Resolution> tooLarge(SequencedMap<String, Buffer> buffers) {
        long total = 0;
        for (Buffer b : buffers.values()) {
            try {
                total = Math.addExact(total, b.bytes());
            } catch (ArithmeticException e) {
                throw new KernelFileException(
                        spec.file(), 0, "buffers", "take more than 2^63-1 bytes together (" + scope.problem() + ")");
            }
        }
        Number memory = scope.device().values().get("memory");
        if (memory == null || total <= memory.longValue()) {
            return Optional.empty();
        }
        return Optional.of(new Resolution.Unsupported(String.format(
                Locale.ROOT,
                "%s needs %,d bytes for its buffers, and the device has %,d; smaller axes need less (%s)",
                spec.name(),
                total,
                memory.longValue(),
                scope.problem())));
    }
}
