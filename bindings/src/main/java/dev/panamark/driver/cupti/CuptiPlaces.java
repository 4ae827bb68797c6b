package dev.panamark.driver.cupti;

import dev.panamark.ffi.LibrarySearch.Candidate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where CUPTI lies. */
final class CuptiPlaces {
    private static final List<String> NAMES = List.of("libcupti.so.13", "libcupti.so.12");

    /** Of a toolkit's: the installers' own place for CUPTI, then those of packages. */
    private static final List<String> FOLDERS =
            List.of("extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "lib");

    private CuptiPlaces() {}

    /** The order of looking: the loader's places, the toolkit that is chosen, the usual one. */
    static List<Candidate> usual(Map<String, String> env) {
        List<Candidate> candidates = new ArrayList<>();
        NAMES.forEach(name -> candidates.add(Candidate.of(name)));
        String home = env.getOrDefault("CUDA_HOME", "").strip();
        if (!home.isEmpty()) {
            candidates.addAll(of(Path.of(home).toAbsolutePath()));
        }
        candidates.addAll(of(Path.of("/usr/local/cuda")));
        return candidates;
    }

    /** A folder has one release, whose name without a number leads to it. */
    private static List<Candidate> of(Path toolkit) {
        return FOLDERS.stream()
                .map(folder ->
                        Candidate.of(toolkit.resolve(folder + "/libcupti.so").toString()))
                .toList();
    }
}
