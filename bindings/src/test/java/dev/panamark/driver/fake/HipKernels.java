package dev.panamark.driver.fake;

import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.Programs;
import dev.panamark.driver.hipcc.CompiledCode;
import dev.panamark.driver.hipcc.HipCompiler;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/** The kernels of src/test/resources/hip, compiled for a device and for the host. Skips a test where they cannot be. */
public final class HipKernels {
    /** One source for both. */
    public static final Path SOURCE =
            Path.of("src/test/resources/hip/kernels.hip").toAbsolutePath();

    private static final Path HEADERS = Path.of("../kernels/src/main/resources/panamark-kernels")
            .toAbsolutePath()
            .normalize();

    private HipKernels() {}

    /** A compiler that makes code objects. */
    public static HipCompiler compiler() {
        return switch (HipCompiler.find(System.getenv())) {
            case Availability.Available<HipCompiler>(HipCompiler found) -> found;
            case Availability.Unavailable<HipCompiler> none ->
                Assumptions.abort("no compiler of HIP on this machine: " + none.text());
        };
    }

    /** Options with which the kernels find panamark_hip.h. */
    public static List<String> options() {
        return List.of("-I" + HEADERS);
    }

    /** A code object of all of them; skips a test where the compiler is older than the processor. */
    public static CompiledCode code(String target) {
        HipCompiler compiler = compiler();
        try {
            return compiler.compile(SOURCE, options(), target, Path.of("target/hip-cache"));
        } catch (CompileException e) {
            Assumptions.assumeFalse(
                    String.valueOf(e.getMessage()).contains("gpu architecture"),
                    compiler.version() + " does not know " + target);
            throw e;
        }
    }

    /** Its bytes. */
    public static byte[] bytes(String target) {
        try {
            return Files.readAllBytes(code(target).file());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A build of all of them for the host, for the fake to run. */
    public static Path host(Path folder) {
        Path made = folder.resolve("kernels.so");
        List<String> call = new ArrayList<>(List.of(
                FakeLibrary.script("hip/build-host"),
                made.toString(),
                SOURCE.toString(),
                "saxpy",
                "block_sums",
                "reverse",
                "half_a_barrier"));
        Assumptions.assumeTrue(
                List.of("clang++-22", "g++", "clang++", "c++").stream()
                                .anyMatch(name ->
                                        Programs.find(name, System.getenv()).isPresent())
                        || System.getenv("CXX") != null,
                "no C++ compiler on this machine, which builds kernels for the host");
        FakeLibrary.run(call, Map.of());
        return made;
    }
}
