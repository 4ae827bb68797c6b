package dev.panamark.kernel;

import dev.panamark.kernel.format.DataType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/** Reads {@code buffers} and derives what follows from how their shapes are written. */
final class BuffersReader {
    private static final String FILLS = "normal, uniform, zeros, iota, bits, {normal: }, {uniform: }, {constant: }, "
            + "{iota: }, {lengths: }, {page_table: } or {amax_of: }";

    private final SequencedMap<String, Field> fields;
    private final Names known;
    private final SequencedMap<String, Axis> axes;

    private BuffersReader(SequencedMap<String, Field> fields, Names known, SequencedMap<String, Axis> axes) {
        this.fields = fields;
        this.known = known;
        this.axes = axes;
    }

    /** The buffers in the order of the file. */
    static SequencedMap<String, BufferSpec> read(
            SequencedMap<String, Field> fields, Names known, SequencedMap<String, Axis> axes) {
        BuffersReader reader = new BuffersReader(fields, known, axes);
        SequencedMap<String, BufferSpec> buffers = new LinkedHashMap<>();
        fields.forEach((name, field) -> buffers.put(name, reader.buffer(name, field)));
        return new BufferLinks(buffers).linked();
    }

    /** The name of a buffer that stands in a field. */
    static String name(Field field, java.util.Collection<String> buffers) {
        String name = field.text("the name of a buffer");
        if (!buffers.contains(name)) {
            throw field.fault("unknown buffer '" + Field.shown(name) + "'" + Near.hint(name, buffers));
        }
        return name;
    }

    private BufferSpec buffer(String name, Field field) {
        Keys keys = field.keys(
                "type", "packed", "shape", "role", "fill", "scale", "range", "unused", "paging", "check", "restore");
        Template type = Template.read(
                keys.required("type", "one of " + DataType.tags() + " or $axis"), "an element type", known);
        checkType(type);
        List<Formula> shape = new ArrayList<>();
        for (Field extent : keys.required("shape", "a list of extents, such as [batch, heads]")
                .list("a list of extents")) {
            shape.add(Formula.read(extent, known));
        }
        Optional<FillSpec> fill = keys.optional("fill").map(this::fill);
        Buffer.Role role = role(field, keys, fill.isPresent());
        boolean restored = keys.optional("restore")
                .map(restore -> {
                    if (role != Buffer.Role.INOUT) {
                        throw restore.fault("is for role: inout");
                    }
                    return restore.oneOf("copy", "none").equals("copy");
                })
                .orElse(true);
        Optional<BufferSpec.Range> range = keys.optional("range").map(this::range);
        Optional<Field> check = keys.optional("check");
        if (check.isPresent() && role != Buffer.Role.OUTPUT && role != Buffer.Role.INOUT) {
            throw check.get()
                    .fault("is for outputs, and this buffer is an "
                            + role.name().toLowerCase(java.util.Locale.ROOT));
        }
        return new BufferSpec(
                name,
                field,
                type,
                List.copyOf(shape),
                role,
                fill,
                keys.optional("scale").map(f -> name(f, fields.keySet())),
                range,
                keys.optional("unused").map(f -> BufferSpec.Unused.read(f, known)),
                keys.optional("paging").map(f -> paging(field, f)),
                check.map(f -> OutputCheckSpec.read(f, known)).orElseGet(() -> OutputCheckSpec.none(field)),
                keys.optional("packed").map(f -> Formula.read(f, known)),
                restored);
    }

    /** Types that the axes' own values make are known to exist before anything runs. */
    private void checkType(Template type) {
        String text = type.toString();
        if (type.names().isEmpty()) {
            refuseType(type, text);
        }
        if (type.names().size() == 1 && text.startsWith("$")) {
            Axis axis = axes.get(type.names().getFirst());
            if (axis != null && (text.equals("$" + axis.name()) || text.equals("${" + axis.name() + "}"))) {
                axis.values().forEach(v -> refuseType(type, v.toString()));
                axis.perBackend().values().forEach(vs -> vs.forEach(v -> refuseType(type, v.toString())));
            }
        }
    }

    private static void refuseType(Template type, String tag) {
        if (DataType.ofTag(tag).isEmpty()) {
            throw type.field().fault("unknown type '" + Field.shown(tag) + "'; expected one of " + DataType.tags());
        }
    }

    private static Buffer.Role role(Field field, Keys keys, boolean filled) {
        Optional<Field> given = keys.optional("role");
        if (given.isEmpty()) {
            if (!filled) {
                throw field.fault(
                        "has neither role nor fill; expected role: output or scratch, or a fill for an input");
            }
            return Buffer.Role.INPUT;
        }
        Buffer.Role role = Buffer.Role.valueOf(
                given.get().oneOf("input", "output", "inout", "scratch").toUpperCase(java.util.Locale.ROOT));
        boolean reads = role == Buffer.Role.INPUT || role == Buffer.Role.INOUT;
        if (reads && !filled) {
            throw field.missing("fill", "one of " + FILLS + " for what a kernel reads");
        }
        if (!reads && filled) {
            throw keys.required("fill", "")
                    .fault("is for what a kernel reads; outputs and scratch are poisoned before each check");
        }
        return role;
    }

