package dev.panamark.driver.compile;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Asks a compiler for its version, which shows too whether it runs at all. */
public final class VersionQuestion {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private VersionQuestion() {}

    /** What came of it. */
    public sealed interface Answer {
        /**
         * It runs.
         *
         * @param lines what it wrote, without blank lines; at least one
         */
        record Lines(List<String> lines) implements Answer {}

        /**
         * It does not.
         *
         * @param reason what was run and how it ended
         */
        record None(String reason) implements Answer {}
    }

    /**
     * Runs {@code command --version}.
     *
     * @param command a program and its first arguments
     * @param env of the program
     */
    public static Answer ask(List<String> command, Map<String, String> env) {
        List<String> question = new ArrayList<>(command);
        question.add("--version");
        try {
            Subprocess.Ended ended = new Subprocess(env, TIMEOUT).run(question, Path.of("/"), "");
            List<String> lines = ended.out()
                    .lines()
                    .map(String::strip)
                    .filter(l -> !l.isEmpty())
                    .toList();
            if (ended.ok() && !lines.isEmpty()) {
                return new Answer.Lines(lines);
            }
            return new Answer.None(String.join(" ", question) + " "
                    + (ended.killed()
                            ? "gave no answer within " + TIMEOUT.toSeconds() + " s"
                            : "ended with " + ended.exit() + described(ended.err())));
        } catch (IOException e) {
            return new Answer.None(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer.None("interrupted while asking for its version");
        }
    }

    private static String described(String err) {
        return err.lines()
                .filter(l -> !l.isBlank())
                .findFirst()
                .map(l -> ": " + l.strip())
                .orElse("");
    }
}
