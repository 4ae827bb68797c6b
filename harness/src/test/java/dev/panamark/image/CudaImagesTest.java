package dev.panamark.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.device.DeviceException;
import dev.panamark.device.UnsupportedException;
import dev.panamark.driver.compile.Subprocess;
import dev.panamark.driver.host.HostCompiler;
import dev.panamark.driver.nvcc.CompiledPtx;
import dev.panamark.driver.nvrtc.NvrtcCompiler;
import dev.panamark.ffi.Availability;
import dev.panamark.kernel.DefaultImage;
import dev.panamark.kernel.Image;
import dev.panamark.kernel.PrebuiltImage;
import dev.panamark.kernel.PrebuiltImages;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CudaImagesTest {
    private static final List<String> CU = List.of(".cu");
    private static final Pattern HEAD = Pattern.compile("\\.entry ([A-Za-z0-9_]+)\\(([^)]*)\\)");

    @TempDir
    Path folder;

    private Image image = new Image("cuda", Path.of("none.cu"), List.of());

    @BeforeEach
    void source() throws IOException {
        image = image("extern \"C\" __global__ void k() {}\n");
    }

    private Image image(String source) throws IOException {
        return new Image("cuda", Files.writeString(folder.resolve("k.cu"), source), List.of("-DN=3"));
    }

    /** One that sees neither nvcc nor ptxas, and this NVRTC. */
    private CudaImages images(String nvrtc) {
        Map<String, String> env = Map.of(
                "CUDA_HOME", folder.resolve("none").toString(), "PANAMARK_NVRTC", nvrtc, "PATH", folder.toString());
        return new CudaImages(env, folder.resolve("cache"));
    }

    private String fake() throws IOException, InterruptedException {
        String cc = switch (HostCompiler.find(System.getenv())) {
            case Availability.Available<HostCompiler>(HostCompiler found) ->
                found.path().toString();
            case Availability.Unavailable<HostCompiler> none ->
                Assumptions.abort("no C compiler on this machine: " + none.text());
        };
        Path source = Path.of("../native-build/fakes/nvrtc/nvrtc.c").toAbsolutePath();
        String file = folder.resolve("libnvrtc.so.12").toString();
        Subprocess.Ended ended = new Subprocess(System.getenv(), Duration.ofMinutes(1))
                .run(List.of(cc, "-std=gnu11", "-fPIC", "-shared", "-o", file, source.toString()), folder, "");
        assertTrue(ended.ok(), ended.err());
        return file;
    }

    @Test
    void withNeitherCompilerBothAreNamed() {
        CudaImages images = images("/nowhere/libnvrtc.so.13");
        String message = String.valueOf(assertThrows(UnsupportedException.class, () -> images.code(image, CU, "sm_80"))
                .getMessage());
        assertTrue(message.startsWith(image.file() + " has to be compiled, and there is neither nvcc ("), message);
        assertTrue(message.contains("Install the CUDA toolkit"), message);
        assertTrue(message.contains("nor NVRTC (PANAMARK_NVRTC=/nowhere/libnvrtc.so.13 is not there"), message);
        assertTrue(message.contains("pip install nvidia-cuda-nvrtc"), message);
    }

    @Test
    void withoutNvccItIsNvrtc() throws Exception {
        Code code = images(fake()).code(image, CU, "sm_80");
        assertEquals("NVRTC 12.4", code.facts().get("compiler"));
        assertEquals(
                List.of("--gpu-architecture=compute_80", "-lineinfo", "-DN=3"),
                code.facts().get("flags"));
        assertTrue(new String(code.bytes(), StandardCharsets.UTF_8).contains("// -DN=3\n"));
        assertEquals(code.sha256() + ".ptx", code.name());
        assertTrue(images(fake()).assembler() instanceof Availability.Unavailable);
    }

    @Test
    void aSourceThatDoesNotCompileIsAFailureWithItsLines() throws Exception {
        Image wrong = image("//\n//fake fail nvrtcCompileProgram 6\n//fake log k.cu(7): error: here\n");
        CudaImages images = images(fake());
        assertEquals(
                wrong.file() + " does not compile (NVRTC 12.4):\nk.cu(7): error: here",
                assertThrows(DeviceException.class, () -> images.code(wrong, CU, "sm_80"))
                        .getMessage());
    }

    /** Against the texts that nvcc made: every kernel has the same name and parameters. */
    @Test
    void theRealOneCompilesEveryBuiltInKernel() throws IOException {
        NvrtcCompiler compiler = switch (NvrtcCompiler.find(System.getenv())) {
            case Availability.Available<NvrtcCompiler>(NvrtcCompiler found) -> found;
            case Availability.Unavailable<NvrtcCompiler> none ->
                Assumptions.abort("no NVRTC on this machine: " + none.text());
        };
        Assumptions.assumeTrue(
                compiler.hasHeaders(), "no headers of CUDA on this machine; set CUDA_HOME to a folder with include/");
        PrebuiltImages prebuilt = PrebuiltImages.load();
        Map<String, Map<String, String>> ours = new HashMap<>();
        Map<String, Map<String, String>> nvccs = new HashMap<>();
        for (DefaultImage each : DefaultImage.all(folder.resolve("sources"))) {
            CompiledPtx made = compiler.ptx(
                    each.file(), each.sourceSha256(), each.options(), each.arch(), folder.resolve("cache"));
            PrebuiltImage ready = prebuilt.find(each.sourceSha256(), each.options(), each.arch())
                    .orElseThrow();
            String name = each.source() + " " + each.options();
            ours.put(name, kernels(Files.readString(made.file(), StandardCharsets.ISO_8859_1)));
            nvccs.put(name, kernels(new String(ready.bytes(), StandardCharsets.ISO_8859_1)));
        }
        assertEquals(nvccs, ours);
        assertFalse(ours.values().stream().anyMatch(Map::isEmpty), ours::toString);
    }

    /** Parameters by the kernel's name. */
    private static Map<String, String> kernels(String ptx) {
        Map<String, String> found = new HashMap<>();
        for (MatchResult head : HEAD.matcher(ptx).results().toList()) {
            found.put(head.group(1), head.group(2).replaceAll("\\s+", " "));
        }
        return found;
    }
}
