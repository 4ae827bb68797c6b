package dev.panamark.cli;

import dev.panamark.driver.host.HostCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.result.ResultFile;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.worker.WorkerCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** A folder with a user's files, and the program run in it. */
final class Session {
    private final Path folder;
    private final Map<String, String> env = new HashMap<>(System.getenv());
    private WorkerCommand worker = WorkerCommand.usual();

    Session(Path folder) {
        this.folder = folder;
        // Shared by all tests, so that each built-in kernel is compiled once.
        env.put(
                "PANAMARK_CACHE",
                Path.of("target", "test-cache").toAbsolutePath().toString());
        env.remove("COLUMNS");
    }

    /** What a command printed and how it ended. */
    record Ended(int code, String out, String err) {
        boolean hasStackTrace() {
            return (out + err).contains("\tat ") || (out + err).contains("Exception");
        }
    }

    /** What runs the program in a process of its own; its arguments come behind. */
    static List<String> program() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName());
    }

    /** Measures in workers of another kind. */
    Session with(WorkerCommand other) {
        worker = other;
        return this;
    }

    Session with(String variable, String value) {
        env.put(variable, value);
        return this;
    }

    Ended run(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(new Surroundings(env, folder, worker), new PrintWriter(out), new PrintWriter(err), args);
        return new Ended(code, out.toString(), err.toString());
    }

    /** {@code panamark run ARGS} with its result. */
    RunResult result(Path json) {
        return ResultFile.read(json);
    }

    List<Row> rows(Path json) {
        return result(json).rows();
    }

    Path path(String name) {
        return folder.resolve(name);
    }

    Path file(String name, String text) {
        try {
            Files.createDirectories(path(name).getParent());
            return Files.writeString(path(name), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A kernel file for {@code out = 2 x}, beside {@code source}; {@code n} floats. */
    Path doubling(String name, String source) {
        file(name + ".c", "#include <stdint.h>\n#include <math.h>\n" + source);
        return file(name + ".yaml", """
                format: panamark.kernel/1
                kernel: mine.%1$s
                purpose: doubles every element
                axes:
                  n: [1000]
                images:
                  cpu: [{file: %1$s.c}]
                buffers:
                  x: {type: f32, shape: [n], fill: normal}
                  out: {type: f32, shape: [n], role: output, check: {rule: close, atol: 1e-6}}
                steps:
                  - {entry: doubled, grid: ["ceil(n/100)"], args: [x, out, {i64: n}]}
                work:
                  flops: {fma_f32: n}
                  reads: bytes(x)
                  writes: bytes(out)
                check: {reference: linear, conventions: {alpha: 2}}
                """.formatted(name));
    }

    /** The kernel itself, with {@code body} run for every {@code i}. */
    static String source(String body) {
        return """
                void doubled(void **args, const int64_t grid[3], int64_t first, int64_t last) {
                  const float *x = *(const float **)args[0];
                  float *out = *(float **)args[1];
                  int64_t n = *(int64_t *)args[2];
                  (void)grid; (void)x; (void)out;
                  for (int64_t b = first; b < last; b++)
                    for (int64_t i = 100 * b; i < 100 * (b + 1) && i < n; i++) {
                      %s
                    }
                }
                """.formatted(body);
    }

    static void needsCompiler() {
        Assumptions.assumeTrue(
                HostCompiler.find(System.getenv()) instanceof Availability.Available,
                "no C compiler on this machine, so cpu:0 is not there");
    }
}
