package dev.panamark.ffi;

import dev.panamark.ffi.LibrarySearch.Candidate;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Folders with libraries whose names end in their version. */
public final class LibraryFolder {
    private LibraryFolder() {}

    /**
     * The newest library of a folder, or the one that should be there.
     *
     * @param name without a version, {@code libnvrtc.so}
     */
    public static Candidate newest(Path folder, String name) {
        return Candidate.of(listed(folder, name + ".[0-9]*").stream()
                .max(Comparator.comparing(LibraryFolder::version, Arrays::compare))
                .orElse(folder.resolve(name))
                .toString());
    }

    /**
     * What a folder holds, from Z to A; nothing where there is no such folder.
     *
     * @param pattern of names, as {@link Files#newDirectoryStream(Path, String)} takes it
     */
    public static List<Path> listed(Path folder, String pattern) {
        List<Path> found = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return found;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, pattern)) {
            files.forEach(found::add);
        } catch (IOException e) {
            return List.of(); // a folder that cannot be listed holds nothing that could be loaded
        }
        found.sort(Comparator.reverseOrder());
        return found;
    }

    private static int[] version(Path file) {
        return Arrays.stream(String.valueOf(file.getFileName()).split("[^0-9]+"))
                .filter(part -> !part.isEmpty() && part.length() < 9)
                .mapToInt(Integer::parseInt)
                .toArray();
    }
}
