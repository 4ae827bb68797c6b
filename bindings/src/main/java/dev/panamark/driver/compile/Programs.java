package dev.panamark.driver.compile;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Finds programs as a shell would. */
public final class Programs {
    private Programs() {}

    /**
     * The file of a program.
     *
     * @param program a path where it holds a slash, otherwise a name to look for on {@code $PATH}
     * @param env where {@code PATH} is taken from
     */
    public static Optional<Path> find(String program, Map<String, String> env) {
        if (program.contains("/")) {
            Path path = Path.of(program).toAbsolutePath();
            return isProgram(path) ? Optional.of(path) : Optional.empty();
        }
        for (String folder : env.getOrDefault("PATH", "").split(":", -1)) {
            if (!folder.isEmpty()) {
                Path path = Path.of(folder, program);
                if (isProgram(path)) {
                    return Optional.of(path);
                }
            }
        }
        return Optional.empty();
    }

    /** Why {@link #find} found nothing. */
    public static String whyNot(String program, Map<String, String> env) {
        if (program.contains("/")) {
            return "no such executable file";
        }
        return env.containsKey("PATH") ? "not on PATH" : "PATH is not set";
    }

    /** Whether it is a file that may be executed. */
    public static boolean isProgram(Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path);
    }
}
