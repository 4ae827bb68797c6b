package dev.panamark.result;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Writes a file that is either whole or not there: under a temporary name in the same directory, flushed to disk, then
 * renamed over the old one. What is not a regular file (a pipe, {@code /dev/stdout}) is written to directly.
 */
public final class WholeFile {
    private WholeFile() {}

    /** What goes into the file. */
    @FunctionalInterface
    interface Content {
        /** Writes all of it and flushes; does not close. */
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Writes text as UTF-8.
     *
     * @throws ResultWriteException when that fails; what was there before is intact
     */
    public static void write(Path file, String text) {
        write(file, out -> {
            out.write(text.getBytes(StandardCharsets.UTF_8));
            out.flush();
        });
    }

    static void write(Path file, Content content) {
        try {
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                if (Files.isDirectory(file)) {
                    throw new ResultWriteException("cannot write " + file + ": it is a directory; name a file in it");
                }
                try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.WRITE)) {
                    content.writeTo(out);
                }
                return;
            }
            replace(Files.exists(file) ? file.toRealPath() : file.toAbsolutePath(), content);
        } catch (IOException e) {
            throw FileTrouble.writing(file, e);
        }
    }

    private static void replace(Path file, Content content) throws IOException {
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
                content.writeTo(Channels.newOutputStream(channel));
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
    static void forceFolder(Path folder) {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        } catch (IOException e) {
            // The file is in place and whole; only a power cut in the next seconds could bring the old one back.
        }
    }
}
