package dev.panamark.kernel;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The file that holds a kernel's code for one backend.
 *
 * @param backend {@code cuda}, {@code hip}, {@code cpu} or {@code host}
 * @param file where it lies on this machine
 * @param options compiler options, with axes put in
 * @param arch the architecture that the code needs; empty where any will do
 */
public record Image(String backend, Path file, List<String> options, Optional<CudaArch> arch) {
    /** Copies. */
    public Image {
        options = List.copyOf(options);
    }

    /** For any architecture. */
    public Image(String backend, Path file, List<String> options) {
        this(backend, file, options, Optional.empty());
    }
}
