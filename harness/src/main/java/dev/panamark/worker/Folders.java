package dev.panamark.worker;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A worker's own temporary folder: flat. */
final class Folders {
    private Folders() {}

    static void delete(@Nullable Path folder) {
        if (folder == null) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            // What cannot be deleted stays in the system's temporary folder, which is cleaned by the system.
        }
    }
}
