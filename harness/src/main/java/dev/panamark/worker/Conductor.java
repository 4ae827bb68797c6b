package dev.panamark.worker;

import dev.panamark.kernel.DeviceValues;
import dev.panamark.kernel.KernelFileException;
import dev.panamark.kernel.Resolution;
import dev.panamark.measure.Budget;
import dev.panamark.measure.Ceilings;
import dev.panamark.measure.Effort;
import dev.panamark.measure.Invocations;
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

    /**
     * How to measure.
     *
     * @param seed of the run
     * @param effort for each row; its seconds are replaced by the row's share of the budget
     * @param model that divides tokens by its layers
     * @param dump where the buffers of wrong rows go
     * @param kernelFiles the user's
     * @param cache for compiled kernels
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
            int invocations,
            Map<String, DeviceValues> devices,
            Deadlines deadlines) {}

    /** Hears how the run goes; called on the conducting thread. */
    public interface Listener {
        /** The row of this number (from 0) begins. */
        void begins(int number, Plan.Item item);

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
            java.util.Objects.requireNonNull(session).open();
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
        List<Plan.Item> items = plan.items();
        List<List<Row>> byItem = new ArrayList<>();
        items.forEach(item -> byItem.add(new ArrayList<>()));
        Found found = new Found();
        try {
            for (int invocation = 0; invocation < settings.invocations() && !stopped; invocation++) {
                if (invocation > 0) {
                    change(null);
                }
                invocation(items, invocation, budget, byItem, found);
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

    private void invocation(List<Plan.Item> items, int invocation, Budget budget, List<List<Row>> byItem, Found found) {
        Ceilings ceilings = new Ceilings();
        DeviceSession opened = session;
        String device = opened == null ? "" : opened.device();
        int before = invocation * items.size();
        int all = settings.invocations() * items.size();
        for (int i = 0; i < items.size() && !stopped; i++) {
            Plan.Item item = items.get(i);
            if (!item.device().equals(device)) {
                device = item.device();
                change(session(device));
                if (stopped) {
                    return; // told so before there was this session to interrupt
                }
            }
            Optional<Row> excluded = excluded(item);
            if (excluded.isPresent() && invocation > 0) {
                continue; // the first invocation has said so
            }
            listener.begins(before + i, item);
            if (excluded.isPresent()) {
                listener.ends(before + i, excluded.get());
                continue;
            }
            OptionalDouble share = budget.share(all - before - i);
            if (share.isEmpty()) {
                listener.ends(
                        before + i,
                        skipped(item, "the time of the run was spent before its turn came; --budget gives more")
                                .invocation(invocation)
                                .flag(BUDGET_SPENT)
                                .build());
                continue;
            }
            DeviceSession.Finished done =
                    java.util.Objects.requireNonNull(session).measure(task(item, share.getAsDouble()));
            if (done.interrupted()) {
                return;
            }
            found.inputFault |= done.inputFault();
            if (!done.code().isEmpty()) {
                found.codes.add(done.code());
            }
            Row row = ceilings.annotate(done.row()).toBuilder()
                    .invocation(invocation)
                    .build();
            byItem.get(i).add(row);
            listener.ends(before + i, row);
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

    private static Row.Builder skipped(Plan.Item item, String why) {
        return Row.builder(
                        item.device(), item.kernel().name(), "", new LinkedHashMap<>(Task.json(item.problem())), "hot")
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
