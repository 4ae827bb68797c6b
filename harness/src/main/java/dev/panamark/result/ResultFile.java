package dev.panamark.result;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A run as one JSON file. */
public final class ResultFile {
    private ResultFile() {}

    /**
     * Writes a file that is either whole or not there: under a temporary name in the same directory, flushed to disk,
     * then renamed over {@code file}. What is not a regular file (a pipe, {@code /dev/stdout}) is written to directly.
     *
     * @throws ResultWriteException when that fails; what was there before is intact
     */
    public static void write(RunResult run, Path file) {
        WholeFile.write(file, out -> writeTo(run, out));
    }

    /**
     * Writes to a stream and flushes it; it stays open.
     *
     * @throws ResultWriteException when the stream refuses
     */
    public static void write(RunResult run, OutputStream out) {
        try {
            writeTo(run, out);
        } catch (IOException e) {
            throw new ResultWriteException("cannot write standard output: " + FileTrouble.words(e), e);
        }
    }

    /**
     * Reads a file that {@link #write} wrote.
     *
     * @throws ResultFileException when it cannot be read or is not such a file
     */
    public static RunResult read(Path file) {
        try (InputStream in = new BufferedInputStream(open(file))) {
            return ResultReader.run(in, file.toString());
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    static InputStream open(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new ResultFileException(file.toString(), 0, "", "is a directory; name a result file in it");
        }
        return Files.newInputStream(file);
    }

    static ResultFileException unreadable(Path file, IOException e) {
        return new ResultFileException(
                file.toString(),
                0,
                "",
                switch (e) {
                    case NoSuchFileException missing -> "there is no such file";
                    case AccessDeniedException denied -> "no permission to read it";
                    default -> "cannot be read: " + e.getMessage();
                });
    }

    private static void writeTo(RunResult run, OutputStream out) throws IOException {
        BufferedOutputStream buffered = new BufferedOutputStream(out, 1 << 16);
        ResultJson.write(run, buffered);
        buffered.flush();
    }
}
