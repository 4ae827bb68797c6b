package dev.panamark.driver.host;

import java.nio.file.Path;
import java.util.List;

/**
 * What the host compiler made.
 *
 * @param sharedObject the file, in the cache folder; its name is its hash, so its bytes never change
 * @param sha256 of the file, in hex
 * @param compiler the compiler's version line
 * @param flags everything it was called with but the names of source and output
 * @param sourceSha256 of the source as written, in hex
 */
public record CompiledObject(
        Path sharedObject, String sha256, String compiler, List<String> flags, String sourceSha256) {
    /** Copies the flags. */
    public CompiledObject {
        flags = List.copyOf(flags);
    }
}
