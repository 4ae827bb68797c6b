package dev.panamark.compare;

import dev.panamark.compare.Comparison.Difference;
import dev.panamark.compare.Comparison.Pair;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What differs between two runs besides the numbers: machine, software, code, seed, problems. */
final class Environment {
    private static final String NOT_GIVEN = "not given";

    /** Facts that never are the same twice: they count only when one is at least twice the other. */
    private static final Set<String> RESTLESS = Set.of("load_average_1min", "values.memory");

    private static final double RESTLESS_FACTOR = 2;

    /** A load below this is an idle machine, whatever it is a multiple of. */
    private static final double IDLE_LOAD = 0.5;

    private static final Pattern HASH = Pattern.compile("(sha256:)?[0-9a-f]{32,}");
    private static final int HASH_SHOWN = 8;

    private final List<Difference> found = new ArrayList<>();

    private Environment() {}

    /** Differences between the runs, of devices only those that have pairs. */
    static List<Difference> differences(RunResult base, RunResult next, boolean acrossDevices, List<Pair> pairs) {
        Environment e = new Environment();
        e.maps("host", flat(base.host()), flat(next.host()));
        e.devices(base, next, pairs);
        e.kernels(base, next, acrossDevices);
        e.one("seed", String.valueOf(base.seed()), String.valueOf(next.seed()));
        e.axes(base, next);
        return List.copyOf(e.found);
    }

    private void one(String field, String before, String after) {
        if (!before.equals(after)) {
            found.add(new Difference(field, before, after));
        }
    }

    private void maps(String prefix, SequencedMap<String, Object> before, SequencedMap<String, Object> after) {
        SequencedSet<String> names = new LinkedHashSet<>(before.keySet());
        names.addAll(after.keySet());
        for (String name : names) {
            Object a = before.get(name);
            Object b = after.get(name);
            if (!Objects.equals(a, b) && !(RESTLESS.contains(name) && alike(a, b))) {
                if (a instanceof List<?> listA && b instanceof List<?> listB) {
                    one(prefix + "." + name, less(listA, listB), less(listB, listA));
                } else {
                    one(prefix + "." + name, text(a), text(b));
                }
            }
        }
    }

    /** What one list has beyond the other; the whole list where they differ in order alone. */
    private static String less(List<?> of, List<?> other) {
        List<?> own = of.stream().filter(v -> !other.contains(v)).toList();
        boolean orderOnly = own.isEmpty() && other.stream().allMatch(of::contains);
        List<?> shown = orderOnly ? of : own;
        return shown.isEmpty()
                ? "without"
                : shown.stream().map(Environment::text).collect(Collectors.joining(" "));
    }

    private static boolean alike(@Nullable Object a, @Nullable Object b) {
        if (!(a instanceof Number x) || !(b instanceof Number y)) {
            return false;
        }
        double most = Math.max(x.doubleValue(), y.doubleValue());
        double least = Math.min(x.doubleValue(), y.doubleValue());
        return most < IDLE_LOAD || most < RESTLESS_FACTOR * least;
    }

    private static String text(@Nullable Object value) {
        if (value == null) {
            return NOT_GIVEN;
        }
        String text = value.toString();
        if (!HASH.matcher(text).matches()) {
            return text;
        }
        String hash = text.substring(text.indexOf(':') + 1);
        return hash.substring(0, HASH_SHOWN) + "\u2026";
    }

    /** Nested maps become dotted names; a list of maps becomes numbered ones. */
    private static SequencedMap<String, Object> flat(Map<String, Object> map) {
        SequencedMap<String, Object> out = new LinkedHashMap<>();
        map.forEach((name, value) -> flatten(name, value, out));
        return out;
    }

