package dev.panamark.worker;

import dev.panamark.device.DeviceException;
import dev.panamark.device.ProfilerProgram;
import dev.panamark.measure.Mode;
import dev.panamark.measure.ProfileMetrics;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Workers that run below a program that counts: one for each row, as the program tells of all launches of a process. */
final class ProgramCounting implements CountingWay {
    /** For the program to write its report once the worker has ended. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String device;
    private final ProfilerProgram program;
    private final WorkerCommand usual;
    private final Function<WorkerCommand, DeviceSession> sessions;
    private volatile @Nullable DeviceSession session;
    private volatile boolean interrupted;

    /**
     * Starts nothing yet.
     *
     * @param usual how workers are started without it
     * @param sessions makes one for {@link Errand#LAUNCH}
     */
    ProgramCounting(
            String device,
            ProfilerProgram program,
            WorkerCommand usual,
            Function<WorkerCommand, DeviceSession> sessions) {
        this.device = device;
        this.program = program;
        this.usual = usual.on(device);
        this.sessions = sessions;
    }

    @Override
    public List<Row> count(List<Job> jobs) {
        List<Row> rows = new ArrayList<>();
        for (Job job : jobs) {
            rows.add(interrupted ? job.not(device, "interrupted") : counted(job));
        }
        return rows;
    }

    private Row counted(Job job) {
        try {
            Path folder = Files.createTempDirectory("panamark-counters");
            try {
                return counted(job, folder.resolve("report"));
            } finally {
                Folders.delete(folder);
            }
        } catch (IOException | UncheckedIOException e) {
            return job.not(device, "the report of " + program.name() + ": " + e);
        }
    }

    private Row counted(Job job, Path report) {
        ProfilerProgram.Launches launches = new ProfilerProgram.Launches(
                job.entries(),
                job.entries().size(),
                job.entries().size(),
                job.task().mode() == Mode.COLD);
        List<String> before = program.before(launches, report);
        WorkerCommand below = (folder, socket) -> {
            List<String> line = new ArrayList<>(before);
            line.addAll(usual.line(folder, socket));
            return line;
        };
        DeviceSession opened = sessions.apply(below);
        session = opened;
        Row launched;
        try {
            launched = opened.measure(List.of(job.task())).getFirst().row();
        } finally {
            session = null;
            opened.close(PATIENCE);
        }
        if (launched.status() != Status.OK) {
            return launched;
        }
        try {
            return ProfileMetrics.add(launched.toBuilder(), program.read(report, launches))
                    .build();
        } catch (DeviceException e) {
            return job.not(device, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void interrupt() {
        interrupted = true;
        DeviceSession current = session;
        if (current != null) {
            current.interrupt();
        }
    }
}
