package dev.panamark.driver.cupti;

import dev.panamark.ffi.LibraryFolder;
import dev.panamark.ffi.LibrarySearch.Candidate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where CUPTI lies. */
final class CuptiPlaces {
    /** Names of CUDA 13 and 12. */
    private static final List<String> NAMES = List.of("libcupti.so.13", "libcupti.so.12");

    /** Of a toolkit: CUPTI's own place, and those of packages and of other machines. */
    private static final List<String> FOLDERS =
            List.of("extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib");

    private CuptiPlaces() {}

    /**
     * The order of looking: the loader's places, the toolkit that is chosen, the usual one.
     *
     * @param root of the file system
     */
    static List<Candidate> usual(Map<String, String> env, Path root) {
        List<Candidate> candidates = new ArrayList<>();
        NAMES.forEach(name -> candidates.add(Candidate.of(name)));
        String home = env.getOrDefault("CUDA_HOME", "").strip();
        if (!home.isEmpty()) {
            candidates.addAll(of(Path.of(home).toAbsolutePath()));
        }
        candidates.addAll(of(root.resolve("usr/local/cuda")));
        return candidates;
    }

    private static List<Candidate> of(Path toolkit) {
        return FOLDERS.stream()
                .map(folder -> LibraryFolder.newest(toolkit.resolve(folder), "libcupti.so"))
                .toList();
    }
}
