package dev.panamark.cli;

import dev.panamark.worker.WorkerCommand;
import java.io.Console;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What a command sees of the process it runs in; given to it, so that tests can give something else.
 *
 * @param env environment variables
 * @param home the user's home folder
 * @param worker how processes that measure are started
 */
record Surroundings(Map<String, String> env, Path home, WorkerCommand worker) {

    /** With workers as they usually are. */
    Surroundings(Map<String, String> env, Path home) {
        this(env, home, WorkerCommand.usual());
    }

    static Surroundings ofProcess() {
        // Java's user.home comes from the password file, which need not know the user of a container.
        String home = System.getenv().getOrDefault("HOME", "");
        return new Surroundings(System.getenv(), Path.of(home.isBlank() ? System.getProperty("user.home", ".") : home));
    }

    /** Compiled kernels, built-in kernel files and results without a name; {@code PANAMARK_CACHE} moves it. */
    Path cache() {
        return variable("PANAMARK_CACHE")
                .map(Path::of)
                .or(() -> variable("XDG_CACHE_HOME").map(d -> Path.of(d).resolve("panamark")))
                .orElseGet(() -> home.resolve(".cache").resolve("panamark"))
                .toAbsolutePath();
    }

    /** Columns of the terminal, at most 120 and at least 60; 120 when unknown. */
    int width() {
        return variable("COLUMNS")
                .filter(c -> c.matches("[0-9]{1,5}"))
                .map(c -> Math.clamp(Integer.parseInt(c), 60, 120))
                .orElse(120);
    }

    /** Whether the table may be coloured: a terminal, and no NO_COLOR (no-color.org). */
    @SuppressWarnings("SystemConsoleNull") // its type says that it may be null
    boolean color() {
        Console console = System.console();
        return console != null
                && console.isTerminal()
                && variable("NO_COLOR").isEmpty()
                && !variable("TERM").orElse("dumb").equals("dumb");
    }

    /** Whether standard error is a terminal, as far as the launcher has said so. */
    boolean terminalErrors() {
        return variable("PANAMARK_STDERR").filter("terminal"::equals).isPresent();
    }

    /** A variable that is set and not blank. */
    Optional<String> variable(String name) {
        return Optional.ofNullable(env.get(name)).filter(v -> !v.isBlank());
    }
}
