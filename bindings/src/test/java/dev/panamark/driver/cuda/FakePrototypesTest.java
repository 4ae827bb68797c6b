package dev.panamark.driver.cuda;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.compile.Subprocess;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FakePrototypesTest {
    private static final Path RAW = Path.of("src/main/java/dev/panamark/raw");

    @TempDir
    Path folder;

    /**
     * The fake declares types and values of the APIs itself; with those of the headers the compiler compares every prototype,
     * value and layout.
     */
    @ParameterizedTest
    @CsvSource({
        "cuda.c, cuda, PANAMARK_WITH_CUDA_H",
        "errors.c, cuda, PANAMARK_WITH_CUDA_H",
        "cupti.c, cupti, PANAMARK_WITH_CUPTI_H"
    })
    void theyAreThoseOfTheHeader(String source, String library, String define) throws Exception {
        Map<String, String> env = System.getenv();
        HostCompiler compiler = switch (HostCompiler.find(env)) {
            case Availability.Available<HostCompiler>(HostCompiler found) -> found;
            case Availability.Unavailable<HostCompiler> none ->
                Assumptions.abort("no C compiler on this machine: " + none.text());
        };
        Path include = Path.of(env.getOrDefault("CUDA_HOME", "/usr/local/cuda"), "include");
        assumeThoseOfTheBindings(include, library);
        Files.createFile(folder.resolve("string")); // a header of C++ that a header of CUPTI includes and does not use
        Subprocess.Ended ended = new Subprocess(env, Duration.ofMinutes(1))
                .run(
                        List.of(
                                compiler.path().toString(),
                                "-std=gnu11",
                                "-fsyntax-only",
                                "-Wno-deprecated-declarations",
                                "-D" + define,
                                "-I" + folder,
                                "-I" + include,
                                Path.of("../native-build/fakes", source)
                                        .toAbsolutePath()
                                        .toString()),
                        Path.of("").toAbsolutePath(),
                        "");
        assertTrue(ended.ok(), ended.err());
    }

    private static void assumeThoseOfTheBindings(Path include, String library) throws IOException {
        Properties generated = new Properties();
        try (InputStream in = Files.newInputStream(RAW.resolve(library).resolve("GENERATED.properties"))) {
            generated.load(in);
        }
        for (String header : generated.stringPropertyNames()) {
            if (!header.endsWith(".h")) {
                continue;
            }
            Path file = include.resolve(header);
            Assumptions.assumeTrue(
                    Files.isReadable(file),
                    "no " + header + " on this machine; set CUDA_HOME to the toolkit that has it");
            Assumptions.assumeTrue(
                    ("sha256:" + Sha256.of(file)).equals(generated.getProperty(header)),
                    header + " on this machine is not the one that the bindings were made of");
        }
    }
}
