package dev.panamark.worker;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.panamark.kernel.Problem;
import dev.panamark.kernel.Value;
import dev.panamark.measure.Effort;
import dev.panamark.measure.Mode;
import dev.panamark.measure.Request;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * One row to measure, as it travels to the worker.
 *
 * @param kernel full name
 * @param sourceSha256 of the kernel file, its images and their headers when the run was planned; a worker that reads something else
 *     refuses
 * @param problem axis values as JSON values
 * @param seed of this row
 * @param effort how much measuring
 * @param model name of the model preset, if one was given
 * @param layers its layers
 * @param mode state of the caches that launches find
 * @param once launch once, time nothing
 * @param dump folder for the buffers of a wrong row
 */
public record Task(
        @JsonProperty("kernel") String kernel,
        @JsonProperty("source_sha256") String sourceSha256,
        @JsonProperty("problem") SequencedMap<String, Object> problem,
        @JsonProperty("seed") long seed,
        @JsonProperty("effort") Effort effort,
        @JsonProperty("model") @Nullable String model,
        @JsonProperty("layers") @Nullable Long layers,
        @JsonProperty("mode") Mode mode,
        @JsonProperty("once") boolean once,
        @JsonProperty("dump") @Nullable String dump) {

    /** A problem as JSON values. */
    public static SequencedMap<String, Object> json(Problem problem) {
        SequencedMap<String, Object> out = new LinkedHashMap<>();
        problem.values()
                .forEach((axis, value) -> out.put(
                        axis,
                        switch (value) {
                            case Value.Int i -> i.value();
                            case Value.Real r -> r.value();
                            case Value.Text t -> t.value();
                            case Value.Bool b -> b.value();
                        }));
        return out;
    }

    /** The same, of which an emulator runs so many blocks of a launch at most. */
    Task ofBlocks(int blocks) {
        return new Task(
                kernel,
                sourceSha256,
                problem,
                seed,
                new Effort(effort.minSamples(), effort.minTime(), effort.precision(), effort.seconds(), blocks),
                model,
                layers,
                mode,
                once,
                dump);
    }

    /** What the measuring side takes. */
    Request toRequest() {
        return new Request(
                kernel,
                sourceSha256,
                toProblem(),
                problem,
                seed,
                effort,
                model == null || layers == null
                        ? Optional.empty()
                        : Optional.of(new Request.ModelLayers(model, layers)),
                mode,
                once,
                Optional.ofNullable(dump).map(Path::of));
    }

    /** The problem again. */
    Problem toProblem() {
        SequencedMap<String, Value> values = new LinkedHashMap<>();
        for (Map.Entry<String, Object> e : problem.entrySet()) {
            values.put(
                    e.getKey(),
                    switch (e.getValue()) {
                        case Integer i -> new Value.Int(i);
                        case Long l -> new Value.Int(l);
                        case Double d -> new Value.Real(d);
                        case Boolean b -> new Value.Bool(b);
                        case String s -> new Value.Text(s);
                        default ->
                            throw new IllegalArgumentException("axis " + e.getKey() + " came as " + e.getValue());
                    });
        }
        return new Problem(values);
    }
}
