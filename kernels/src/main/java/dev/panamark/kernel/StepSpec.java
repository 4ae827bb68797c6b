package dev.panamark.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A step as a kernel file describes it. */
sealed interface StepSpec {

    /** The step for one problem on one backend. */
    Step resolve(Scope scope, String backend);

    /** Buffers that it may write. */
    Stream<String> writes();

    /** In words. */
    String text();

    /** What stands in a field. */
    static StepSpec read(Field field, Names known, Map<String, String> tensorMaps) {
        if (field.isMap() && field.entries("a step").containsKey("memset")) {
            Keys keys = field.keys("memset", "value");
            String value = keys.optional("value")
                    .map(f -> f.text("a byte from 0 to 255"))
                    .orElse("0");
            if (!value.matches("[0-9]{1,3}") || Integer.parseInt(value) > 255) {
                throw keys.required("value", "")
                        .fault("is '" + Field.shown(value) + "', expected a byte from 0 to 255");
            }
            return new Memset(
                    BuffersReader.name(keys.required("memset", ""), known.buffers()), Integer.parseInt(value));
        }
        Keys keys = field.keys("entry", "grid", "block", "smem", "args", "cluster", "cooperative");
        Field entry = keys.required("entry", "the name of a function");
        String name = entry.text("the name of a function");
        if (!name.matches("[A-Za-z_$.][A-Za-z0-9_$.]*")) {
            throw entry.fault("is '" + Field.shown(name) + "', which is no name of a function");
        }
        return new Launch(
                field,
                name,
                extents(keys.required("grid", "one to three extents, such as [heads, batch]"), known),
                keys.optional("block").map(f -> extents(f, known)),
                keys.optional("smem").map(f -> Formula.read(f, known)),
                keys.required("args", "a list of parameters").list("a list of parameters").stream()
                        .map(f -> ArgumentSpec.read(f, known, tensorMaps))
                        .toList(),
                keys.optional("cluster").map(f -> extents(f, known)),
                keys.optional("cooperative").map(Field::flag).orElse(false));
    }

    private static List<Formula> extents(Field field, Names known) {
        List<Field> items = field.isScalar() ? List.of(field) : field.list("one to three extents");
        if (items.isEmpty() || items.size() > 3) {
            throw field.fault("has " + items.size() + " extents, expected one to three");
        }
        return items.stream().map(f -> Formula.read(f, known)).toList();
    }

    private static Dim3 dim3(List<Formula> extents, Scope scope) {
        ToLongFunction<Integer> at = i -> i < extents.size() ? extents.get(i).whole(scope, 1) : 1;
        Dim3 dim = new Dim3(at.applyAsLong(0), at.applyAsLong(1), at.applyAsLong(2));
        try {
            dim.count();
        } catch (ArithmeticException e) {
            throw extents.getFirst().fault("and the other extents make more than 2^63-1 together", scope);
        }
        return dim;
    }

    /** A launch. */
    record Launch(
            Field field,
            String entry,
            List<Formula> grid,
            Optional<List<Formula>> block,
            Optional<Formula> smem,
            List<ArgumentSpec> args,
            Optional<List<Formula>> cluster,
            boolean cooperative)
            implements StepSpec {

        @Override
        public Step resolve(Scope scope, String backend) {
            // A CPU has blocks only: threads of a block and their shared memory are the GPU's.
            boolean cpu = backend.equals("cpu");
            Dim3 threads = cpu
                    ? new Dim3(1, 1, 1)
                    : dim3(
                            block.orElseThrow(
                                    () -> field.missing("block", "the threads of a block, needed on " + backend)),
                            scope);
            return new Step.Launch(
                    entry,
                    dim3(grid, scope),
                    threads,
                    cpu ? 0 : smem.map(f -> f.whole(scope, 0)).orElse(0L),
                    args.stream().map(a -> a.resolve(scope)).toList(),
                    cluster.map(c -> dim3(c, scope)),
                    cooperative);
        }

        @Override
        public Stream<String> writes() {
            return args.stream().flatMap(ArgumentSpec::buffers);
        }

        @Override
        public String text() {
            List<String> parts = new ArrayList<>();
            parts.add("grid " + join(grid));
            block.ifPresent(b -> parts.add("block " + join(b)));
            smem.ifPresent(s -> parts.add("smem " + s));
            cluster.ifPresent(c -> parts.add("cluster " + join(c)));
            if (cooperative) {
                parts.add("cooperative");
            }
            return entry
                    + args.stream().map(ArgumentSpec::text).collect(Collectors.joining(", ", "(", ")")) + ", "
                    + String.join(", ", parts);
        }

        private static String join(List<Formula> extents) {
            return extents.stream().map(Formula::text).collect(Collectors.joining(", ", "[", "]"));
        }
    }

    /** Every byte of a buffer set. */
    record Memset(String buffer, int value) implements StepSpec {
        @Override
        public Step resolve(Scope scope, String backend) {
            return new Step.Memset(buffer, value);
        }

        @Override
        public Stream<String> writes() {
            return Stream.of(buffer);
        }

        @Override
        public String text() {
            return "memset " + buffer + " to " + value;
        }
    }
}
