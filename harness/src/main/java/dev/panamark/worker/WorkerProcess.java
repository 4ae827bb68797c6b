package dev.panamark.worker;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The parent's side of one worker JVM: starts it, talks to it with deadlines, ends it, and says why it died. Used by
 * one thread; {@link #kill} may come from another.
 */
final class WorkerProcess implements AutoCloseable {
    private static final Duration LAST_WORDS = Duration.ofSeconds(10);

    /** A worker that is dying is gone by then; one that is not has said something that nobody understands. */
    private static final Duration DYING = Duration.ofSeconds(1);

    /** What a worker that has nothing to do takes to end, and more. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final String SOCKET = "s";

    private final Process process;
    private final Path folder;
    private final Wire wire;
    private final LinkedBlockingQueue<Optional<Message>> inbox = new LinkedBlockingQueue<>();
    private volatile @Nullable String broken;

    private WorkerProcess(Process process, Path folder, Wire wire) {
        this.process = process;
        this.folder = folder;
        this.wire = wire;
    }

    /** A worker could not be started, or died, or missed a deadline. */
    static final class WorkerGone extends Exception {
        private static final long serialVersionUID = 1L;
        private final boolean late;

        WorkerGone(String reason, boolean late) {
            super(reason);
            this.late = late;
        }

        /** Whether it was alive but too slow. */
        boolean late() {
            return late;
        }

        String reason() {
            return String.valueOf(getMessage());
        }
    }

    /**
     * Starts one and waits until it has connected.
     *
     * @param deadline for that
     * @param givenUp asked while waiting; when true, the wait ends
     */
    static WorkerProcess start(WorkerCommand command, Duration deadline, BooleanSupplier givenUp) throws WorkerGone {
        Path folder = null;
        Process process = null;
        try {
            folder = Folders.forSocket(List.of(Path.of(System.getProperty("java.io.tmpdir")), Path.of("/tmp")), SOCKET);
            Path socket = folder.resolve(SOCKET);
            try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                server.bind(UnixDomainSocketAddress.of(socket));
                server.configureBlocking(false);
                ProcessBuilder builder = new ProcessBuilder(command.line(folder, socket))
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("output").toFile())
                        .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")));
                // A JVM takes flags from these, which no result would show.
                builder.environment()
                        .keySet()
                        .removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));
                process = builder.start();
                WorkerProcess worker = new WorkerProcess(
                        process, folder, new Wire(accept(server, process, folder, deadline, givenUp)));
                Thread.ofPlatform().name("worker-wire").daemon().start(worker::listen);
                return worker;
            }
        } catch (IOException e) {
            remove(process, folder);
            throw new WorkerGone("a worker could not be started: " + e.getMessage(), false);
        } catch (WorkerGone e) {
            remove(process, folder);
            throw e;
        }
    }

    private static void remove(@Nullable Process process, @Nullable Path folder) {
        if (process != null) {
            end(process);
        }
        Folders.delete(folder);
    }

    private static SocketChannel accept(
            ServerSocketChannel server, Process process, Path folder, Duration deadline, BooleanSupplier givenUp)
            throws IOException, WorkerGone {
        long end = System.nanoTime() + deadline.toNanos();
        while (true) {
            SocketChannel channel = server.accept();
            if (channel != null) {
                channel.configureBlocking(true);
                return channel;
            }
            if (givenUp.getAsBoolean()) {
                throw new WorkerGone("interrupted while a worker started", false);
            }
            if (!process.isAlive()) {
                throw new WorkerGone("a worker ended before it began: " + LastWords.of(folder, process), false);
            }
            if (System.nanoTime() - end > 0) {
                throw new WorkerGone(
                        "a worker did not connect within " + deadline.toMillis() / 1000.0 + " s"
                                + LastWords.tail(folder),
                        true);
            }
            try {
                Thread.sleep(2);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new WorkerGone("interrupted while a worker started", false);
            }
        }
    }

    private void listen() {
        try {
            for (Optional<Message> m = wire.receive(); m.isPresent(); m = wire.receive()) {
                inbox.add(m);
            }
        } catch (IOException e) {
            broken = e.getMessage(); // half a line, if the worker is dying
        }
        inbox.add(Optional.empty());
    }

    void send(Message message) throws WorkerGone {
        try {
            wire.send(message);
        } catch (IOException e) {
            throw new WorkerGone(death(), false);
        }
    }

    /** The next message, within the deadline. */
    Message receive(Duration deadline, String doing) throws WorkerGone {
        try {
            Optional<Message> m = inbox.poll(deadline.toNanos(), TimeUnit.NANOSECONDS);
            if (m == null) {
                throw new WorkerGone(
                        doing + " did not end within " + deadline.toMillis() / 1000.0 + " s; the worker was killed",
                        true);
            }
            if (m.isEmpty()) {
                throw new WorkerGone(death(), false);
            }
            return m.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WorkerGone("interrupted", false);
        }
    }

    private String death() {
        String garbage = broken;
        try {
            process.waitFor((garbage == null ? LAST_WORDS : DYING).toMillis(), TimeUnit.MILLISECONDS);
            if (garbage != null && process.isAlive()) {
                return garbage + "; the worker was killed";
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return LastWords.of(folder, process);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Ends it at once.
     *
     * @return whether it is gone; false when it hangs in the kernel and cannot be ended
     */
    boolean kill() {
        return end(process);
    }

    private static boolean end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly); // compilers, and what a kernel has forked
        process.destroyForcibly();
        try {
            return process.waitFor(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !process.isAlive();
        }
    }

    /** Process id, for tests and messages. */
    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        close(PATIENCE);
    }

    /** Ends it, and at once where it has not ended by itself in that time. */
    void close(Duration patience) {
        wire.close();
        try {
            if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
        Folders.delete(folder);
    }
}
