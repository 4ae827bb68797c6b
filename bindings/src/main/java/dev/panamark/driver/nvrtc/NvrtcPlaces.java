package dev.panamark.driver.nvrtc;

import dev.panamark.ffi.LibraryFolder;
import dev.panamark.ffi.LibrarySearch.Candidate;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Where NVRTC lies. */
final class NvrtcPlaces {
    /** Names of CUDA 13, 12, 11.2 to 11.8, 11.1 and 11.0. */
    private static final List<String> NAMES =
            List.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so.11.1", "libnvrtc.so.11.0");

    private static final List<String> TOOLKITS = List.of("CUDA_HOME", "CUDA_PATH");

    private NvrtcPlaces() {}

    /**
     * The order of looking: the toolkit that is chosen, the loader's places, the usual toolkits, the active environment of
     * Python or Conda, where the wheels of NVIDIA and PyTorch have it.
     *
     * @param root of the file system
     */
    static List<Candidate> usual(Map<String, String> env, Path root) {
        List<Candidate> candidates = new ArrayList<>();
        for (String variable : TOOLKITS) {
            folder(env, variable).ifPresent(home -> candidates.add(in(home.resolve("lib64"))));
        }
        NAMES.forEach(name -> candidates.add(Candidate.of(name)));
        candidates.add(in(root.resolve("usr/local/cuda/lib64")));
        candidates.add(in(root.resolve("opt/cuda/lib64")));
        folder(env, "CONDA_PREFIX").ifPresent(home -> candidates.add(in(home.resolve("lib"))));
        for (String variable : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
            folder(env, variable).ifPresent(home -> wheels(home).forEach(lib -> candidates.add(in(lib))));
        }
        return candidates;
    }

    private static Optional<Path> folder(Map<String, String> env, String variable) {
        String value = env.getOrDefault(variable, "").strip();
        return value.isEmpty() ? Optional.empty() : Optional.of(Path.of(value).toAbsolutePath());
    }

    private static Candidate in(Path folder) {
        return LibraryFolder.newest(folder, "libnvrtc.so");
    }

    /** {@code lib/python3.12/site-packages/nvidia/cu13/lib} and the like. */
    private static List<Path> wheels(Path home) {
        List<Path> found = new ArrayList<>();
        for (Path python : LibraryFolder.listed(home.resolve("lib"), "python3*")) {
            for (String name : List.of("cu[0-9]*", "cuda_nvrtc")) {
                LibraryFolder.listed(python.resolve("site-packages/nvidia"), name)
                        .forEach(wheel -> found.add(wheel.resolve("lib")));
            }
        }
        return found;
    }
}
