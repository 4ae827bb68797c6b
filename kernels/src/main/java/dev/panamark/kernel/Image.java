package dev.panamark.kernel;

import java.nio.file.Path;
import java.util.List;

/**
 * The file that holds a kernel's code for one backend.
 *
 * @param backend {@code cuda}, {@code hip}, {@code cpu} or {@code host}
 * @param file where it lies on this machine
 * @param options compiler options, with axes put in
 */
public record Image(String backend, Path file, List<String> options) {
    /** Copies. */
    public Image {
        options = List.copyOf(options);
    }
}
