package dev.panamark.driver.compile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Source as it lies on disk.
 *
 * @param path absolute
 * @param language as messages name it: {@code C}
 * @param sha256 of its bytes, in hex
 */
public record SourceFile(Path path, String language, String sha256) {
    private static final long LIMIT = 64L << 20;

    /**
     * Reads it.
     *
     * @param source at most 64 MiB of text
     * @param language as messages name it
     * @throws CompileException where it is no text that can be read
     */
    public static SourceFile read(Path source, String language) {
        Path path = source.toAbsolutePath().normalize();
        if (Files.isDirectory(path)) {
            throw new CompileException(source + " is a folder; expected a file with " + language + " source");
        }
        if (!Files.exists(path)) {
            throw new CompileException(source + " does not exist; expected a file with " + language + " source");
        }
        try {
            long size = Files.size(path);
            if (size > LIMIT) {
                throw new CompileException(source + " has " + size + " bytes; " + language + " source may have at most "
                        + LIMIT + " here");
            }
            byte[] bytes = Files.readAllBytes(path);
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] == 0) {
                    throw new CompileException(
                            source + " is not " + language + " source: it is binary (a zero byte at offset " + i + ")");
                }
            }
            return new SourceFile(path, language, Sha256.of(bytes));
        } catch (IOException e) {
            throw new CompileException(source + " cannot be read: " + e, e);
        }
    }

    /** The folder that relative {@code -I} options start from. */
    public Path folder() {
        Path parent = path.getParent();
        return parent == null ? path : parent;
    }
}
