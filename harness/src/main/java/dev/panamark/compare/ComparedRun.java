package dev.panamark.compare;

import dev.panamark.result.Journal;
import dev.panamark.result.ResultFile;
import dev.panamark.result.ResultFileException;
import dev.panamark.result.RunResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

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

    /** The two sides of a comparison, in this order. */
    public record Both(ComparedRun base, ComparedRun next) {}

    /**
     * Reads two at the same time, as a large one takes seconds.
     *
     * @throws ResultFileException when one of them is neither; where both are not, what is wrong with the first
     */
    public static Both read(Path base, Path next) {
        FutureTask<ComparedRun> other = new FutureTask<>(() -> read(next));
        Thread.ofPlatform().daemon().name("reads " + next.getFileName()).start(other);
        ComparedRun first = read(base);
        try {
            return new Both(first, other.get());
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException refused -> throw refused;
                case Error error -> throw error;
                case null, default -> throw new IllegalStateException(e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ResultFileException(next.toString(), 0, "", "was not read: interrupted");
        }
    }

    /** A journal has a whole object in its first line and rows below; a result is indented, or one line alone. */
    private static boolean isJournal(Path file) {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        // A result in one line may be large: nothing of it is kept.
        byte[] buffer = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(file)) {
            int count = in.readNBytes(buffer, 0, 2);
            if (count < 2 || buffer[0] != '{' || Character.isWhitespace(buffer[1])) {
                return false;
            }
            int last = buffer[1];
            for (count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                for (int i = 0; i < count; i++) {
                    if (buffer[i] == '\n') {
                        int first = i + 1 < count ? buffer[i + 1] : in.read();
                        return last == '}' && first == '{';
                    }
                    last = buffer[i] == '\r' ? last : buffer[i];
                }
            }
            return false;
        } catch (IOException e) {
            throw new ResultFileException(file.toString(), 0, "", "cannot be read: " + e.getMessage());
        }
    }
}
