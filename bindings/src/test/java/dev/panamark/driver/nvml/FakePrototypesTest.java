package dev.panamark.driver.nvml;

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
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class FakePrototypesTest {
    private static final Path GENERATED = Path.of("src/main/java/dev/panamark/raw/nvml/GENERATED.properties");

    /** The fake declares types and values itself; with those of nvml.h the compiler compares every one. */
    @Test
    void theyAreThoseOfTheHeader() throws Exception {
        Map<String, String> env = System.getenv();
        HostCompiler compiler = switch (HostCompiler.find(env)) {
            case Availability.Available<HostCompiler>(HostCompiler found) -> found;
            case Availability.Unavailable<HostCompiler> none ->
                Assumptions.abort("no C compiler on this machine: " + none.text());
        };
        Path header = Path.of(env.getOrDefault("NVML_HEADER", "/usr/local/cuda/include/nvml.h"))
                .toAbsolutePath();
        Assumptions.assumeTrue(Files.isReadable(header), "no nvml.h on this machine; set NVML_HEADER to the file");
        Properties generated = new Properties();
        try (InputStream in = Files.newInputStream(GENERATED)) {
            generated.load(in);
        }
        Assumptions.assumeTrue(
                ("sha256:" + Sha256.of(header)).equals(generated.getProperty("nvml.h")),
                "nvml.h on this machine is not the one that the bindings were made of");
        Subprocess.Ended ended = new Subprocess(env, Duration.ofMinutes(1))
                .run(
                        List.of(
                                compiler.path().toString(),
                                "-std=gnu11",
                                "-fsyntax-only",
                                "-Wno-deprecated-declarations",
                                "-DPANAMARK_WITH_NVML_H",
                                "-I" + Objects.requireNonNull(header.getParent()),
                                Path.of("../native-build/fakes/nvml.c")
                                        .toAbsolutePath()
                                        .toString()),
                        Path.of("").toAbsolutePath(),
                        "");
        assertTrue(ended.ok(), ended.err());
    }
}
