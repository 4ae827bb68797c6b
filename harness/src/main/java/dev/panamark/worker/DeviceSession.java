package dev.panamark.worker;

import dev.panamark.measure.Phase;
import dev.panamark.result.ResultFileException;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * One device, measured in workers that come and go: a worker lives until it crashes, hangs or the session ends, and
 * costs the row that it was measuring. Used by one thread; {@link #interrupt} may come from another.
 */
public final class DeviceSession implements AutoCloseable {
    private final String device;
    private final List<Path> kernelFiles;
    private final Path cache;
    private final Deadlines deadlines;
    private final WorkerProcess.WorkerCommand command;
    private volatile @Nullable WorkerProcess worker;
    private volatile boolean interrupted;
    private @Nullable String lost;

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
    public DeviceSession(String device, List<Path> kernelFiles, Path cache, Deadlines deadlines) {
        this(device, kernelFiles, cache, deadlines, new JavaCommand());
    }

    DeviceSession(
            String device,
            List<Path> kernelFiles,
            Path cache,
            Deadlines deadlines,
            WorkerProcess.WorkerCommand command) {
        this.device = device;
        this.kernelFiles = List.copyOf(kernelFiles);
        this.cache = cache;
        this.deadlines = deadlines;
        this.command = command;
    }

    /** The device's id. */
    String device() {
        return device;
    }

    /** Starts a worker now; where that fails, the first row says why. */
    void open() {
        try {
            running();
        } catch (WorkerProcess.WorkerGone e) {
            discard();
        }
    }

    /** Measures one row; whatever goes wrong is in the row. */
    public Finished measure(Task task) {
        if (lost != null) {
            return gone(task, new LinkedHashMap<>(), Status.FAILED, lost);
        }
        Phase phase = Phase.LOAD;
        SequencedMap<String, Object> code = new LinkedHashMap<>();
        try {
            WorkerProcess current = running();
            current.send(new Message.Measure(task));
            while (true) {
                Message m = current.receive(deadlines.of(phase, task.effort()), phase.tag());
                if (m instanceof Message.Entered entered) {
                    phase = entered.phase();
                } else if (m instanceof Message.Loaded loaded) {
                    code = loaded.code();
                } else if (m instanceof Message.Done done) {
                    return new Finished(row(done), done.code(), done.inputFault(), false);
                } else {
                    throw new WorkerProcess.WorkerGone("the worker said " + m + " instead of a row", false);
                }
            }
        } catch (WorkerProcess.WorkerGone e) {
            discard();
            return e.late()
                    ? gone(task, code, Status.TIMEOUT, e.reason() + "; --timeout allows more")
                    : gone(task, code, Status.FAILED, e.reason() + " (while it was in phase " + phase.tag() + ")");
        }
    }

    private static Row row(Message.Done done) throws WorkerProcess.WorkerGone {
        try {
            return Row.fromJson(done.row());
        } catch (ResultFileException e) {
            throw new WorkerProcess.WorkerGone("the worker sent a row that is none: " + e.getMessage(), false);
        }
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
                kernelFiles.stream().map(Path::toString).toList()));
        Message answer = fresh.receive(deadlines.toOpen(), "opening " + device);
        return switch (answer) {
            case Message.Opened opened -> fresh;
            case Message.Refused refused -> throw new WorkerProcess.WorkerGone(refused.reason(), false);
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

    private Finished gone(Task task, SequencedMap<String, Object> code, Status status, String reason) {
        String image = code.get("image") instanceof String hash ? hash : "";
        Row row = Row.builder(device, task.kernel(), image, task.problem(), "hot")
                .invocation(0)
                .status(status, reason)
                .build();
        return new Finished(row, code, false, interrupted);
    }

    /** Ends the worker now, whatever it is doing. */
    public void interrupt() {
        interrupted = true;
        WorkerProcess current = worker;
        if (current != null) {
            current.kill();
        }
    }

    @Override
    public void close() {
        WorkerProcess old = worker;
        worker = null;
        if (old != null) {
            old.close();
        }
    }
}
