package dev.panamark.measure;

import dev.panamark.kernel.Axis;
import dev.panamark.kernel.AxisOverride;
import dev.panamark.kernel.Kernel;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.kernel.Model;
import dev.panamark.kernel.Problem;
import dev.panamark.kernel.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Everything a run will measure, in order: device by device, ceilings first, so that the rows after them can be given
 * their share, and then problem by problem.
 *
 * @param groups rows that are to be measured together, because they are variants of one problem
 */
public record Plan(List<List<Item>> groups) {

    /**
     * One row.
     *
     * @param device its id
     * @param kernel what runs
     * @param problem for which values of its axes
     */
    public record Item(String device, Kernel kernel, Problem problem) {}

    /**
     * Where rows are to be measured.
     *
     * @param device id
     * @param backend its backend, which chooses default values of axes
     * @param ceilings whether kernels that measure a ceiling have rows there
     */
    public record Target(String device, String backend, boolean ceilings) {
        /** With ceilings. */
        public Target(String device, String backend) {
            this(device, backend, true);
        }
    }

    /** Copies. */
    public Plan {
        groups = groups.stream().map(List::copyOf).toList();
    }

    /** All rows, in order. */
    public List<Item> items() {
        return groups.stream().flatMap(List::stream).toList();
    }

    /** The devices that have rows. */
    public Set<String> devices() {
        return items().stream().map(Item::device).collect(Collectors.toSet());
    }

    /**
     * Expands devices × kernels × problems.
     *
     * @throws KernelFileException when an override names an axis that no kernel has, or its values do not fit
     */
    public static Plan of(
            List<Target> targets, List<Kernel> kernels, List<AxisOverride> overrides, Optional<Model> model) {
        for (AxisOverride override : overrides) {
            if (kernels.stream().noneMatch(k -> k.hasAxis(override.name()))) {
                TreeSet<String> axes = new TreeSet<>();
                kernels.forEach(k -> k.axes().forEach(a -> axes.add(a.name())));
                throw new KernelFileException(
                        "-a " + override.text(),
                        0,
                        "",
                        "no selected kernel has an axis '" + override.name() + "'; they have "
                                + String.join(", ", axes));
            }
        }
        List<Kernel> ordered = kernels.stream()
                .sorted(Comparator.comparing((Kernel k) -> !k.ceiling()))
                .toList();
        SequencedMap<Together, List<Item>> groups = new LinkedHashMap<>();
        Map<String, Set<String>> shared = shared(ordered);
        ordered.forEach(Kernel::sourceSha256); // made now: a worker that finds other sources refuses
        Set<Kernel> somewhere = ordered.stream()
                .filter(k -> targets.stream().anyMatch(t -> k.hasImage(t.backend())))
                .collect(Collectors.toSet());
        for (Target target : targets) {
            for (Kernel kernel : ordered) {
                // A kernel that some of the devices run has no row on others; one that none of them runs has, to say
                // so.
                if ((somewhere.contains(kernel) && !kernel.hasImage(target.backend()))
                        || (kernel.ceiling() && !target.ceilings())) {
                    continue;
                }
                List<AxisOverride> own =
                        overrides.stream().filter(o -> kernel.hasAxis(o.name())).toList();
                for (Problem problem : kernel.problems(target.backend(), own, model)) {
                    Item item = new Item(target.device(), kernel, problem);
                    groups.computeIfAbsent(together(item, shared), t -> new ArrayList<>())
                            .add(item);
                }
            }
        }
        return new Plan(List.copyOf(groups.values()));
    }

    /** What rows have in common whose samples are taken in turns: variants of one problem. */
    private record Together(String device, String family, Map<String, Value> problem) {}

    /** A ceiling has a row of its own: nothing is a variant of it. */
    private static Together together(Item item, Map<String, Set<String>> shared) {
        Kernel kernel = item.kernel();
        SequencedMap<String, Value> problem = new LinkedHashMap<>(item.problem().values());
        if (kernel.ceiling()) {
            return new Together(item.device(), kernel.name(), problem);
        }
        problem.keySet().retainAll(shared.getOrDefault(kernel.family(), Set.of()));
        return new Together(item.device(), kernel.family(), problem);
    }

    /** The axes that all kernels of a family have. */
    private static Map<String, Set<String>> shared(List<Kernel> kernels) {
        Map<String, Set<String>> shared = new HashMap<>();
        for (Kernel kernel : kernels) {
            Set<String> axes = kernel.axes().stream().map(Axis::name).collect(Collectors.toSet());
            shared.merge(
                    kernel.family(),
                    axes,
                    (a, b) -> a.stream().filter(b::contains).collect(Collectors.toSet()));
        }
        return shared;
    }
}