    private static void flatten(String name, Object value, SequencedMap<String, Object> out) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, inner) -> flatten(name + "." + key, inner, out));
        } else if (value instanceof List<?> list && list.stream().anyMatch(Map.class::isInstance)) {
            for (int i = 0; i < list.size(); i++) {
                flatten(name + "[" + i + "]", list.get(i), out);
            }
        } else {
            out.put(name, value);
        }
    }

    // ---- devices

    private void devices(RunResult base, RunResult next, List<Pair> pairs) {
        record Two(String base, String next) {}
        SequencedSet<Two> met = new LinkedHashSet<>();
        pairs.forEach(p -> met.add(new Two(p.base().device(), p.next().device())));
        for (Two two : met) {
            SequencedMap<String, Object> before = flat(device(base, two.base()));
            SequencedMap<String, Object> after = flat(device(next, two.next()));
            boolean sameId = two.base().equals(two.next());
            String prefix = sameId ? two.base() : two.base() + " \u2192 " + two.next();
            List.of("id", "backend").forEach(key -> {
                before.remove(key);
                after.remove(key);
            });
            Object a = before.remove("uuid");
            Object b = after.remove("uuid");
            if (!Objects.equals(a, b)) {
                one(prefix + ".uuid" + (sameId ? " (another piece of hardware)" : ""), text(a), text(b));
            }
            maps(prefix, before, after);
        }
    }

    private static Map<String, Object> device(RunResult run, String id) {
        return run.devices().stream()
                .filter(d -> id.equals(d.get("id")))
                .findFirst()
                .map(d -> (Map<String, Object>) d)
                .orElse(Map.of());
    }

    // ---- kernels

    /** Facts of the code that ran; a fact that changed alike for several kernels is told once. */
    private void kernels(RunResult base, RunResult next, boolean acrossDevices) {
        record Change(String fact, String base, String next) {}
        SequencedMap<Change, List<String>> changes = new LinkedHashMap<>();
        SequencedSet<String> otherImages = new LinkedHashSet<>();
        SequencedMap<String, Map<String, Object>> before = byName(base);
        byName(next).forEach((kernel, after) -> {
            Map<String, Object> old = before.get(kernel);
            if (old == null) {
                return;
            }
            Environment one = new Environment();
            one.maps("", flat(old), flat(after));
            for (Difference d : one.found) {
                String fact = d.field().substring(1);
                if (fact.startsWith("image")) {
                    otherImages.add(kernel);
                } else {
                    changes.computeIfAbsent(new Change(fact, d.base(), d.next()), c -> new ArrayList<>())
                            .add(kernel);
                }
            }
        });
        if (!otherImages.isEmpty() && !acrossDevices) {
            found.add(new Difference("image of " + String.join(", ", otherImages), "one build", "another build"));
        }
        changes.forEach((change, kernels) -> found.add(
                new Difference(change.fact() + " of " + String.join(", ", kernels), change.base(), change.next())));
    }

    private static SequencedMap<String, Map<String, Object>> byName(RunResult run) {
        SequencedMap<String, Map<String, Object>> out = new LinkedHashMap<>();
        Function<Map<String, Object>, String> name = k -> String.valueOf(k.get("kernel"));
        for (Map<String, Object> kernel : run.kernels()) {
            // One file may hold several builds of a kernel, or several problems that were compiled apart.
            Map<String, Object> known = out.get(name.apply(kernel));
            if (known == null) {
                out.put(name.apply(kernel), new LinkedHashMap<>(kernel));
            } else {
                known.keySet().retainAll(kernel.keySet());
                known.entrySet().removeIf(e -> !Objects.equals(e.getValue(), kernel.get(e.getKey())));
            }
        }
        return out;
    }

    // ---- problems

    private void axes(RunResult base, RunResult next) {
        SequencedMap<Axis, SequencedSet<String>> before = values(base);
        values(next)
                .forEach((axis, after) -> Optional.ofNullable(before.get(axis))
                        .filter(old -> !old.equals(after))
                        .ifPresent(old -> one(
                                "axis " + axis.name() + " of " + axis.kernel(),
                                String.join(",", old),
                                String.join(",", after))));
    }

    private record Axis(String name, String kernel) {}

    private static SequencedMap<Axis, SequencedSet<String>> values(RunResult run) {
        SequencedMap<Axis, SequencedSet<Object>> all = new LinkedHashMap<>();
        for (Row row : run.rows()) {
            row.problem()
                    .forEach((axis, value) -> all.computeIfAbsent(
                                    new Axis(axis, row.kernel()), a -> new LinkedHashSet<>())
                            .add(value));
        }
        SequencedMap<Axis, SequencedSet<String>> out = new LinkedHashMap<>();
        all.forEach((axis, values) -> out.put(
                axis, values.stream().map(String::valueOf).collect(Collectors.toCollection(LinkedHashSet::new))));
        return out;
    }
}
