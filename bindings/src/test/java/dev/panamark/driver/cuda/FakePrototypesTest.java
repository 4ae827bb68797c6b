package dev.panamark.driver.cuda;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.compile.Subprocess;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.ffi.Availability;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FakePrototypesTest {
    private static final Path GENERATED = Path.of("src/main/java/dev/panamark/raw/cuda/GENERATED.properties");

    /**
     * The fake declares types and values of the API itself; with those of cuda.h the compiler compares every prototype,
     * value and layout.
     */
    @ParameterizedTest
    @ValueSource(strings = {"cuda.c", "errors.c"})
    void theyAreThoseOfTheHeader(String source) throws Exception {
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
        Properties generated = new Properties();
        try (InputStream in = Files.newInputStream(GENERATED)) {
            generated.load(in);
        }
        Assumptions.assumeTrue(
                ("sha256:" + Sha256.of(include.resolve("cuda.h"))).equals(generated.getProperty("cuda.h")),
                "cuda.h on this machine is not the one that the bindings were made of");
        Subprocess.Ended ended = new Subprocess(env, Duration.ofMinutes(1))
                .run(
                        List.of(
                                compiler.path().toString(),
                                "-std=gnu11",
                                "-fsyntax-only",
                                "-Wno-deprecated-declarations",
                                "-DPANAMARK_WITH_CUDA_H",
                                "-I" + include,
                                Path.of("../native-build/fakes", source)
                                        .toAbsolutePath()
                                        .toString()),
                        Path.of("").toAbsolutePath(),
                        "");
        assertTrue(ended.ok(), ended.err());
    }
}
