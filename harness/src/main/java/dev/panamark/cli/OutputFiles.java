package dev.panamark.cli;

import dev.panamark.report.CsvTable;
import dev.panamark.report.MarkdownTable;
import dev.panamark.result.ResultFile;
import dev.panamark.result.ResultWriteException;
import dev.panamark.result.RunResult;
import dev.panamark.result.WholeFile;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the answer goes besides the table: options shared by the commands that have one. */
final class OutputFiles {
    private static final String STANDARD_OUTPUT = "-";

    @Option(names = "--json", paramLabel = "FILE|-", description = "Write it as JSON, which names its schema.")
    private @Nullable String json;

    @Option(names = "--csv", paramLabel = "FILE|-", description = "Write one line a row as CSV.")
    private @Nullable String csv;

    @Option(names = "--md", paramLabel = "FILE|-", description = "Write the table as Markdown.")
    private @Nullable String markdown;

    /** Whether one of them takes standard output, so that the table does not. */
    boolean takesStandardOutput() {
        return STANDARD_OUTPUT.equals(json) || STANDARD_OUTPUT.equals(csv) || STANDARD_OUTPUT.equals(markdown);
    }

    /** The JSON file that keeps the run, if one was named. */
    @Nullable
    Path jsonFile() {
        return json == null || json.equals(STANDARD_OUTPUT) || isStream(Path.of(json))
                ? null
                : Path.of(json).toAbsolutePath();
    }

    /** Whether it is a pipe or a device, which is written to once and not replaced. */
    private static boolean isStream(Path file) {
        return Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
    }

    /**
     * Refuses before anything is measured what could not be written afterwards.
     *
     * @throws CommandFailed exit code 2
     */
    void check() {
        List<String> named = new ArrayList<>();
        for (@Nullable String target : new @Nullable String[] {json, csv, markdown}) {
            if (target == null) {
                continue;
            }
            String place = target.equals(STANDARD_OUTPUT) ? target : place(target);
            if (named.contains(place)) {
                throw new CommandFailed(
                        ExitCode.BAD_INPUT,
                        "two of --json, --csv and --md write to '" + target + "'; give each its own");
            }
            named.add(place);
            if (!target.equals(STANDARD_OUTPUT)) {
                writable(target);
            }
        }
    }

    /** The same for two names of one file, as far as that can be told before it is there. */
    static String place(String target) {
        try {
            Path path = Path.of(target).toAbsolutePath().normalize();
            return (Files.exists(path) ? path.toRealPath() : path).toString();
        } catch (java.io.IOException | java.nio.file.InvalidPathException e) {
            return target;
        }
    }

    /** Refuses what could not be written afterwards. */
    static void writable(String target) {
        Path file;
        try {
            file = Path.of(target).toAbsolutePath();
        } catch (java.nio.file.InvalidPathException e) {
            throw new CommandFailed(ExitCode.BAD_INPUT, "'" + target + "' cannot be a file name: " + e.getReason());
        }
        Path folder = file.getParent();
        if (isStream(file)) {
            return;
        }
        if (Files.isDirectory(file)) {
            throw new CommandFailed(ExitCode.BAD_INPUT, file + " is a folder; name a file in it");
        }
        if (folder == null || !Files.isDirectory(folder)) {
            throw new CommandFailed(ExitCode.BAD_INPUT, file + " cannot be written: there is no folder " + folder);
        }
        if (!Files.isWritable(folder)) {
            throw new CommandFailed(
                    ExitCode.BAD_INPUT, file + " cannot be written: you may not write in the folder " + folder);
        }
    }

    /** Writes everything that was asked for but the JSON file, which the run store has written. */
    void write(RunResult run, PrintWriter out) {
        if (STANDARD_OUTPUT.equals(json)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            ResultFile.write(run, bytes);
            text(json, bytes.toString(StandardCharsets.UTF_8), out);
        } else if (json != null && isStream(Path.of(json))) {
            ResultFile.write(run, Path.of(json));
        }
        text(csv, csv == null ? "" : CsvTable.render(run), out);
        text(markdown, markdown == null ? "" : MarkdownTable.render(run), out);
        out.flush();
    }

    /** Writes what was asked for of an answer that is no run; texts are made only where they are wanted. */
    void write(Supplier<String> jsonText, Supplier<String> csvText, Supplier<String> markdownText, PrintWriter out) {
        text(json, json == null ? "" : jsonText.get(), out);
        text(csv, csv == null ? "" : csvText.get(), out);
        text(markdown, markdown == null ? "" : markdownText.get(), out);
        out.flush();
    }

    private static void flushed(PrintWriter out) {
        if (out.checkError()) { // which flushes
            throw new ResultWriteException(
                    "standard output could not be written; is its reader gone or the disk full?");
        }
    }

    /** Writes a text to where it was asked for; nowhere where it was not. */
    static void text(@Nullable String target, String text, PrintWriter out) {
        if (target == null) {
            return;
        }
        if (target.equals(STANDARD_OUTPUT)) {
            out.print(text);
            flushed(out);
        } else {
            WholeFile.write(Path.of(target), text);
        }
    }
}
