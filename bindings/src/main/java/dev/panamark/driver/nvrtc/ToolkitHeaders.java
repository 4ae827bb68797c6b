package dev.panamark.driver.nvrtc;

import dev.panamark.driver.compile.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Headers of the toolkit, such as {@code cuda_fp16.h}, which do not come with NVRTC.
 *
 * @param folder that holds them
 * @param sha256 of those that most kernels use
 */
record ToolkitHeaders(Path folder, String sha256) {
    /** What to do where they are not there. */
    static final String REMEDY =
            "NVRTC brings no headers: cuda_fp16.h, cuda_bf16.h, cuda_fp8.h and the like come with the "
                    + "toolkit, or by pip install nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl; set CUDA_HOME to the folder that holds include/cuda_fp16.h";

    private static final String SIGN = "cuda_fp16.h";
    private static final List<String> READ = List.of(
            SIGN, "cuda_fp16.hpp", "cuda_bf16.h", "cuda_bf16.hpp", "cuda_fp8.h", "cuda_fp8.hpp", "mma.h", "crt/mma.h");

    /**
     * Looks in {@code $CUDA_HOME} and {@code $CUDA_PATH}, beside the library as toolkits and wheels have them, then in the
     * usual toolkits.
     *
     * @param library that of NVRTC
     */
    static Optional<ToolkitHeaders> find(Map<String, String> env, Path library) {
        List<Path> folders = new ArrayList<>();
        for (String variable : List.of("CUDA_HOME", "CUDA_PATH")) {
            String home = env.getOrDefault(variable, "").strip();
            if (!home.isEmpty()) {
                folders.add(Path.of(home, "include"));
            }
        }
        Path lib = library.toAbsolutePath().resolveSibling("");
        folders.add(lib.resolve("../include"));
        folders.add(lib.resolve("../../cuda_runtime/include"));
        folders.add(Path.of("/usr/local/cuda/include"));
        folders.add(Path.of("/opt/cuda/include"));
        return folders.stream()
                .filter(folder -> Files.isReadable(folder.resolve(SIGN)))
                .flatMap(folder -> read(folder).stream())
                .findFirst();
    }

    /** Folders to search, as nvcc does. */
    List<Path> searched() {
        Path library = folder.resolve("cccl"); // <cuda/std/...>, from CUDA 13 on
        return Files.isDirectory(library) ? List.of(folder, library) : List.of(folder);
    }

    private static Optional<ToolkitHeaders> read(Path folder) {
        try {
            Path real = folder.toRealPath();
            List<String> hashes = new ArrayList<>();
            for (String name : READ) {
                Path file = real.resolve(name);
                hashes.add(Files.isReadable(file) ? Sha256.of(file) : "");
            }
            return Optional.of(new ToolkitHeaders(real, Sha256.of(hashes)));
        } catch (IOException e) {
            return Optional.empty(); // what cannot be read helps no compiler
        }
    }
}
