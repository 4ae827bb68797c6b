package dev.panamark.worker;

import dev.panamark.measure.Phase;
import dev.panamark.measure.RowMeasurement;
import dev.panamark.result.ResultFileException;
import dev.panamark.result.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/** What a worker has said so far about the rows that it was given together. */
final class Conversation {
    private final List<Task> tasks;
    private final DeviceSession.@Nullable Finished[] finished;
    private final List<SequencedMap<String, Object>> codes = new ArrayList<>();
    private Phase phase = Phase.LOAD;
    private int current;
    private @Nullable String broken;
    private @Nullable String refused;

    /** Nothing is said yet. */
    Conversation(List<Task> tasks) {
        this.tasks = List.copyOf(tasks);
        this.finished = new DeviceSession.Finished[tasks.size()];
        tasks.forEach(task -> codes.add(new LinkedHashMap<>()));
    }

    /** What it was given. */
    List<Task> tasks() {
        return tasks;
    }

    /** Takes in what it says next. */
    void hear(Message message) throws WorkerProcess.WorkerGone {
        switch (message) {
            case Message.Entered entered -> {
                current = entered.row() == RowMeasurement.Listener.ALL ? entered.row() : known(entered.row());
                phase = entered.phase();
            }
            case Message.Loaded loaded -> codes.set(known(loaded.row()), loaded.code());
            case Message.Done done ->
                finished[known(done.number())] =
                        new DeviceSession.Finished(row(done), done.code(), done.inputFault(), false);
            case Message.Broken says -> broken = says.reason();
            case Message.Refused says -> refused = says.reason();
            default -> throw new WorkerProcess.WorkerGone("the worker said " + message + " instead of a row", false);
        }
    }

    /** Why the worker has ended without being to blame for it; empty while it has not. */
    Optional<String> broken() {
        return Optional.ofNullable(broken);
    }

    /** Why the worker does none of these rows, whatever they are; empty while it has not said so. */
    Optional<String> refused() {
        return Optional.ofNullable(refused);
    }

    private int known(int row) throws WorkerProcess.WorkerGone {
        if (row < 0 || row >= tasks.size()) {
            throw new WorkerProcess.WorkerGone(
                    "the worker spoke of row " + row + " of " + tasks.size() + " rows", false);
        }
        return row;
    }

    private static Row row(Message.Done done) throws WorkerProcess.WorkerGone {
        try {
            return Row.fromJson(done.row());
        } catch (ResultFileException e) {
            throw new WorkerProcess.WorkerGone("the worker sent a row that is none: " + e.getMessage(), false);
        }
    }

    /** Whether nothing more will be said. */
    boolean isOver() {
        return firstLeft().isEmpty() || broken != null || refused != null;
    }

    /** Where the worker is. */
    Phase phase() {
        return phase;
    }

    /** Seconds that all rows together may take. */
    double seconds() {
        return tasks.stream().mapToDouble(t -> t.effort().seconds()).sum();
    }

    /** The row whose doing it is when the worker ends now; empty while several take turns. */
    OptionalInt culprit() {
        if (current == RowMeasurement.Listener.ALL) {
            return OptionalInt.empty();
        }
        return finished[current] == null ? OptionalInt.of(current) : firstLeft();
    }

    private OptionalInt firstLeft() {
        for (int i = 0; i < finished.length; i++) {
            if (finished[i] == null) {
                return OptionalInt.of(i);
            }
        }
        return OptionalInt.empty();
    }

    /** What identifies the code of a row, as far as it was loaded. */
    SequencedMap<String, Object> code(int row) {
        return codes.get(row);
    }

    /** A row that is finished. */
    Optional<DeviceSession.Finished> finished(int row) {
        return Optional.ofNullable(finished[row]);
    }
}
