package dev.panamark.measure;

import dev.panamark.kernel.Problem;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * One row to measure.
 *
 * @param kernel full name
 * @param sourceSha256 of the kernel file, its images and their headers, as the run was planned
 * @param problem axis values
 * @param json the same as JSON values, as the row shows them
 * @param seed of this row's inputs
 * @param effort how much measuring
 * @param model the model whose layers divide {@code rate/tokens}
 * @param mode state of the caches that launches find
 * @param once launch once and time nothing
 * @param dump where the buffers of a wrong row go
 */
public record Request(
        String kernel,
        String sourceSha256,
        Problem problem,
        SequencedMap<String, Object> json,
        long seed,
        Effort effort,
        Optional<ModelLayers> model,
        Mode mode,
        boolean once,
        Optional<Path> dump) {

    /**
     * A model preset.
     *
     * @param name as on the command line
     * @param layers how many attention layers it has
     */
    public record ModelLayers(String name, long layers) {}
}
