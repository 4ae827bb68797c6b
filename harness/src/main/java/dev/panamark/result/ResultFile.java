package dev.panamark.result;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

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
        try {
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                if (Files.isDirectory(file)) {
                    throw new ResultWriteException("cannot write " + file + ": it is a directory; name a file in it");
                }
                try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.WRITE)) {
                    writeTo(run, out);
                }
                return;
            }
            replace(run, Files.exists(file) ? file.toRealPath() : file.toAbsolutePath());
        } catch (IOException e) {
            throw FileTrouble.writing(file, e);
        }
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

    private static void replace(RunResult run, Path file) throws IOException {
        Path folder = FileTrouble.folder(file);
        Path temporary = folder.resolve(
                "." + file.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
        boolean renamed = false;
        boolean ours = false;
        try {
            try (FileChannel channel = FileChannel.open(
                    temporary,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE)) {
                ours = true;
                OutputStream out = Channels.newOutputStream(channel);
                writeTo(run, out);
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            renamed = true;
            forceFolder(folder);
        } finally {
            if (ours && !renamed) {
                Files.deleteIfExists(temporary);
            }
        }
    }

    /** Makes the rename itself last; some file systems cannot open a directory, and then it lasts soon enough. */
    private static void forceFolder(Path folder) {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // The file is in place and whole; only a power cut in the next seconds could bring the old one back.
        }
    }

    private static void writeTo(RunResult run, OutputStream out) throws IOException {
        BufferedOutputStream buffered = new BufferedOutputStream(out, 1 << 16);
        ResultJson.write(run, buffered);
        buffered.flush();
    }
}
