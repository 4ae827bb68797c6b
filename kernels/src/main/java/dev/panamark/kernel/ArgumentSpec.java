package dev.panamark.kernel;

import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A kernel parameter as a kernel file describes it. */
sealed interface ArgumentSpec {
    /** Types of numbers, with their bytes. */
    Map<String, Integer> TYPES =
            Map.of("i8", 1, "u8", 1, "i16", 2, "u16", 2, "i32", 4, "u32", 4, "i64", 8, "u64", 8, "f32", 4, "f64", 8);

    String EXPECTED = "a buffer, {i32: }, {i64: }, {u32: }, {f32: }, {f64: } (also 8, 16 and 64 bits), {struct: []}, "
            + "{ptr: {}} or {tensor_map: }";

    /** The parameter for one problem. */
    Argument resolve(Scope scope);

    /** Buffers whose addresses it passes, itself or through a tensor map. */
    Stream<String> buffers();

    /** In words. */
    String text();

    /** What stands in a field. */
    static ArgumentSpec read(Field field, Names known, Map<String, String> tensorMaps) {
        if (field.isScalar()) {
            return new Address(BuffersReader.name(field, known.buffers()));
        }
        SequencedMap<String, Field> keys = field.entries(EXPECTED);
        if (keys.size() != 1) {
            throw field.fault("has " + keys.size() + " keys, expected one of " + EXPECTED);
        }
        String kind = keys.firstEntry().getKey();
        Field value = keys.firstEntry().getValue();
        return switch (kind) {
            case "struct" -> {
                List<ArgumentSpec> members = value.list("a list of members").stream()
                        .map(m -> read(m, known, tensorMaps))
                        .toList();
                if (members.isEmpty()) {
                    throw value.fault("is empty, expected at least one member");
                }
                yield new Members(members);
            }
            case "ptr" -> {
                ArgumentSpec target = read(value, known, tensorMaps);
                if (target instanceof MapValue) {
                    throw value.fault("is a tensor map, which is passed by value; expected a number, buffer or struct");
                }
                yield new Pointer(target);
            }
            case "tensor_map" -> {
                String name = value.text("the name of a tensor map");
                String of = tensorMaps.get(name);
                if (of == null) {
                    throw value.fault(
                            "unknown tensor map '" + Field.shown(name) + "'" + Near.hint(name, tensorMaps.keySet()));
                }
                yield new MapValue(name, of);
            }
            default -> {
                if (!TYPES.containsKey(kind)) {
                    throw field.fault("unknown parameter '" + Field.shown(kind) + "'; expected " + EXPECTED);
                }
                yield new Scalar(kind, Formula.read(value, known));
            }
        };
    }

    /** The address of a buffer. */
    record Address(String buffer) implements ArgumentSpec {
        @Override
        public Argument resolve(Scope scope) {
            return new Argument.BufferAddress(buffer);
        }

        @Override
        public Stream<String> buffers() {
            return Stream.of(buffer);
        }

        @Override
        public String text() {
            return buffer;
        }
    }

    /** A number. */
    record Scalar(String type, Formula formula) implements ArgumentSpec {
        private static final Set<String> UNSIGNED = Set.of("u8", "u16", "u32", "u64");

        @Override
        public Argument resolve(Scope scope) {
            int bytes = bytes();
            long mask = bytes == 8 ? -1L : (1L << (8 * bytes)) - 1;
            return new Argument.Scalar(type, bits(scope) & mask, bytes);
        }

        private int bytes() {
            return TYPES.getOrDefault(type, 0);
        }

        private long bits(Scope scope) {
            Object value = formula.evaluate(scope);
            if (value instanceof Boolean b && !type.startsWith("f")) {
                return b ? 1 : 0;
            }
            if (type.equals("f64")) {
                return Double.doubleToRawLongBits(formula.real(scope));
            }
            if (type.equals("f32")) {
                double real = formula.real(scope);
                if (Float.isInfinite((float) real)) {
                    throw formula.fault("is " + real + ", beyond the range of f32", scope);
                }
                return Float.floatToRawIntBits((float) real);
            }
            long whole = formula.whole(scope, UNSIGNED.contains(type) ? 0 : Long.MIN_VALUE);
            int bits = 8 * bytes() - (UNSIGNED.contains(type) ? 0 : 1);
            if (bits < 63 && (whole >= 1L << bits || whole < -(1L << bits))) {
                throw formula.fault("is " + whole + ", which " + type + " does not hold", scope);
            }
            return whole;
        }

        @Override
        public Stream<String> buffers() {
            return Stream.empty();
        }

        @Override
        public String text() {
            return type + " " + formula;
        }
    }

    /** A struct. */
    record Members(List<ArgumentSpec> members) implements ArgumentSpec {
        @Override
        public Argument resolve(Scope scope) {
            return new Argument.Struct(
                    members.stream().map(m -> m.resolve(scope)).toList());
        }

        @Override
        public Stream<String> buffers() {
            return members.stream().flatMap(ArgumentSpec::buffers);
        }

        @Override
        public String text() {
            return members.stream().map(ArgumentSpec::text).collect(Collectors.joining(", ", "struct{", "}"));
        }
    }

    /** The address of a value. */
    record Pointer(ArgumentSpec target) implements ArgumentSpec {
        @Override
        public Argument resolve(Scope scope) {
            return new Argument.PointerTo(target.resolve(scope));
        }

        @Override
        public Stream<String> buffers() {
            return target.buffers();
        }

        @Override
        public String text() {
            return "ptr{" + target.text() + "}";
        }
    }

    /** A tensor map. */
    record MapValue(String name, String of) implements ArgumentSpec {
        @Override
        public Argument resolve(Scope scope) {
            return new Argument.TensorMapValue(name);
        }

        @Override
        public Stream<String> buffers() {
            return Stream.of(of);
        }

        @Override
        public String text() {
            return "tensor map " + name + " of " + of;
        }
    }
}
