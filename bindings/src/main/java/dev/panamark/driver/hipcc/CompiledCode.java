package dev.panamark.driver.hipcc;

import java.nio.file.Path;
import java.util.List;

/**
 * A code object that a compiler made.
 *
 * @param file in the cache folder; its name is its hash, so its bytes never change
 * @param sha256 of the file, in hex
 * @param compiler the first line of its {@code --version}
 * @param flags everything that the compiler was called with but the names of source and output
 * @param sourceSha256 of the source as written, without what it includes, in hex
 */
public record CompiledCode(Path file, String sha256, String compiler, List<String> flags, String sourceSha256) {
    /** Copies the flags. */
    public CompiledCode {
        flags = List.copyOf(flags);
    }
}
