package dev.panamark.worker;

import static java.util.Objects.requireNonNull;

import dev.panamark.device.ProfilerProgram;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.DeviceValues;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.kernel.Resolution;
import dev.panamark.kernel.Step;
import dev.panamark.measure.Budget;
import dev.panamark.measure.Ceilings;
import dev.panamark.measure.Effort;
import dev.panamark.measure.Invocations;
import dev.panamark.measure.Mode;
import dev.panamark.measure.Plan;
import dev.panamark.measure.Request;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.telemetry.EnergyMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Works a plan off, row by row, within a budget. Used by one thread; {@link #interrupt} may come from another. */
public final class Conductor {

    /** The flag of a row that was skipped because the run's time was spent. */
    public static final String BUDGET_SPENT = "budget spent";

    /** Of a device's memory, for the buffers of rows measured together: the host keeps copies and expectations beside. */
    private static final double MOST_MEMORY = 0.2;

    /** Rows measured together; with more each would have its turn too seldom. */
    private static final int MOST_TOGETHER = 6;

    /** Of a launch, where an emulator counts in place of counters: the others take long and do alike. */
    private static final int EMULATED_BLOCKS = 64;

    /** Of a row's time, where its launches are counted as well. */
    private static final double FOR_COUNTERS = 0.25;

    /**
     * How to measure.
     *
     * @param seed of the run
     * @param effort for each row; its seconds, those of the budget, are replaced by the row's share
     * @param model that divides tokens by its layers
     * @param dump where the buffers of wrong rows go
     * @param kernelFiles the user's
     * @param cache for compiled kernels
     * @param mode state of the caches that launches find
     * @param energy how much time goes into the energy of each row
     * @param invocations how many workers measure each row, at least 1
     * @param devices what kernel files see of each device, by id
     * @param emulated ids of those that count and do not time: what one invocation counts, all would, so they are in
     *     the last
     * @param counters who counts what launches of timed rows do
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
            EnergyMode energy,
            int invocations,
            Map<String, DeviceValues> devices,
            Set<String> emulated,
            CounterSources counters,
            Deadlines deadlines) {}

    /** Rows that an earlier part of the run measured already. */
    @FunctionalInterface
    public interface Known {
        /** The row of this item in this invocation, if there is one. */
        Optional<Row> row(int invocation, Plan.Item item);
    }

    /** Hears how the run goes; called on the conducting thread. */
    public interface Listener {
        /** These rows, of which the first has this number (from 0), begin. */
        void begins(int number, List<Plan.Item> items);

        /** It ended. {@code code} identifies what ran; empty when nothing was loaded. */
        void ends(int number, Row row, SequencedMap<String, Object> code);

        /** Several invocations of one problem came to this; after all of them, where there are several. */
        default void aggregated(Row row) {}
    }

    /**
     * What was found.
     *
     * @param inputFault whether a row failed because of what a person wrote
     * @param interrupted whether the run was told to stop before its end
     */
    public record Outcome(boolean inputFault, boolean interrupted) {}

    private final Settings settings;
    private final Listener listener;
    private final WorkerCommand command;
    private volatile @Nullable DeviceSession session;
    private final Map<String, HardwareCounts> counts = new ConcurrentHashMap<>();
    private volatile boolean stopped;
    private boolean inputFault;

    /** Starts nothing yet. */
    public Conductor(Settings settings, Listener listener) {
        this(settings, listener, WorkerCommand.usual());
    }

    /** With workers that are started in another way. */
    public Conductor(Settings settings, Listener listener, WorkerCommand command) {
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
        return session(device, settings.energy(), command, Errand.MEASURE);
    }

    private DeviceSession session(String device, EnergyMode energy, WorkerCommand how, Errand errand) {
        return new DeviceSession(
                device, settings.kernelFiles(), settings.cache(), energy, settings.deadlines(), how, errand);
    }

    private HardwareCounts counts(String device) {
        return counts.computeIfAbsent(device, d -> new HardwareCounts(ways(d)));
    }

    private List<HardwareCounts.Named> ways(String device) {
        List<HardwareCounts.Named> ways = new ArrayList<>();
        ways.add(new HardwareCounts.Named(
                "counters",
                new WorkerCounting(device, () -> session(device, EnergyMode.OFF, command, Errand.COUNT), task -> task),
                false));
        if (requireNonNull(settings.counters().programs().get(device))
                instanceof Availability.Available<ProfilerProgram>(ProfilerProgram program)) {
            ways.add(new HardwareCounts.Named(
                    program.name(),
                    new ProgramCounting(
                            device, program, command, below -> session(device, EnergyMode.OFF, below, Errand.LAUNCH)),
                    false));
        }
        String emulation = settings.counters().emulations().get(device);
        if (emulation != null) {
            ways.add(new HardwareCounts.Named(
                    emulation,
                    new WorkerCounting(
                            emulation,
                            () -> session(emulation, EnergyMode.OFF, command, Errand.MEASURE),
                            task -> task.ofBlocks(EMULATED_BLOCKS)),
                    true));
        }
        return ways;
    }

    /**
     * Measures everything, or what the budget allows: all rows of the plan, then all of them again in fresh workers for
     * the next invocation.
     *
     * @param known rows that need not be measured again; nobody is told of them
     */
    public Outcome run(Plan plan, Budget budget, Known known) {
        List<List<Row>> byItem = new ArrayList<>();
        plan.items().forEach(item -> byItem.add(new ArrayList<>()));
        List<Optional<Resolution>> resolutions =
                plan.items().stream().map(this::resolve).toList();
        inputFault = false;
        List<Round> rounds = new ArrayList<>();
        for (int invocation = 0; invocation < settings.invocations(); invocation++) {
            rounds.add(new Round(plan, resolutions, invocation, known, byItem));
        }
        Shares shares = new Shares(
                budget,
                settings.effort().seconds(),
                rounds.stream().mapToInt(r -> r.size(false)).sum(),
                rounds.stream().mapToInt(r -> r.size(true)).sum());
        try {
            for (Round round : rounds) {
                if (round.invocation > 0 && !stopped) {
                    change(null);
                }
                round.run(shares);
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
        return new Outcome(inputFault, stopped);
    }

    /** One invocation of everything. */
    private final class Round {
        private final List<Plan.Item> items;
        private final List<Optional<Resolution>> resolutions;
        private final int invocation;
        private final List<List<Row>> byItem;
        private final Ceilings ceilings = new Ceilings();
        /** Numbers of rows that are to be measured together. */
        private final List<List<Integer>> groups = new ArrayList<>();

        private final SequencedMap<Integer, Row> excluded = new LinkedHashMap<>();

        Round(Plan plan, List<Optional<Resolution>> resolutions, int invocation, Known known, List<List<Row>> byItem) {
            this.items = plan.items();
            this.resolutions = resolutions;
            this.invocation = invocation;
            this.byItem = byItem;
            int number = 0;
            for (List<Plan.Item> group : plan.groups()) {
                List<Integer> included = new ArrayList<>();
                for (Plan.Item item : group) {
                    int its = number++;
                    Optional<Row> before = known.row(invocation, item);
                    if (invocation < settings.invocations() - 1 && isEmulated(item)) {
                        continue;
                    }
                    if (before.isPresent()) {
                        ceilings.annotate(before.get()); // which remembers those that are ceilings
                        byItem.get(its).add(before.get());
                    } else if (resolutions.get(its).orElse(null) instanceof Resolution.Excluded out) {
                        // Takes no time, so it needs none of the budget.
                        excluded.put(its, skipped(item, out.reason()).build());
                    } else {
                        included.add(its);
                    }
                }
                groups.addAll(fitting(included, items, resolutions));
            }
        }

        /** Rows that take time, on devices that are emulated or are not. */
        int size(boolean emulated) {
            return groups.stream()
                    .filter(group -> isEmulated(items.get(group.getFirst())) == emulated)
                    .mapToInt(List::size)
                    .sum();
        }

        void run(Shares shares) {
            if (invocation == 0 && !stopped) { // a later one need not say so again
                excluded.forEach((number, row) -> {
                    listener.begins(number, List.of(items.get(number)));
                    listener.ends(number, row, new LinkedHashMap<>());
                });
            }
            DeviceSession opened = session;
            String device = opened == null ? "" : opened.device();
            for (List<Integer> group : groups) {
                String its = items.get(group.getFirst()).device();
                if (!stopped && !its.equals(device)) {
                    device = its;
                    change(session(device));
                }
                if (stopped) {
                    return; // perhaps told so before there was this session to interrupt
                }
                listener.begins(
                        number(group.getFirst()), group.stream().map(items::get).toList());
                shares.next(isEmulated(items.get(group.getFirst())), group.size())
                        .ifPresentOrElse(seconds -> measure(group, seconds), () -> group.forEach(this::outOfTime));
            }
        }

        private int number(int item) {
            return invocation * items.size() + item;
        }

        private void outOfTime(int item) {
            Row row = skipped(
                            items.get(item), "the time of the run was spent before its turn came; --budget gives more")
                    .invocation(invocation)
                    .flag(BUDGET_SPENT)
                    .build();
            listener.ends(number(item), row, new LinkedHashMap<>());
        }

        private void measure(List<Integer> group, double seconds) {
            boolean counted = invocation == 0
                    && settings.counters().has(items.get(group.getFirst()).device());
            List<Task> tasks = group.stream()
                    .map(i -> task(items.get(i), counted ? (1 - FOR_COUNTERS) * seconds : seconds))
                    .toList();
            List<DeviceSession.Finished> finished = requireNonNull(session).measure(tasks);
            List<Integer> done = new ArrayList<>();
            for (int i = 0; i < finished.size(); i++) {
                if (!finished.get(i).interrupted()) {
                    done.add(i); // others of the group may have been interrupted
                }
            }
            List<Row> rows = done.stream().map(i -> finished.get(i).row()).toList();
            if (counted && !stopped) {
                rows = counted(
                        rows,
                        done.stream().map(i -> job(group.get(i), tasks.get(i))).toList());
            }
            for (int k = 0; k < rows.size(); k++) {
                int item = group.get(done.get(k));
                DeviceSession.Finished its = finished.get(done.get(k));
                inputFault |= its.inputFault();
                Row row = ceilings.annotate(rows.get(k)).toBuilder()
                        .invocation(invocation)
                        .build();
                byItem.get(item).add(row);
                listener.ends(number(item), row, its.code());
            }
        }

        private CountingWay.Job job(int item, Task task) {
            List<String> entries = resolutions.get(item).orElse(null) instanceof Resolution.Ready ready
                    ? ready.instance().steps().stream()
                            .filter(Step.Launch.class::isInstance)
                            .map(step -> ((Step.Launch) step).entry())
                            .toList()
                    : List.of();
            return new CountingWay.Job(task, entries);
        }

        /** With what their launches do. */
        private List<Row> counted(List<Row> rows, List<CountingWay.Job> jobs) {
            return rows.stream().anyMatch(HardwareCounts::wanted)
                    ? counts(rows.getFirst().device()).added(rows, jobs)
                    : rows;
        }
    }

    /** Splits rows so that those measured together fit the device's memory side by side, and take turns often enough. */
    private List<List<Integer>> fitting(
            List<Integer> numbers, List<Plan.Item> items, List<Optional<Resolution>> resolutions) {
        List<List<Integer>> out = new ArrayList<>();
        List<Integer> current = new ArrayList<>();
        double taken = 0;
        for (int number : numbers) {
            double bytes = shareOfMemory(items.get(number), resolutions.get(number));
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

    /** Where it is not known what a row takes, or how much there is, rows are measured alone. */
    private double shareOfMemory(Plan.Item item, Optional<Resolution> resolution) {
        DeviceValues values = settings.devices().get(item.device());
        Number memory = values == null ? null : values.values().get("memory");
        return memory != null && resolution.orElse(null) instanceof Resolution.Ready ready
                ? ready.instance().bytes() / memory.doubleValue()
                : 1;
    }

    private boolean isEmulated(Plan.Item item) {
        return settings.emulated().contains(item.device());
    }

    private void change(@Nullable DeviceSession next) {
        DeviceSession old = session;
        session = next;
        if (old != null) {
            old.close();
        }
    }

    private Task task(Plan.Item item, double seconds) {
        return new Task(
                item.kernel().name(),
                item.kernel().sourceSha256(),
                Task.json(item.problem()),
                settings.seed(),
                settings.effort().within(seconds),
                settings.model().map(Request.ModelLayers::name).orElse(null),
                settings.model().map(Request.ModelLayers::layers).orElse(null),
                settings.mode(),
                false,
                settings.dump().map(Path::toString).orElse(null));
    }

    /** What a problem becomes on its device; empty where that is not known, or faulty, which the worker says then. */
    private Optional<Resolution> resolve(Plan.Item item) {
        DeviceValues values = settings.devices().get(item.device());
        try {
            return values == null ? Optional.empty() : Optional.of(item.kernel().instance(item.problem(), values));
        } catch (KernelFileException e) {
            return Optional.empty();
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
        counts.values().forEach(HardwareCounts::interrupt);
    }
}
