package dev.panamark.kernel;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/** All problems of a kernel on a backend: every combination of its axes' values, zipped axes going together. */
final class ProblemSpace {
    private static final long MAX_PROBLEMS = 100_000;

    private final KernelSpec spec;
    private final SequencedMap<String, List<Value>> values = new LinkedHashMap<>();

    ProblemSpace(KernelSpec spec, String backend, List<AxisOverride> overrides, Optional<Model> model) {
        this.spec = spec;
        spec.axes().forEach((name, axis) -> values.put(name, axis.valuesOn(backend)));
        SequencedMap<String, AxisOverride> given = new LinkedHashMap<>();
        for (AxisOverride override : overrides) {
            Axis axis = spec.axes().get(override.name());
            if (axis == null) {
                throw override.fault("kernel " + spec.name() + " has no axis '" + override.name() + "'"
                        + Near.hint(override.name(), spec.axes().keySet())
                        + (Near.names(override.name(), spec.axes().keySet()).isEmpty()
                                ? ""
                                : " It has: " + String.join(", ", spec.axes().keySet())));
            }
            if (!AxisValues.fits(override.values(), axis.kind())) {
                throw override.fault("axis '" + axis.name() + "' of " + spec.name() + " takes " + axis.kind()
                        + " such as " + axis.values().getFirst() + ", not " + override.values());
            }
            if (given.putIfAbsent(override.name(), override) != null) {
                throw override.fault(
                        "axis '" + override.name() + "' is given twice; expected all its values in one -a");
            }
            values.put(axis.name(), override.values());
        }
        model.ifPresent(m -> applyModel(m, given));
        for (List<String> zip : spec.zips()) {
            AxesReader.unequal(zip, this::values).ifPresent(lengths -> {
                AxisOverride first = zip.stream()
                        .filter(given::containsKey)
                        .map(given::get)
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException(lengths));
                throw first.fault("axes " + String.join(" and ", zip) + " of " + spec.name()
                        + " go together, but differ in length (" + lengths + "); expected as many values for each");
            });
        }
    }

    /** The problems; the last axis changes fastest. */
    List<Problem> problems() {
        List<List<String>> groups = new ArrayList<>();
        for (String name : spec.axes().keySet()) {
            List<String> group = spec.zips().stream()
                    .filter(z -> z.contains(name))
                    .findFirst()
                    .orElse(List.of(name));
            if (!groups.contains(group)) {
                groups.add(group);
            }
        }
        long count = 1;
        for (List<String> group : groups) {
            count *= values(group.getFirst()).size();
            if (count > MAX_PROBLEMS) {
                throw new KernelFileException(
                        spec.file(),
                        0,
                        "axes",
                        "make more than " + MAX_PROBLEMS + " problems of " + spec.name()
                                + "; give fewer values with -a");
            }
        }
        List<Problem> problems = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            problems.add(problem(groups, i));
        }
        return problems;
    }

    private Problem problem(List<List<String>> groups, long number) {
        SequencedMap<String, Value> chosen = new LinkedHashMap<>();
        long rest = number;
        for (List<String> group : groups.reversed()) {
            int size = values(group.getFirst()).size();
            int at = (int) (rest % size);
            rest /= size;
            group.forEach(name -> chosen.put(name, values(name).get(at)));
        }
        SequencedMap<String, Value> ordered = new LinkedHashMap<>();
        spec.axes().keySet().forEach(name -> {
            Value value = chosen.get(name);
            if (value != null) {
                ordered.put(name, value);
            }
        });
        return new Problem(ordered);
    }

    private List<Value> values(String name) {
        List<Value> found = values.get(name);
        if (found == null) {
            throw new IllegalArgumentException(name);
        }
        return found;
    }

    /** A model fixes an axis, so a zipped axis has the model's value beside each of its partners'. */
    private void applyModel(Model model, SequencedMap<String, AxisOverride> given) {
        model.axes().forEach((name, value) -> {
            if (!values.containsKey(name) || given.containsKey(name)) {
                return;
            }
            int length = spec.zips().stream()
                    .filter(z -> z.contains(name))
                    .findFirst()
                    .map(z -> z.stream()
                            .filter(n -> !model.axes().containsKey(n) || given.containsKey(n))
                            .mapToInt(n -> values(n).size())
                            .max()
                            .orElse(1))
                    .orElse(1);
            values.put(name, java.util.Collections.nCopies(length, value));
        });
    }
}
