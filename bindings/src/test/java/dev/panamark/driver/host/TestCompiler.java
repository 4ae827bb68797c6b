package dev.panamark.driver.host;

import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** The real C compiler for tests, plain or behind a script that watches it; tests are skipped where there is none. */
final class TestCompiler {
    private TestCompiler() {}

    static HostCompiler real() {
        return switch (HostCompiler.find(System.getenv())) {
            case Availability.Available<HostCompiler>(HostCompiler compiler) -> compiler;
            case Availability.Unavailable<HostCompiler> none ->
                Assumptions.abort("no C compiler on this machine: " + none.text());
        };
    }

    /** A compiler script; in {@code body}, {@code $REAL} is the real one and {@code "$@"} its arguments. */
    static HostCompiler script(Path folder, String body, Duration timeout) throws IOException {
        return script(folder, body, timeout, real());
    }

    private static HostCompiler script(Path folder, String body, Duration timeout, HostCompiler real)
            throws IOException {
        Path script = writeScript(folder, "REAL=" + real.path() + "\n" + body);
        Map<String, String> env = new HashMap<>(System.getenv());
        env.put("CC", script.toString());
        return switch (HostCompiler.find(env, timeout)) {
            case Availability.Available<HostCompiler>(HostCompiler compiler) -> compiler;
            case Availability.Unavailable<HostCompiler> none -> fail(none.text());
        };
    }

    static Path writeScript(Path folder, String body) throws IOException {
        Path script = Files.createTempFile(folder, "cc", "");
        Files.writeString(script, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return script;
    }

    /** A script that writes its arguments to {@code log} and then is the real compiler. */
    static HostCompiler logging(Path folder, Path log) throws IOException {
        return script(folder, "echo \"$*\" >> " + log + "\nexec $REAL \"$@\"", Duration.ofSeconds(60));
    }

    /** How often a logging compiler compiled, not counting preprocessing and questions. */
    static long compilations(Path log) throws IOException {
        return Files.readAllLines(log).stream().filter(l -> l.contains(" -o ")).count();
    }

    /** What a person reads; every exception here has a message. */
    static String message(Throwable t) {
        return String.valueOf(t.getMessage());
    }

    static Path source(Path folder, String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    static HostLibrary library(Path folder, String text, String... options) throws IOException {
        Path source = source(folder, "kernel.c", text);
        return HostLibrary.open(real().compile(source, List.of(options), folder.resolve("cache"))
                .sharedObject());
    }
}
