package dev.panamark.driver.nvcc;

import java.nio.file.Path;
import java.util.List;

/**
 * PTX text that nvcc or NVRTC made.
 *
 * @param file in the cache folder; its name is its hash, so its bytes never change
 * @param sha256 of the file, in hex; the same wherever the source lies
 * @param compiler {@code release 13.0, V13.0.88} of nvcc, {@code NVRTC 13.0}
 * @param flags everything that the compiler was called with but the names of source and output
 * @param sourceSha256 of the source as written, without what it includes, in hex
 * @param ptxVersion the version that the text asks for, {@code 7.0}; {@link PtxRelease} says which drivers take it
 */
public record CompiledPtx(
        Path file, String sha256, String compiler, List<String> flags, String sourceSha256, String ptxVersion) {
    /** Copies the flags. */
    public CompiledPtx {
        flags = List.copyOf(flags);
    }
}
