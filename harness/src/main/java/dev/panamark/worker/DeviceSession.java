package dev.panamark.worker;

import dev.panamark.measure.Phase;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import dev.panamark.telemetry.EnergyMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SequencedMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One device, measured in workers that come and go: a worker lives until it crashes, hangs or the session ends, and
 * costs the row that it was measuring. Used by one thread; {@link #interrupt} may come from another.
 */
public final class DeviceSession implements AutoCloseable {
    private static final int MOST_FRUITLESS = 3;

    private final String device;
    private final List<Path> kernelFiles;
    private final Path cache;
    private final EnergyMode energy;
    private final Deadlines deadlines;
    private final WorkerCommand command;
    private final Errand errand;
    private volatile @Nullable WorkerProcess worker;
    private volatile boolean interrupted;
    private @Nullable String lost;
    private @Nullable String refused;

    /** Workers that found the device broken before they had done a row, one after the other. */
    private int fruitless;

    /**
     * What became of a row.
     *
     * @param row always there
     * @param code what identifies the code; empty when it was not loaded
     * @param inputFault whether it failed because of what a person wrote
     * @param interrupted whether the row was given up because this session was told to stop
     */
    public record Finished(Row row, SequencedMap<String, Object> code, boolean inputFault, boolean interrupted) {}

    /** Starts nothing yet. */
    DeviceSession(
            String device,
            List<Path> kernelFiles,
            Path cache,
            EnergyMode energy,
            Deadlines deadlines,
            WorkerCommand command,
            Errand errand) {
        this.device = device;
        this.kernelFiles = List.copyOf(kernelFiles);
        this.cache = cache;
        this.energy = energy;
        this.deadlines = deadlines;
        this.command = command.on(device);
        this.errand = errand;
    }

    /** The device's id. */
    String device() {
        return device;
    }

    /** Why its workers do no row at all, whatever it is; empty as long as they have not said so. */
    Optional<String> refused() {
        return Optional.ofNullable(refused);
    }

    /** Starts a worker now; where that fails, the first row says why. */
    void open() {
        try {
            running();
        } catch (WorkerProcess.WorkerGone e) {
            discard();
        }
    }

    /**
     * Measures rows together; whatever goes wrong is in the row that it belongs to. Where a worker ends while several
     * rows take turns nobody knows whose doing that was, and those that are left are measured one by one.
     *
     * @return in the order of {@code tasks}
     */
    public List<Finished> measure(List<Task> tasks) {
        Finished[] done = new Finished[tasks.size()];
        List<Integer> left = new ArrayList<>();
        for (int i = 0; i < tasks.size(); i++) {
            left.add(i);
        }
        boolean together = true;
        while (!left.isEmpty()) {
            together &= attempt(tasks, together ? List.copyOf(left) : List.of(left.getFirst()), done);
            left.removeIf(i -> done[i] != null);
        }
        return List.of(done);
    }

    /**
     * Measures some of the rows, as far as one worker gets.
     *
     * @return whether they may go on together; if so, at least one of them is done, or the device was broken before
     */
    private boolean attempt(List<Task> tasks, List<Integer> some, @Nullable Finished[] done) {
        Conversation conversation =
                new Conversation(some.stream().map(tasks::get).toList());
        Optional<WorkerProcess.WorkerGone> gone = converse(conversation);
        for (int i = 0; i < some.size(); i++) {
            done[some.get(i)] = conversation.finished(i).orElse(null);
        }
        if (gone.isEmpty()) {
            return true;
        }
        OptionalInt culprit = conversation.culprit();
        for (int i = 0; i < some.size(); i++) {
            boolean its = culprit.isPresent() && culprit.getAsInt() == i;
            if (done[some.get(i)] == null && (its || interrupted || lost != null)) {
                done[some.get(i)] = gone(conversation, i, gone.get());
            }
        }
        return culprit.isPresent();
    }

    /** Has the rows measured; why the worker ended, where it did before it was done. */
    private Optional<WorkerProcess.WorkerGone> converse(Conversation conversation) {
        if (lost != null) {
            return Optional.of(new WorkerProcess.WorkerGone(lost, false));
        }
        try {
            WorkerProcess current = running();
            current.send(new Message.Measure(conversation.tasks(), errand));
            while (!conversation.isOver()) {
                Phase phase = conversation.phase();
                conversation.hear(current.receive(deadlines.of(phase, conversation.seconds()), phase.tag()));
            }
            if (conversation.refused().isPresent()) {
                refused = conversation.refused().get();
                throw new WorkerProcess.WorkerGone(refused, false);
            }
            Optional<String> broken = conversation.broken();
            broken.ifPresent(why -> discard());
            return broken.flatMap(why -> fruitless(conversation, why));
        } catch (WorkerProcess.WorkerGone e) {
            discard();
            return Optional.of(e);
        }
    }

    /** A device that breaks again and again before a row is done is no row's doing, and there must be an end to it. */
    private Optional<WorkerProcess.WorkerGone> fruitless(Conversation conversation, String why) {
        boolean some = IntStream.range(0, conversation.tasks().size())
                .anyMatch(i -> conversation.finished(i).isPresent());
        fruitless = some ? 0 : fruitless + 1;
        return fruitless < MOST_FRUITLESS
                ? Optional.empty()
                : Optional.of(new WorkerProcess.WorkerGone(
                        device + " broke in " + fruitless + " workers before a row was done: " + why, false));
    }

    private Finished gone(Conversation conversation, int number, WorkerProcess.WorkerGone why) {
        Task task = conversation.tasks().get(number);
        SequencedMap<String, Object> code = conversation.code(number);
        String image = code.get("image") instanceof String hash ? hash : "";
        Row row = Row.builder(
                        device,
                        task.kernel(),
                        image,
                        task.problem(),
                        task.mode().tag())
                .invocation(0)
                .status(why.late() ? Status.TIMEOUT : Status.FAILED, reason(why, conversation))
                .build();
        return new Finished(row, code, false, interrupted);
    }

    private String reason(WorkerProcess.WorkerGone why, Conversation conversation) {
        if (why.late()) {
            return why.reason() + "; --timeout allows more";
        }
        return refused == null
                ? why.reason() + " (while it was in phase "
                        + conversation.phase().tag() + ")"
                : why.reason();
    }

    private WorkerProcess running() throws WorkerProcess.WorkerGone {
        WorkerProcess current = worker;
        if (current != null && current.isAlive()) {
            return current;
        }
        discard();
        if (interrupted) {
            throw new WorkerProcess.WorkerGone("interrupted", false);
        }
        WorkerProcess fresh = WorkerProcess.start(command, deadlines.starting(), () -> interrupted);
        worker = fresh;
        if (interrupted) {
            // Between the last look while it started and the line above, nobody could see that there is one to end.
            throw new WorkerProcess.WorkerGone("interrupted while a worker started", false);
        }
        fresh.send(new Message.Open(
                device,
                cache.toString(),
                kernelFiles.stream().map(Path::toString).toList(),
                energy));
        Message answer = fresh.receive(deadlines.toOpen(), "opening " + device);
        return switch (answer) {
            case Message.Opened opened -> fresh;
            case Message.Refused says -> {
                refused = says.reason();
                throw new WorkerProcess.WorkerGone(says.reason(), false);
            }
            default -> throw new WorkerProcess.WorkerGone("the worker said " + answer + " instead of 'opened'", false);
        };
    }

    /** A worker that cannot be ended still holds the device: no row of it can be measured any more. */
    private void discard() {
        WorkerProcess old = worker;
        worker = null;
        if (old != null) {
            if (!old.kill()) {
                lost = device + " is given up: its worker (process " + old.pid() + ") cannot be ended";
            }
            old.close();
        }
    }

    /** Ends the worker now, whatever it is doing. */
    public void interrupt() {
        interrupted = true;
        WorkerProcess current = worker;
        if (current != null) {
            current.kill();
        }
    }

    /** Ends the worker, which gets so long to do so by itself; what watched it may have a report to write. */
    void close(Duration patience) {
        WorkerProcess old = worker;
        worker = null;
        if (old != null) {
            old.close(patience);
        }
    }

    @Override
    public void close() {
        close(WorkerProcess.PATIENCE);
    }
}
