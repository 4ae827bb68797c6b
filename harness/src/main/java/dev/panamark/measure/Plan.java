package dev.panamark.measure;

import dev.panamark.kernel.AxisOverride;
import dev.panamark.kernel.Kernel;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.kernel.Model;
import dev.panamark.kernel.Problem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Everything a run will measure, in order: device by device, ceilings first, so that the rows after them can be given
 * their share.
 *
 * @param items one for each row
 */
public record Plan(List<Item> items) {

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
     */
    public record Target(String device, String backend) {}

    /** Copies. */
    public Plan {
        items = List.copyOf(items);
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
        List<Item> items = new ArrayList<>();
        for (Target target : targets) {
            for (Kernel kernel : ordered) {
                List<AxisOverride> own =
                        overrides.stream().filter(o -> kernel.hasAxis(o.name())).toList();
                for (Problem problem : kernel.problems(target.backend(), own, model)) {
                    items.add(new Item(target.device(), kernel, problem));
                }
            }
        }
        return new Plan(items);
    }
}
