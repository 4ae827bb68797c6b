package dev.panamark.worker;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The parent's side of one worker JVM: starts it, talks to it with deadlines, ends it, and says why it died. Used by
 * one thread; {@link #kill} may come from another.
 */
final class WorkerProcess implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration LAST_WORDS = Duration.ofSeconds(10);

    private final Process process;
    private final Path folder;
    private final Wire wire;
    private final LinkedBlockingQueue<Optional<Message>> inbox = new LinkedBlockingQueue<>();

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

    static WorkerProcess start(WorkerCommand command) throws WorkerGone {
        Path folder = null;
        Process process = null;
        try {
            folder = Files.createTempDirectory("panamark-worker");
            Path socket = folder.resolve("s");
            try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                server.bind(UnixDomainSocketAddress.of(socket));
                server.configureBlocking(false);
                process = new ProcessBuilder(command.line(folder, socket))
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("output").toFile())
                        .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")))
                        .start();
                WorkerProcess worker = new WorkerProcess(process, folder, new Wire(accept(server, process, folder)));
                Thread.ofPlatform().name("worker-wire").daemon().start(worker::listen);
                return worker;
            }
        } catch (IOException e) {
            if (process != null) {
                process.destroyForcibly();
            }
            Folders.delete(folder);
            throw new WorkerGone("a worker could not be started: " + e.getMessage(), false);
        } catch (WorkerGone e) {
            if (process != null) {
                process.destroyForcibly();
            }
            Folders.delete(folder);
            throw e;
        }
    }

    private static java.nio.channels.SocketChannel accept(ServerSocketChannel server, Process process, Path folder)
            throws IOException, WorkerGone {
        long end = System.nanoTime() + START.toNanos();
        while (true) {
            java.nio.channels.SocketChannel channel = server.accept();
            if (channel != null) {
                channel.configureBlocking(true);
                return channel;
            }
            if (!process.isAlive()) {
                throw new WorkerGone("a worker ended before it began: " + LastWords.of(folder, process), false);
            }
            if (System.nanoTime() > end) {
                throw new WorkerGone(
                        "a worker did not begin within " + START.toSeconds() + " s: " + LastWords.of(folder, process),
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
            // A dying worker may leave half a line; that it is gone is all there is to know.
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
        try {
            process.waitFor(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
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
        wire.close();
        try {
            if (!process.waitFor(2, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
        Folders.delete(folder);
    }

    /** What a worker is started with. */
    interface WorkerCommand {
        /** The command line; the worker's crash report goes into {@code folder}. */
        List<String> line(Path folder, Path socket);
    }
}
