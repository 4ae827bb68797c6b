package dev.panamark.cli;

import dev.panamark.driver.host.HostLibraryException;
import dev.panamark.driver.host.HostProcess;
import dev.panamark.measure.HostClock;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A command that runs with this process's input and outputs, and when it ended. */
final class Child {
    /** How the JDK says why a program was not started: "error=2, ..." or "error: 2 (...)"; the number is errno's. */
    private static final Pattern ERRNO = Pattern.compile("error[=:] ?([0-9]+)");

    private static final int NOT_FOUND = 2;
    private static final List<Integer> NOT_EXECUTABLE = List.of(8, 13, 20, 21, 26);

    private final Process process;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile long ended;

    /** A command that could not be started, and the exit status that says so. */
    static final class NotStarted extends Exception {
        private static final long serialVersionUID = 1L;
        private final int status;

        NotStarted(int status, String message, IOException cause) {
            super(message, cause);
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    private Child(Process process, HostClock clock) {
        this.process = process;
        Thread.ofPlatform().daemon().name("child").start(() -> {
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            ended = clock.nanos();
            over.countDown();
        });
    }

    /**
     * Starts it.
     *
     * @param env all of its environment
     * @throws NotStarted with 127 when there is no such program, 126 when it cannot be executed
     */
    static Child start(List<String> command, Map<String, String> env, HostClock clock) throws NotStarted {
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().clear();
        builder.environment().putAll(env);
        try {
            return new Child(builder.start(), clock);
        } catch (IOException e) {
            throw notStarted(command.getFirst(), e);
        }
    }

    private static NotStarted notStarted(String program, IOException e) {
        Matcher m = ERRNO.matcher(String.valueOf(e.getMessage()));
        int errno = m.find() ? Integer.parseInt(m.group(1)) : 0;
        if (errno == NOT_FOUND) {
            return new NotStarted(
                    EnergyCommand.NOT_FOUND,
                    "'" + program + "' is not there" + (program.contains("/") ? "" : ", in no folder of PATH"),
                    e);
        }
        if (NOT_EXECUTABLE.contains(errno)) {
            return new NotStarted(
                    EnergyCommand.NOT_EXECUTABLE,
                    "'" + program + "' cannot be executed: make it a program that this machine runs (chmod +x)",
                    e);
        }
        return new NotStarted(
                EnergyCommand.OWN_FAILURE, "'" + program + "' could not be started: " + e.getMessage(), e);
    }

    /** Waits for its end, but no longer than {@code nanos}; whether it has ended. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        return over.await(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }

    /** When it ended; once it has. */
    long ended() {
        return ended;
    }

    /** Its exit status, 128 + n where signal n ended it; once it has ended. */
    int status() {
        return process.exitValue();
    }

    /** Passes a signal on. */
    void signal(int number) {
        if (process.isAlive()) {
            try {
                boolean there = HostProcess.signal(process.pid(), number);
                assert there || !process.isAlive() : "a process that lives takes signals";
            } catch (HostLibraryException e) {
                // Another user's process (sudo): it gets the terminal's signals, and ours are not for it.
                return;
            }
        }
    }
}
