package dev.panamark.kernel;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads a kernel file from top to bottom and finds everything that is wrong whatever the problem. */
final class KernelReader {
    /** What {@code format:} must say. */
    static final String FORMAT = "panamark.kernel/1";

    private static final int MAX_CHAIN = 20;
    private static final String NAME = "[a-z0-9_]+(\\.[a-z0-9_]+){1,3}";

    private KernelReader() {}

    /** The kernel of a file. */
    static KernelSpec read(Path file) {
        byte[] bytes = YamlFile.bytes(file);
        Field root = YamlFile.parse(file.toString(), bytes);
        if (!root.isMap()) {
            throw root.fault("is " + root.kind() + ", expected a kernel file: format: " + FORMAT + " and further keys");
        }
        // The format first: with another one, every other complaint would mislead.
        String format = new Keys(root, root.entries("a kernel file"))
                .required("format", FORMAT)
                .text(FORMAT);
        if (!format.equals(FORMAT)) {
            throw new Keys(root, root.entries(""))
                    .required("format", "")
                    .fault("is '" + Field.shown(format) + "', expected " + FORMAT);
        }
        Keys keys = root.keys(
                "format",
                "kernel",
                "purpose",
                "axes",
                "zip",
                "let",
                "where",
                "images",
                "buffers",
                "tensor_maps",
                "steps",
                "work",
                "check",
                "ceiling");
        Field nameField = keys.required("kernel", "the kernel's name, family.subfamily.variant");
        String name = nameField.text("the kernel's name, family.subfamily.variant");
        if (!name.matches(NAME)) {
            throw nameField.fault(
                    "is '" + Field.shown(name) + "', expected two to four parts of a-z, 0-9 and '_' with dots between");
        }
        String purpose = keys.required("purpose", "one line on what the kernel is for")
                .text("one line on what the kernel is for");

        SequencedMap<String, Axis> axes = AxesReader.axes(keys.optional("axes"));
        List<List<String>> zips = AxesReader.zips(keys.optional("zip"), axes);
        keys.optional("axes")
                .ifPresent(f -> f.named("axes").forEach((axis, at) -> refuseRepeats(axes, zips, axis, at)));

        SequencedMap<String, Field> letFields =
                keys.optional("let").map(f -> f.named("lets")).orElseGet(LinkedHashMap::new);
        SequencedMap<String, Field> bufferFields =
                keys.required("buffers", "the buffers by name").named("buffers");
        if (bufferFields.isEmpty()) {
            throw keys.required("buffers", "").fault("is empty, expected at least an output");
        }
        Names known = names(axes, letFields, bufferFields.keySet());
        SequencedMap<String, Formula> lets = lets(letFields, known);
        List<Formula> where = keys
                .optional("where")
                .map(f -> f.isScalar() ? List.of(f) : f.list("a list of conditions"))
                .orElse(List.of())
                .stream()
                .map(f -> Formula.read(f, known))
                .toList();
        SequencedMap<String, BufferSpec> buffers = BuffersReader.read(bufferFields, known, axes);
        SequencedMap<String, TensorMapSpec> tensorMaps = TensorMapSpec.read(keys.optional("tensor_maps"), known);
        SequencedMap<String, String> mapped = new LinkedHashMap<>();
        tensorMaps.forEach((map, spec) -> mapped.put(map, spec.of()));
        Field stepsField = keys.required("steps", "a list of launches");
        List<StepSpec> steps = stepsField.list("a list of launches").stream()
                .map(f -> StepSpec.read(f, known, mapped))
                .toList();
        checkSteps(stepsField, steps, buffers);
        Path folder = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(file);
        Field imagesField = keys.required("images", "an image for a backend, such as cpu: {file: kernel.c}");
        SequencedMap<String, List<ImageSpec>> images = ImageSpec.read(imagesField, folder, known);
        WorkSpec work = WorkSpec.read(
                keys.required("work", "{reads: , writes: } in bytes, and flops and tokens if any"), known, buffers);
        return new KernelSpec(
                file.toString(),
                name,
                purpose.strip().replaceAll("\\s+", " "),
                axes,
                zips,
                lets,
                where,
                images,
                buffers,
                tensorMaps,
                steps,
                work,
                CheckSpec.read(keys.required("check", "{reference: NAME} or {against: KERNEL}"), known),
                keys.optional("ceiling").map(f -> ceiling(f, work)),
                new SourceHash(imagesField, bytes, images));
    }

