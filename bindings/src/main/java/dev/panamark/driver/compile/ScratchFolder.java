package dev.panamark.driver.compile;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A folder for what a compiler writes on the way; gone when it is closed, with the files in it.
 *
 * @param path among the temporary files of the system
 */
public record ScratchFolder(Path path) implements AutoCloseable {
    /**
     * A new one.
     *
     * @param name what its own begins with
     * @throws CompileException where none can be made
     */
    public static ScratchFolder make(String name) {
        Path all = Path.of(System.getProperty("java.io.tmpdir"));
        try {
            return new ScratchFolder(Files.createTempDirectory(all, name));
        } catch (IOException e) {
            throw unusable(all, e);
        }
    }

    /** The exception of a failure, which says what to do where the failure is this folder's. */
    public IOException explained(FileSystemException e) {
        if (e.getFile() != null && Path.of(e.getFile()).startsWith(path)) {
            throw unusable(path, e);
        }
        return e;
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> inside = Files.list(path)) {
            for (Path file : inside.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(path);
    }

    private static CompileException unusable(Path folder, IOException e) {
        return new CompileException(
                "the temporary folder " + folder + " cannot be used (" + e
                        + "); free space there, or set TMPDIR to another",
                e);
    }
}
