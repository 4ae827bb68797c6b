package dev.panamark.driver.compile;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Runs a compiler on a source and turns everything but success into an exception with its words.
 *
 * @param program as messages name it
 * @param version of the compiler, for messages
 * @param subprocess with its environment and deadline
 */
public record CompilerRun(String program, String version, Subprocess subprocess) {
    private static final int ERROR_LINES = 20;
    private static final Pattern EXCERPT = Pattern.compile("\\s*[0-9]*\\s*\\|");
    private static final Pattern ERROR = Pattern.compile("error\\s*:|undefined reference|ld: |fatal\\s*:");

    /**
     * Runs it in the source's folder to a success.
     *
     * @param call the whole command line
     * @param file the source, for messages
     * @throws CompileException where it cannot be run, takes too long or ends with an error
     */
    public Subprocess.Ended checked(List<String> call, SourceFile file) throws InterruptedException {
        Subprocess.Ended ended = ended(call, file);
        if (ended.exit() != 0) {
            throw new CompileException(
                    file.path() + " does not compile (" + version + "):\n" + firstErrors(ended.err(), ended.exit()));
        }
        return ended;
    }

    /**
     * Runs it in the source's folder to its end, whatever that is.
     *
     * @param call the whole command line
     * @param file the source, for messages
     * @throws CompileException where it cannot be run or takes too long
     */
    public Subprocess.Ended ended(List<String> call, SourceFile file) throws InterruptedException {
        Subprocess.Ended ended;
        try {
            ended = subprocess.run(call, file.folder(), "");
        } catch (IOException e) {
            throw new CompileException(program + " cannot be run: " + e.getMessage(), e);
        }
        if (ended.killed()) {
            throw new CompileException(file.path() + ": " + program + " was killed because it had not ended after "
                    + subprocess.timeout().toSeconds() + " s");
        }
        return ended;
    }

    /** The compiler's words from the first error on: warnings before it would hide it. */
    public static String firstErrors(String err, int exit) {
        // The excerpts of the source below each message lose their sense where lines are joined.
        List<String> lines = err.lines()
                .filter(l -> !l.isBlank() && !EXCERPT.matcher(l).lookingAt())
                .toList();
        int from = 0;
        while (from < lines.size() && !ERROR.matcher(lines.get(from)).find()) {
            from++;
        }
        if (from == lines.size()) {
            from = 0;
        }
        List<String> shown = lines.subList(from, Math.min(lines.size(), from + ERROR_LINES));
        if (shown.isEmpty()) {
            return "it ended with " + exit + " and said nothing";
        }
        int more = lines.size() - from - shown.size();
        return String.join("\n", shown) + (more > 0 ? "\n(and " + more + " more lines)" : "");
    }
}
