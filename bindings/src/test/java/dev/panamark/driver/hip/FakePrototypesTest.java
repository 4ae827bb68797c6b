package dev.panamark.driver.hip;

import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.fake.FakeLibrary;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FakePrototypesTest {
    private static final Path GENERATED = Path.of("src/main/java/dev/panamark/raw/hip/GENERATED.properties");

    /**
     * The fake declares types and values of the API itself; with those of HIP's headers the compiler compares every
     * prototype, value and layout.
     */
    @ParameterizedTest
    @ValueSource(strings = {"hip.c", "errors.c", "presets.c"})
    void theyAreThoseOfTheHeaders(String source) throws Exception {
        Path include = Path.of(System.getenv().getOrDefault("HIP_HEADERS", "/opt/rocm/include"));
        Properties generated = new Properties();
        try (InputStream in = Files.newInputStream(GENERATED)) {
            generated.load(in);
        }
        for (String header : List.of("hip/hip_runtime_api.h", "hip/driver_types.h", "hip/hip_deprecated.h")) {
            Path file = include.resolve(header);
            Assumptions.assumeTrue(
                    Files.isReadable(file),
                    "no " + header + " on this machine; set HIP_HEADERS to the folder that has it");
            Assumptions.assumeTrue(
                    ("sha256:" + Sha256.of(file)).equals(generated.getProperty(header)),
                    header + " on this machine is not the one that the bindings were made of");
        }
        FakeLibrary.run(
                List.of(
                        FakeLibrary.compiler(),
                        "-std=gnu11",
                        "-fsyntax-only",
                        "-Wno-deprecated-declarations",
                        "-DPANAMARK_WITH_HIP_H",
                        "-I" + include,
                        FakeLibrary.script("hip/" + source)),
                Map.of());
    }
}
