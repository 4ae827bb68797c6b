package dev.panamark.driver.compile;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs a program to its end. Its output goes to temporary files: nothing lands on our own streams, no pipe can fill up,
 * and a grandchild that outlives a killed child cannot keep us waiting.
 *
 * @param env the child's whole environment; {@code LC_ALL=C} is added, so that messages can be recognised
 * @param timeout after it, the child and what it started are killed
 */
public record Subprocess(Map<String, String> env, Duration timeout) {
    private static final int MESSAGE_LIMIT = 256 << 10;

    /**
     * How it ended.
     *
     * @param exit status; meaningless when it was killed
     * @param killed whether it ran into the timeout
     * @param out all of its standard output, one character a byte (ISO 8859-1), so that nothing in it is lost
     * @param err the first 256 KiB of its standard error
     */
    public record Ended(int exit, boolean killed, String out, String err) {
        /** Whether it ended by itself, with 0. */
        public boolean ok() {
            return !killed && exit == 0;
        }
    }

    /**
     * Runs it to its end, or to the timeout.
     *
     * @param command program and arguments
     * @param folder to run it in
     * @param input its standard input
     * @throws IOException where it cannot be started
     */
    public Ended run(List<String> command, Path folder, String input) throws IOException, InterruptedException {
        Path in = Files.createTempFile("panamark", ".in");
        Path out = Files.createTempFile("panamark", ".out");
        Path err = Files.createTempFile("panamark", ".err");
        try {
            Files.writeString(in, input);
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectInput(in.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().clear();
            builder.environment().putAll(env);
            builder.environment().put("LC_ALL", "C");
            Process process = builder.start();
            boolean ended = false;
            try {
                ended = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
            } finally {
                if (!ended) {
                    kill(process);
                }
            }
            int exit = ended ? process.exitValue() : -1;
            return new Ended(exit, !ended, ended ? Files.readString(out, StandardCharsets.ISO_8859_1) : "", head(err));
        } finally {
            Files.deleteIfExists(in);
            Files.deleteIfExists(out);
            Files.deleteIfExists(err);
        }
    }

    private static void kill(Process process) {
        // A compiler driver starts the real compiler as a child, which would go on without it.
        List<ProcessHandle> descendants = process.descendants().toList();
        process.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
    }

    private static String head(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(MESSAGE_LIMIT), StandardCharsets.UTF_8);
        }
    }
}
