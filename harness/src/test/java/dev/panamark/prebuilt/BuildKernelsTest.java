package dev.panamark.prebuilt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.nvcc.CudaCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.PrebuiltImage;
import dev.panamark.kernel.PrebuiltImages;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuildKernelsTest {
    private static final Path COMMITTED = Path.of("../kernels/src/main/resources", PrebuiltImages.ROOT);

    @TempDir
    Path dir;

    /** The compiler that made the committed images; another one may write other text for the same source. */
    private static CudaCompiler recorded() {
        List<String> recorded = PrebuiltImages.load().all().stream()
                .map(PrebuiltImage::compiler)
                .distinct()
                .toList();
        assertEquals(1, recorded.size(), recorded::toString);
        CudaCompiler compiler = compiler();
        Assumptions.assumeTrue(
                recorded.contains(compiler.version()),
                () -> "prebuilt PTX was made by nvcc " + recorded.getFirst() + "; here is " + compiler.version());
        return compiler;
    }

    private static CudaCompiler compiler() {
        return switch (CudaCompiler.find(BuildKernels.plain(System.getenv()))) {
            case Availability.Available<CudaCompiler>(CudaCompiler found) -> found;
            case Availability.Unavailable<CudaCompiler> none ->
                Assumptions.abort("no CUDA toolkit on this machine: " + none.text());
        };
    }

    private static Map<String, String> texts(Path folder) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                texts.put(folder.relativize(file).toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return texts;
    }

    /** Built in another folder than the committed images were, so a path of either would show. */
    @Test
    void aRebuildWritesTheCommittedImagesAgain() throws IOException {
        CudaCompiler compiler = recorded();
        Path folder = dir.resolve("prebuilt");
        Files.createDirectories(folder.resolve("kv"));
        Files.writeString(folder.resolve("kv/no-longer-made.ptx"), ".version 7.0\n");
        new BuildKernels(compiler, dir.resolve("cache")).into(folder);
        Map<String, String> built = texts(folder);
        Map<String, String> committed = texts(COMMITTED);
        assertEquals(committed.keySet(), built.keySet());
        for (String name : committed.keySet()) {
            assertEquals(committed.get(name), built.get(name), name + ": run scripts/build-kernels");
        }
    }

    @Test
    void whatIsMissingIsSaid() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
        assertEquals(2, BuildKernels.run(new String[0], Map.of(), stream, stream));
        assertTrue(err.toString(StandardCharsets.UTF_8).contains("expected one folder"), err::toString);
        err.reset();
        Map<String, String> nowhere = Map.of("CUDA_HOME", dir.resolve("none").toString());
        String target = dir.resolve("target").toString();
        assertEquals(3, BuildKernels.run(new String[] {target}, nowhere, stream, stream));
        assertTrue(err.toString(StandardCharsets.UTF_8).contains("CUDA_HOME=" + dir.resolve("none")), err::toString);
        assertFalse(Files.exists(dir.resolve("target")));
    }

    @Test
    void optionsOfThisMachineAreNotUsed() {
        assertEquals(
                Map.of("PATH", "/bin"),
                BuildKernels.plain(
                        Map.of("PATH", "/bin", "NVCC_APPEND_FLAGS", "-use_fast_math", "NVCC_PREPEND_FLAGS", "-G")));
    }
}
