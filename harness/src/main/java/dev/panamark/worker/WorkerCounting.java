package dev.panamark.worker;

import dev.panamark.result.Row;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Workers of their own that count: by reading the counters of their launches, or by emulating them. */
final class WorkerCounting implements CountingWay {
    private final String device;
    private final Supplier<DeviceSession> sessions;
    private final UnaryOperator<Task> as;
    private volatile @Nullable DeviceSession session;
    private volatile boolean interrupted;
    private Optional<String> refused = Optional.empty();

    /**
     * Starts nothing yet.
     *
     * @param sessions makes one whose rows hold counts
     * @param as what a task becomes to be counted
     */
    WorkerCounting(String device, Supplier<DeviceSession> sessions, UnaryOperator<Task> as) {
        this.device = device;
        this.sessions = sessions;
        this.as = as;
    }

    @Override
    public List<Row> count(List<Job> jobs) {
        Optional<String> why = interrupted ? Optional.of("interrupted") : refused;
        if (why.isPresent()) {
            return jobs.stream().map(job -> job.not(device, why.get())).toList();
        }
        try (DeviceSession opened = sessions.get()) {
            session = opened;
            if (interrupted) {
                opened.interrupt(); // before there was a session to interrupt
            }
            List<DeviceSession.Finished> finished =
                    opened.measure(jobs.stream().map(Job::task).map(as).toList());
            refused = opened.refused();
            return finished.stream().map(DeviceSession.Finished::row).toList();
        } finally {
            session = null;
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