    /** Bytes are always counted; a ceiling of flops without flops would be one of nothing. */
    private static String ceiling(Field field, WorkSpec work) {
        String kind = field.oneOf("flops", "bytes");
        if (kind.equals("flops") && work.flops().isEmpty()) {
            throw field.fault("this kernel counts no flops to be a ceiling of; expected work.flops");
        }
        return kind;
    }

    private static void refuseRepeats(SequencedMap<String, Axis> axes, List<List<String>> zips, String name, Field at) {
        Axis axis = axes.get(name);
        if (axis != null && zips.stream().noneMatch(z -> z.contains(name))) {
            AxesReader.refuseRepeats(axis, at);
        }
    }

    private static Names names(SequencedMap<String, Axis> axes, SequencedMap<String, Field> lets, Set<String> buffers) {
        lets.forEach((name, field) -> {
            if (axes.containsKey(name)) {
                throw field.fault("'" + name + "' is an axis as well; expected another name");
            }
            if (ExpressionSyntax.RESERVED.contains(name)) {
                throw field.fault("'" + name + "' has a meaning in expressions; expected another name");
            }
        });
        Set<String> values = new LinkedHashSet<>(axes.keySet());
        values.addAll(lets.keySet());
        return new Names(values, new LinkedHashSet<>(buffers), false);
    }

    private static SequencedMap<String, Formula> lets(SequencedMap<String, Field> fields, Names known) {
        SequencedMap<String, Formula> lets = new LinkedHashMap<>();
        fields.forEach((name, field) -> lets.put(name, Formula.read(field, known)));
        Map<String, Integer> done = new HashMap<>();
        lets.keySet().forEach(name -> chain(lets, name, new LinkedHashSet<>(), done));
        return lets;
    }

    /** How many lets are computed one inside the other for this one; each is visited once. */
    private static int chain(
            SequencedMap<String, Formula> lets, String name, SequencedSet<String> path, Map<String, Integer> done) {
        Formula formula = lets.get(name);
        if (formula == null) {
            return 0;
        }
        Integer known = done.get(name);
        if (known != null) {
            return known;
        }
        if (!path.add(name)) {
            throw formula.field().fault("depends on itself: " + String.join(" -> ", path) + " -> " + name);
        }
        int length = 1;
        if (path.size() <= MAX_CHAIN) {
            for (String next : formula.names()) {
                length = Math.max(length, 1 + chain(lets, next, path, done));
            }
        }
        if (length > MAX_CHAIN || path.size() > MAX_CHAIN) {
            throw formula.field().fault("needs a chain of more than " + MAX_CHAIN + " lets");
        }
        path.removeLast();
        done.put(name, length);
        return length;
    }

    private static void checkSteps(Field field, List<StepSpec> steps, SequencedMap<String, BufferSpec> buffers) {
        if (steps.stream().noneMatch(s -> s instanceof StepSpec.Launch)) {
            throw field.fault("has no launch, expected at least one {entry: , grid: , args: }");
        }
        Set<String> written = steps.stream().flatMap(StepSpec::writes).collect(Collectors.toSet());
        List<BufferSpec> outputs = buffers.values().stream()
                .filter(b -> b.role() == Buffer.Role.OUTPUT || b.role() == Buffer.Role.INOUT)
                .toList();
        if (outputs.isEmpty()) {
            throw field.fault("nothing is written: no buffer has role output or inout, so nothing could be checked");
        }
        for (BufferSpec b : outputs) {
            if (!written.contains(b.name())) {
                throw b.field()
                        .fault("is an " + b.role().name().toLowerCase(java.util.Locale.ROOT)
                                + " that no step has among its args");
            }
        }
        for (StepSpec step : steps) {
            if (step instanceof StepSpec.Memset m && roleOf(buffers, m.buffer()) == Buffer.Role.INPUT) {
                throw field.fault(
                        "memset writes '" + m.buffer() + "', which is an input; expected an output or scratch");
            }
        }
    }

    private static Buffer.Role roleOf(SequencedMap<String, BufferSpec> buffers, String name) {
        BufferSpec found = buffers.get(name);
        return found == null ? Buffer.Role.SCRATCH : found.role();
    }
}
