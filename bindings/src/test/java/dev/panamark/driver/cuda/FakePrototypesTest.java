package dev.panamark.driver.cuda;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.compile.Subprocess;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.ffi.Availability;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class FakePrototypesTest {
    /** The fake declares the types of the API itself; with those of cuda.h the compiler compares every prototype. */
    @Test
    void theyAreThoseOfTheHeader() throws Exception {
        Map<String, String> env = System.getenv();
        HostCompiler compiler = switch (HostCompiler.find(env)) {
            case Availability.Available<HostCompiler>(HostCompiler found) -> found;
            case Availability.Unavailable<HostCompiler> none ->
                Assumptions.abort("no C compiler on this machine: " + none.text());
        };
        Path include = Path.of(env.getOrDefault("CUDA_HOME", "/usr/local/cuda"), "include");
        Assumptions.assumeTrue(
                Files.isReadable(include.resolve("cuda.h")),
                "no cuda.h on this machine; set CUDA_HOME to the toolkit that has it");
        Subprocess.Ended ended = new Subprocess(env, Duration.ofMinutes(1))
                .run(
                        List.of(
                                compiler.path().toString(),
                                "-std=gnu11",
                                "-fsyntax-only",
                                "-Wno-deprecated-declarations",
                                "-DPANAMARK_WITH_CUDA_H",
                                "-I" + include,
                                Path.of("../native-build/fakes/cuda.c")
                                        .toAbsolutePath()
                                        .toString()),
                        Path.of("").toAbsolutePath(),
                        "");
        assertTrue(ended.ok(), ended.err());
    }
}