    private BufferSpec.Range range(Field field) {
        List<Field> ends = field.list("[low, high), such as [0, num_pages]");
        if (ends.size() != 2) {
            throw field.fault("has " + ends.size() + " values, expected [low, high)");
        }
        return new BufferSpec.Range(field, Formula.read(ends.getFirst(), known), Formula.read(ends.getLast(), known));
    }

    private BufferSpec.Paging paging(Field buffer, Field field) {
        Keys keys = field.keys("table", "page_dim", "slot_dim");
        return new BufferSpec.Paging(
                buffer,
                name(keys.required("table", "the name of the block table"), fields.keySet()),
                number(keys, "page_dim", "0"),
                Formula.read(keys.required("slot_dim", "the dimension that counts the tokens of a page"), known));
    }

    private static int dimension(Field field) {
        String text = field.text("a dimension, counted from 0");
        if (!text.matches("[0-9]{1,2}")) {
            throw field.fault("is '" + Field.shown(text) + "', expected a dimension, counted from 0");
        }
        return Integer.parseInt(text);
    }

    private FillSpec fill(Field field) {
        if (field.isScalar()) {
            return switch (field.text(FILLS)) {
                case "normal" -> new FillSpec.Normal(field, Formula.of(field, "0"), Formula.of(field, "1"));
                case "uniform" -> new FillSpec.Uniform(field, Optional.empty(), Optional.empty());
                case "zeros" -> new FillSpec.Constant(field, Formula.of(field, "0"));
                case "iota" -> new FillSpec.Iota(field, Formula.of(field, "0"), Formula.of(field, "1"));
                case "bits" -> new FillSpec.Bits(field);
                default -> throw field.fault("is " + field.kind() + ", expected one of " + FILLS);
            };
        }
        SequencedMap<String, Field> keys = field.entries("one of " + FILLS);
        String kind = keys.isEmpty() ? "" : keys.firstEntry().getKey();
        return switch (kind) {
            case "normal" -> {
                Keys in = inner(field, kind).keys("mean", "stdev");
                yield new FillSpec.Normal(field, number(in, "mean", "0"), number(in, "stdev", "1"));
            }
            case "uniform" -> {
                Keys in = inner(field, kind).keys("min", "max");
                yield new FillSpec.Uniform(
                        field,
                        Optional.of(Formula.read(in.required("min", "the smallest value"), known)),
                        Optional.of(Formula.read(in.required("max", "the largest value"), known)));
            }
            case "constant" -> new FillSpec.Constant(field, Formula.read(inner(field, kind), known));
            case "iota" -> {
                Keys in = inner(field, kind).keys("start", "step");
                yield new FillSpec.Iota(field, number(in, "start", "0"), number(in, "step", "1"));
            }
            case "lengths" -> lengths(field);
            case "page_table" -> {
                Keys in = inner(field, kind).keys("lens", "page", "order");
                yield new FillSpec.PageTable(
                        field,
                        name(in.required("lens", "the name of the buffer of lengths"), fields.keySet()),
                        Formula.read(in.required("page", "tokens of a page"), known),
                        in.optional("order").map(this::order));
            }
            case "amax_of" -> {
                Keys in = field.keys("amax_of", "max", "dims");
                yield new FillSpec.AmaxOf(
                        field,
                        name(in.required("amax_of", "the name of a buffer"), fields.keySet()),
                        Formula.read(in.required("max", "the magnitude that the largest real becomes"), known),
                        in.optional("dims")
                                .map(f -> f.list("a list of dimensions").stream()
                                        .map(BuffersReader::dimension)
                                        .toList()));
            }
            default ->
                throw field.fault("is " + (kind.isEmpty() ? "empty" : "'" + Field.shown(kind) + "'")
                        + ", expected one of " + FILLS);
        };
    }

    private Template order(Field field) {
        Template order = Template.read(field, String.join(" or ", FillSpec.PageTable.ORDERS) + " or $axis", known);
        if (order.names().isEmpty()) {
            field.oneOf(FillSpec.PageTable.ORDERS.toArray(String[]::new));
        }
        return order;
    }

    private FillSpec lengths(Field field) {
        Keys in = field.keys("lengths", "min", "max");
        boolean uniform = in.required("lengths", "uniform or fixed")
                .oneOf("uniform", "fixed")
                .equals("uniform");
        Formula max = Formula.read(in.required("max", "the largest length"), known);
        if (!uniform && in.has("min")) {
            throw in.required("min", "").fault("is for lengths: uniform; fixed lengths are all max");
        }
        return new FillSpec.Lengths(field, uniform, uniform ? number(in, "min", "1") : max, max);
    }

    private static Field inner(Field field, String kind) {
        return field.keys(kind).required(kind, "");
    }

    private Formula number(Keys keys, String key, String otherwise) {
        return keys.optional(key).map(f -> Formula.read(f, known)).orElseGet(() -> Formula.of(keys.owner(), otherwise));
    }
}
