package dev.panamark.worker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A worker's own temporary folder: flat. */
final class Folders {
    /** Linux has room for 108 bytes in a socket's address, macOS for 104, a zero at the end included. */
    private static final int LONGEST_SOCKET = 103;

    private Folders() {}

    /**
     * Makes a folder that only this user can read, in the first place where a socket can lie in it.
     *
     * @param socket its name
     * @throws IOException which says for each place why not
     */
    static Path forSocket(List<Path> places, String socket) throws IOException {
        List<String> reasons = new ArrayList<>();
        for (Path place : places) {
            try {
                Path folder = Files.createTempDirectory(place, "panamark-worker");
                int bytes = folder.resolve(socket).toString().getBytes(StandardCharsets.UTF_8).length;
                if (bytes <= LONGEST_SOCKET) {
                    return folder;
                }
                delete(folder);
                reasons.add("the path of a socket in " + place + " would be " + bytes + " bytes long, and at most "
                        + LONGEST_SOCKET + " are possible");
            } catch (IOException e) {
                reasons.add("no folder can be made in " + place + " (" + e + ")");
            }
        }
        throw new IOException(String.join("; ", reasons)
                + "; name another temporary folder with JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=DIR");
    }

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
