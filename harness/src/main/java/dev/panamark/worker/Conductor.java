package dev.panamark.worker;

import static java.util.Objects.requireNonNull;

import dev.panamark.kernel.DeviceValues;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.kernel.Resolution;
import dev.panamark.measure.Budget;
import dev.panamark.measure.Ceilings;
import dev.panamark.measure.Effort;
import dev.panamark.measure.Invocations;
import dev.panamark.measure.Mode;
import dev.panamark.measure.Plan;
import dev.panamark.measure.Request;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Works a plan off, row by row, within a budget. Used by one thread; {@link #interrupt} may come from another. */
public final class Conductor {

    /** The flag of a row that was skipped because the run's time was spent. */
    public static final String BUDGET_SPENT = "budget spent";

    /** Of a device's memory, for the buffers of rows measured together: the host keeps copies and expectations beside. */
    private static final double MOST_MEMORY = 0.2;

    /** Rows measured together; with more each would have its turn too seldom. */
    private static final int MOST_TOGETHER = 6;

    /**
     * How to measure.
     *
     * @param seed of the run
     * @param effort for each row; its seconds are replaced by the row's share of the budget
     * @param model that divides tokens by its layers
     * @param dump where the buffers of wrong rows go
     * @param kernelFiles the user's
     * @param cache for compiled kernels
     * @param mode state of the caches that launches find
     * @param invocations how many workers measure each row, at least 1
     * @param devices what kernel files see of each device, by id
     * @param deadlines after which a worker is taken for hung
     */
    public record Settings(
            long seed,
            Effort effort,
            Optional<Request.ModelLayers> model,
            Optional<Path> dump,
            List<Path> kernelFiles,
            Path cache,
            Mode mode,
            int invocations,
            Map<String, DeviceValues> devices,
            Deadlines deadlines) {}

    /** Hears how the run goes; called on the conducting thread. */
    public interface Listener {
        /** These rows, of which the first has this number (from 0), begin. */
        void begins(int number, List<Plan.Item> items);

        /** It ended. */
        void ends(int number, Row row);

        /** Several invocations of one problem came to this; after all of them, where there are several. */
        default void aggregated(Row row) {}
    }

    /**
     * What was found.
     *
     * @param codes what identifies each image that ran
     * @param inputFault whether a row failed because of what a person wrote
     * @param interrupted whether the run was told to stop before its end
     */
    public record Outcome(Set<SequencedMap<String, Object>> codes, boolean inputFault, boolean interrupted) {}

    private final Settings settings;
    private final Listener listener;
    private final WorkerProcess.WorkerCommand command;
    private volatile @Nullable DeviceSession session;
    private volatile boolean stopped;

    /** Starts nothing yet. */
    public Conductor(Settings settings, Listener listener) {
        this(settings, listener, new JavaCommand());
    }

    Conductor(Settings settings, Listener listener, WorkerProcess.WorkerCommand command) {
        this.settings = settings;
        this.listener = listener;
        this.command = command;
    }

    /** Starts the worker of the first device, which is no row's doing and takes none of the budget. */
    public void open(Plan plan) {
        if (!plan.items().isEmpty()) {
            change(session(plan.items().getFirst().device()));
            requireNonNull(session).open();
        }
    }

    private DeviceSession session(String device) {
        return new DeviceSession(device, settings.kernelFiles(), settings.cache(), settings.deadlines(), command);
    }

    /**
     * Measures everything, or what the budget allows: all rows of the plan, then all of them again in fresh workers for
     * the next invocation.
     */
    public Outcome run(Plan plan, Budget budget) {
        List<List<Row>> byItem = new ArrayList<>();
        plan.items().forEach(item -> byItem.add(new ArrayList<>()));
        Found found = new Found();
        try {
            for (int invocation = 0; invocation < settings.invocations() && !stopped; invocation++) {
                if (invocation > 0) {
                    change(null);
                }
                invocation(plan, invocation, budget, byItem, found);
            }
        } finally {
            change(null);
        }
        if (settings.invocations() > 1 && !stopped) {
            byItem.stream()
                    .filter(rows -> rows.size() > 1)
                    .map(Invocations::aggregate)
                    .forEach(listener::aggregated);
        }
        return new Outcome(found.codes, found.inputFault, stopped);
    }

    private static final class Found {
        final Set<SequencedMap<String, Object>> codes = new LinkedHashSet<>();
        boolean inputFault;
    }

    private void invocation(Plan plan, int invocation, Budget budget, List<List<Row>> byItem, Found found) {
        Ceilings ceilings = new Ceilings();
        DeviceSession opened = session;
        String device = opened == null ? "" : opened.device();
        int rows = byItem.size();
        int number = 0;
        for (List<Plan.Item> group : plan.groups()) {
            int first = number;
            number += group.size();
            String its = group.getFirst().device();
            if (!stopped && !its.equals(device)) {
                device = its;
                change(session(device));
            }
            if (stopped) {
                return; // perhaps told so before there was this session to interrupt
            }
            List<Integer> included = new ArrayList<>();
            for (int i = 0; i < group.size(); i++) {
                Optional<Row> excluded = excluded(group.get(i));
                if (excluded.isEmpty()) {
                    included.add(first + i);
                } else if (invocation == 0) { // a later one need not say so again
                    listener.begins(first + i, List.of(group.get(i)));
                    listener.ends(first + i, excluded.get());
                }
            }
            for (List<Integer> some : fitting(included, plan)) {
                int left = settings.invocations() * rows - invocation * rows - some.getFirst();
                if (!measure(some, plan, invocation, budget.share(left), ceilings, byItem, found)) {
                    return;
                }
            }
        }
    }

    /** Measures some rows together; false when the run was told to stop. */
    private boolean measure(
            List<Integer> numbers,
            Plan plan,
            int invocation,
            OptionalDouble share,
            Ceilings ceilings,
            List<List<Row>> byItem,
            Found found) {
        List<Plan.Item> items = numbers.stream().map(plan.items()::get).toList();
        int before = invocation * byItem.size();
        listener.begins(before + numbers.getFirst(), items);
        if (share.isEmpty()) {
            for (int i = 0; i < items.size(); i++) {
                listener.ends(
                        before + numbers.get(i),
                        skipped(items.get(i), "the time of the run was spent before its turn came; --budget gives more")
                                .invocation(invocation)
                                .flag(BUDGET_SPENT)
                                .build());
            }
            return true;
        }
        List<DeviceSession.Finished> finished = requireNonNull(session)
                .measure(items.stream()
                        .map(item -> task(item, share.getAsDouble()))
                        .toList());
        for (int i = 0; i < finished.size(); i++) {
            DeviceSession.Finished done = finished.get(i);
            if (done.interrupted()) {
                continue; // others of the group may have been done before
            }
            found.inputFault |= done.inputFault();
            if (!done.code().isEmpty()) {
                found.codes.add(done.code());
            }
            Row row = ceilings.annotate(done.row()).toBuilder()
                    .invocation(invocation)
                    .build();
            byItem.get(numbers.get(i)).add(row);
            listener.ends(before + numbers.get(i), row);
        }
        return finished.stream().noneMatch(DeviceSession.Finished::interrupted);
    }

    /** Splits rows so that those measured together fit the device's memory side by side, and take turns often enough. */
    private List<List<Integer>> fitting(List<Integer> numbers, Plan plan) {
        List<Plan.Item> items = plan.items();
        List<List<Integer>> out = new ArrayList<>();
        List<Integer> current = new ArrayList<>();
        double taken = 0;
        for (int number : numbers) {
            double bytes = shareOfMemory(items.get(number));
            if (!current.isEmpty() && (taken + bytes > MOST_MEMORY || current.size() == MOST_TOGETHER)) {
                out.add(current);
                current = new ArrayList<>();
                taken = 0;
            }
            current.add(number);
            taken += bytes;
        }
        if (!current.isEmpty()) {
            out.add(current);
        }
        return out;
    }

    /** Where it is not known what a row takes or there is, rows are measured alone. */
    private double shareOfMemory(Plan.Item item) {
        DeviceValues values = settings.devices().get(item.device());
        if (values == null) {
            return 1;
        }
        Number memory = values.values().get("memory");
        try {
            return memory != null && item.kernel().instance(item.problem(), values) instanceof Resolution.Ready ready
                    ? ready.instance().bytes() / memory.doubleValue()
                    : 1;
        } catch (KernelFileException e) {
            return 1; // the worker meets it too, and makes it the row's
        }
    }

    private void change(@Nullable DeviceSession next) {
        DeviceSession old = session;
        session = next;
        if (old != null) {
            old.close();
        }
    }

    private Task task(Plan.Item item, double seconds) {
        Effort e = settings.effort();
        return new Task(
                item.kernel().name(),
                item.kernel().sourceSha256(),
                Task.json(item.problem()),
                settings.seed(),
                new Effort(e.minSamples(), e.minTime(), e.precision(), seconds),
                settings.model().map(Request.ModelLayers::name).orElse(null),
                settings.model().map(Request.ModelLayers::layers).orElse(null),
                settings.mode(),
                false,
                settings.dump().map(Path::toString).orElse(null));
    }

    /** A problem that a condition of the kernel file excludes takes no time, so it needs none of the budget. */
    private Optional<Row> excluded(Plan.Item item) {
        DeviceValues values = settings.devices().get(item.device());
        try {
            return values != null && item.kernel().instance(item.problem(), values) instanceof Resolution.Excluded out
                    ? Optional.of(skipped(item, out.reason()).build())
                    : Optional.empty();
        } catch (KernelFileException e) {
            return Optional.empty(); // the worker meets it too, and makes it this row's
        }
    }

    private Row.Builder skipped(Plan.Item item, String why) {
        return Row.builder(
                        item.device(),
                        item.kernel().name(),
                        "",
                        new LinkedHashMap<>(Task.json(item.problem())),
                        settings.mode().tag())
                .invocation(0)
                .status(Status.SKIPPED, why);
    }

    /** Ends the run at once; what is finished stays. */
    public void interrupt() {
        stopped = true;
        DeviceSession current = session;
        if (current != null) {
            current.interrupt();
        }
    }
}
