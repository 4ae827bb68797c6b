package dev.panamark.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes a text as a file that is either the old one or the whole new one. */
public final class TextFile {
    private TextFile() {}

    /**
     * Writes to a temporary name beside {@code file} and renames.
     *
     * @throws ResultWriteException when that fails
     */
    public static void write(String text, Path file) {
        Path folder = file.toAbsolutePath().getParent();
        Path part = file.resolveSibling(
                "." + file.getFileName() + "." + ProcessHandle.current().pid() + ".part");
        try {
            Files.writeString(part, text);
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            try {
                Files.deleteIfExists(part);
            } catch (IOException left) {
                e.addSuppressed(left);
            }
            throw FileTrouble.writing(folder == null ? file : file, e);
        }
    }
}
