package dev.panamark.result;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one run found.
 *
 * @param schema always {@link #SCHEMA}
 * @param argv the command line, without the program's name
 * @param started when it began
 * @param finished when it ended; null while it runs and for ever when it was killed
 * @param host what identifies the machine and the software: open, JSON values
 * @param devices everything that identifies each device; a row's device is the {@code id} of one of them
 * @param kernels hashes, compiler, registers, shared memory; each has the rows' kernel name and image hash
 * @param seed that all inputs were made from
 * @param rows in the order of finishing
 */
public record RunResult(
        String schema,
        List<String> argv,
        Instant started,
        @Nullable Instant finished,
        SequencedMap<String, Object> host,
        List<SequencedMap<String, Object>> devices,
        List<SequencedMap<String, Object>> kernels,
        long seed,
        List<Row> rows) {

    /** The only schema that this version reads and writes. */
    public static final String SCHEMA = "panamark.result/1";

    /** Where the JSON Schema lies: a resource beside this class. */
    public static final String SCHEMA_RESOURCE = "panamark.result-1.schema.json";

    /**
     * Copies everything, deeply.
     *
     * @throws IllegalArgumentException when the schema is another, a device lacks {@code id}, a kernel lacks
     *     its name under "kernel", or a map holds what JSON cannot
     */
    public RunResult {
        if (!schema.equals(SCHEMA)) {
            throw new IllegalArgumentException("schema must be " + SCHEMA + ", not '" + schema + "'");
        }
        argv = List.copyOf(argv);
        host = JsonValues.freeze("host", host);
        devices = JsonValues.freezeAll("devices", devices);
        kernels = JsonValues.freezeAll("kernels", kernels);
        rows = List.copyOf(rows);
        requireText("devices", devices, "id");
        requireText("kernels", kernels, "kernel");
    }

    /** A run that has just begun and has no rows. */
    public static RunResult started(
            List<String> argv,
            Instant started,
            SequencedMap<String, Object> host,
            List<SequencedMap<String, Object>> devices,
            List<SequencedMap<String, Object>> kernels,
            long seed) {
        return new RunResult(SCHEMA, argv, started, null, host, devices, kernels, seed, List.of());
    }

    /** The same with these rows. */
    public RunResult withRows(List<Row> all) {
        return new RunResult(schema, argv, started, finished, host, devices, kernels, seed, all);
    }

    /** The same with these kernels. */
    public RunResult withKernels(List<SequencedMap<String, Object>> all) {
        return new RunResult(schema, argv, started, finished, host, devices, all, seed, rows);
    }

    /** The same, ended. */
    public RunResult withFinished(Instant when) {
        return new RunResult(schema, argv, started, when, host, devices, kernels, seed, rows);
    }

    private static void requireText(String list, List<? extends Map<String, Object>> maps, String key) {
        for (int i = 0; i < maps.size(); i++) {
            if (!(maps.get(i).get(key) instanceof String text) || text.isBlank()) {
                throw new IllegalArgumentException(list + "[" + i + "] needs the text '" + key + "'");
            }
        }
    }
}
