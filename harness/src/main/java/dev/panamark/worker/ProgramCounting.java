package dev.panamark.worker;

import dev.panamark.device.DeviceException;
import dev.panamark.device.ProfilerProgram;
import dev.panamark.measure.Mode;
import dev.panamark.measure.ProfileMetrics;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
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
                return counted(job, folder);
            } finally {
                delete(folder);
            }
        } catch (IOException e) {
            return job.not(device, "the report of " + program.name() + ": " + e);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private Row counted(Job job, Path folder) {
        ProfilerProgram.Launches launches = new ProfilerProgram.Launches(
                job.entries(),
                job.entries().size(),
                job.entries().size(),
                job.task().mode() == Mode.COLD);
        List<ProfilerProgram.Run> runs = new ArrayList<>();
        Row launched = job.not(device, program.name() + " was not run");
        for (int run = 0; run < program.runs(); run++) {
            Path report = folder.resolve("report" + run);
            Row row = launched(job, program.before(launches, run, report));
            if (interrupted) {
                return job.not(device, "interrupted");
            }
            boolean right = row.status() == Status.OK;
            launched = right || run == 0 ? row : launched;
            runs.add(new ProfilerProgram.Run(
                    report, right ? Optional.empty() : Optional.of(String.valueOf(row.reason()))));
        }
        try {
            return ProfileMetrics.add(launched.toBuilder().ok(), program.read(runs, launches))
                    .build();
        } catch (DeviceException e) {
            return job.not(device, String.valueOf(e.getMessage()));
        }
    }

    private Row launched(Job job, List<String> before) {
        WorkerCommand below = (folder, socket) -> {
            List<String> line = new ArrayList<>(before);
            line.addAll(usual.line(folder, socket));
            return line;
        };
        DeviceSession opened = sessions.apply(below);
        session = opened;
        if (interrupted) {
            opened.interrupt(); // before there was a session to interrupt
        }
        try {
            return opened.measure(List.of(job.task())).getFirst().row();
        } finally {
            session = null;
            opened.close(PATIENCE);
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
