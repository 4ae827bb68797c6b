package dev.panamark.driver.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * C source as it lies on disk.
 *
 * @param path absolute
 * @param sha256 of its bytes, in hex
 */
record SourceFile(Path path, String sha256) {
    private static final long LIMIT = 64L << 20;

    static SourceFile read(Path source) {
        Path path = source.toAbsolutePath().normalize();
        if (Files.isDirectory(path)) {
            throw new HostCompileException(source + " is a folder; expected a file with C source");
        }
        if (!Files.exists(path)) {
            throw new HostCompileException(source + " does not exist; expected a file with C source");
        }
        try {
            long size = Files.size(path);
            if (size > LIMIT) {
                throw new HostCompileException(
                        source + " has " + size + " bytes; C source may have at most " + LIMIT + " here");
            }
            byte[] bytes = Files.readAllBytes(path);
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] == 0) {
                    throw new HostCompileException(
                            source + " is not C source: it is binary (a zero byte at offset " + i + ")");
                }
            }
            return new SourceFile(path, Sha256.of(bytes));
        } catch (IOException e) {
            throw new HostCompileException(source + " cannot be read: " + e, e);
        }
    }

    /** The folder that relative {@code -I} options start from. */
    Path folder() {
        Path parent = path.getParent();
        return parent == null ? path : parent;
    }
}
