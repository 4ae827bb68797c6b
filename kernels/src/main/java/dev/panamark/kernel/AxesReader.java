package dev.panamark.kernel;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.Function;

/** Reads {@code axes} and {@code zip}. */
final class AxesReader {
    /** Backends that may have values of their own. */
    static final List<String> BACKENDS = List.of("cuda", "hip", "cpu", "emu");

    private AxesReader() {}

    /** The axes in the order of the file. */
    static SequencedMap<String, Axis> axes(Optional<Field> field) {
        SequencedMap<String, Axis> axes = new LinkedHashMap<>();
        if (field.isEmpty()) {
            return axes;
        }
        field.get().named("axes").forEach((name, value) -> {
            if (ExpressionSyntax.RESERVED.contains(name)) {
                throw value.fault("'" + name + "' has a meaning in expressions; expected another name");
            }
            axes.put(name, axis(name, value));
        });
        return axes;
    }

    /** Groups of axes that go through their values together. */
    static List<List<String>> zips(Optional<Field> field, SequencedMap<String, Axis> axes) {
        List<List<String>> zips = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        if (field.isEmpty()) {
            return zips;
        }
        for (Field group : field.get().list("a list of lists of axes, such as [[a, b]]")) {
            List<String> names = new ArrayList<>();
            for (Field item : group.list("a list of axes, such as [a, b]")) {
                String name = item.text("the name of an axis");
                if (!axes.containsKey(name)) {
                    throw item.fault("unknown axis '" + Field.shown(name) + "'" + Near.hint(name, axes.keySet()));
                }
                if (!seen.add(name)) {
                    throw item.fault("axis '" + name + "' is zipped twice");
                }
                names.add(name);
            }
            if (names.size() < 2) {
                throw group.fault("zips " + names.size() + " axis, expected two or more");
            }
            for (String backend : BACKENDS) {
                unequal(names, name -> axis(axes, name).valuesOn(backend)).ifPresent(lengths -> {
                    throw group.fault("zipped axes differ in length on " + backend + " (" + lengths + ")");
                });
            }
            zips.add(List.copyOf(names));
        }
        return zips;
    }

    /** "a: 2, b: 3" where zipped axes have different numbers of values. */
    static Optional<String> unequal(List<String> names, Function<String, List<Value>> values) {
        Map<String, Integer> lengths = new LinkedHashMap<>();
        names.forEach(name -> lengths.put(name, values.apply(name).size()));
        return new HashSet<>(lengths.values()).size() == 1
                ? Optional.empty()
                : Optional.of(lengths.entrySet().stream()
                        .map(e -> e.getKey() + ": " + e.getValue())
                        .reduce((a, b) -> a + ", " + b)
                        .orElse(""));
    }

    /** Refuses an axis that is not zipped and has a value twice: that would measure one problem twice. */
    static void refuseRepeats(Axis axis, Field at) {
        List<List<Value>> lists = new ArrayList<>(axis.perBackend().values());
        lists.add(axis.values());
        for (List<Value> values : lists) {
            Set<Value> seen = new HashSet<>();
            for (Value value : values) {
                if (!seen.add(value)) {
                    throw at.fault("axis '" + axis.name() + "' has the value " + value + " twice");
                }
            }
        }
    }

    private static Axis axis(SequencedMap<String, Axis> axes, String name) {
        Axis axis = axes.get(name);
        if (axis == null) {
            throw new IllegalArgumentException(name);
        }
        return axis;
    }

    private static Axis axis(String name, Field field) {
        if (!field.isMap()) {
            List<Value> values = values(field);
            return new Axis(name, oneKind(field, values), Map.of());
        }
        List<String> allowed = new ArrayList<>(List.of("values"));
        allowed.addAll(BACKENDS);
        Keys keys = field.keys(allowed.toArray(String[]::new));
        List<Value> values = values(keys.required("values", "the default values, such as [1, 2]"));
        List<Value> all = new ArrayList<>(values);
        Map<String, List<Value>> perBackend = new LinkedHashMap<>();
        for (String backend : BACKENDS) {
            keys.optional(backend).ifPresent(f -> {
                List<Value> own = values(f);
                perBackend.put(backend, own);
                all.addAll(own);
            });
        }
        oneKind(field, all);
        return new Axis(name, values, perBackend);
    }

    private static List<Value> values(Field field) {
        List<Field> items = field.isScalar() ? List.of(field) : field.list("a list of values, such as [1, 2]");
        List<Value> values = new ArrayList<>();
        for (Field item : items) {
            String text = item.text(AxisValues.EXPECTED);
            values.add(AxisValues.parse(text, !item.isPlain())
                    .orElseThrow(() -> item.fault("is '" + Field.shown(text) + "', expected " + AxisValues.EXPECTED)));
        }
        if (values.isEmpty()) {
            throw field.fault("has no values, expected at least one");
        }
        return values;
    }

    private static List<Value> oneKind(Field field, List<Value> values) {
        if (AxisValues.kind(values).equals("values of several kinds")) {
            throw field.fault("mixes numbers, words and true or false; expected values of one kind, came "
                    + Field.shown(values.toString()));
        }
        return values;
    }
}
