package dev.panamark.compare;

import dev.panamark.result.Journal;
import dev.panamark.result.ResultFile;
import dev.panamark.result.ResultFileException;
import dev.panamark.result.RunResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * One of the two results.
 *
 * @param name the file, as the user named it
 * @param run what it holds
 * @param remarks what to know about the file
 */
public record ComparedRun(String name, RunResult run, List<String> remarks) {
    /** Copies. */
    public ComparedRun {
        remarks = List.copyOf(remarks);
    }

    /**
     * Reads a result file, or the journal of a run that was killed.
     *
     * @throws ResultFileException when it is neither
     */
    public static ComparedRun read(Path file) {
        if (!isJournal(file)) {
            return new ComparedRun(file.toString(), ResultFile.read(file), List.of());
        }
        Journal.Recovered journal = Journal.read(file);
        return new ComparedRun(
                file.toString(),
                journal.run(),
                journal.torn().map(t -> List.of("journal: " + t)).orElse(List.of()));
    }

    /** A journal has a whole object in its first line and rows below; a result is indented, or one line alone. */
    private static boolean isJournal(Path file) {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        try (BufferedReader in = Files.newBufferedReader(file)) {
            char[] start = new char[16];
            int n = in.read(start);
            if (n < 2 || start[0] != '{' || new String(start, 1, n - 1).isBlank() || start[1] == '\n') {
                return false;
            }
            String first = in.readLine();
            String second = in.readLine();
            return first != null && first.endsWith("}") && second != null && second.startsWith("{");
        } catch (CharacterCodingException e) {
            return false; // the reader of results says what is wrong with it
        } catch (IOException e) {
            throw new ResultFileException(file.toString(), 0, "", "cannot be read: " + e.getMessage());
        }
    }
}
