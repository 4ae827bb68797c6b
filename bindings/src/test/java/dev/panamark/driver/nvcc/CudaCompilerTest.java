package dev.panamark.driver.nvcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CudaCompilerTest {
    private static final String KERNEL = """
            #include "factor.cuh"
            static __device__ __noinline__ float times(float x) { return FACTOR * x; }
            extern "C" __global__ void twice(float *x) { x[threadIdx.x] = times(x[threadIdx.x]); }
            """;

    /** A compiler that writes PTX with its folder in it, as nvcc does. */
    private static final String NVCC = """
            case "$*" in
            *--version*) echo 'Cuda compilation tools, release 12.4, V12.4.99'; exit;;
            *-E*) cat "$PWD"/*; exit;;
            esac
            echo "$*" >> LOG
            while [ "$1" != -o ]; do shift; done
            printf '.version 8.4\\n.target sm_80\\n.file 1 "%s/k.cu"\\n' "$PWD" > "$2"
            """;

    private static final String PTXAS_FROM_7_1 = "for last; do :; done\n! grep -q 'version 7.0' \"$last\"\n";

    @TempDir
    Path folder;

    private static CudaCompiler real() {
        Map<String, String> env = new HashMap<>(System.getenv());
        List.of("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS").forEach(env::remove);
        return switch (CudaCompiler.find(env)) {
            case Availability.Available<CudaCompiler>(CudaCompiler compiler) -> compiler;
            case Availability.Unavailable<CudaCompiler> none ->
                Assumptions.abort("no CUDA toolkit on this machine: " + none.text());
        };
    }

    private Path source(String below) throws IOException {
        Path own = Files.createDirectories(folder.resolve(below));
        Files.writeString(own.resolve("factor.cuh"), "#define FACTOR 2\n");
        return Files.writeString(own.resolve("k.cu"), KERNEL);
    }

    private Path toolkit(Path home, String nvcc, String ptxas) throws IOException {
        Path bin = Files.createDirectories(home.resolve("bin"));
        script(bin.resolve("nvcc"), nvcc.replace("LOG", folder.resolve("log").toString()));
        script(bin.resolve("ptxas"), ptxas);
        return home;
    }

    private static void script(Path file, String body) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private CudaCompiler fake(String nvcc, String ptxas, Duration timeout) throws IOException {
        Path home = toolkit(folder.resolve("toolkit"), nvcc, ptxas);
        return available(
                CudaCompiler.find(Map.of("PATH", "/usr/bin:/bin", "CUDA_HOME", home.toString()), folder, timeout));
    }

    private CudaCompiler fake() throws IOException {
        return fake(NVCC, PTXAS_FROM_7_1, Duration.ofSeconds(60));
    }

    private static CudaCompiler available(Availability<CudaCompiler> found) {
        return ((Availability.Available<CudaCompiler>) found).value();
    }

    private static Availability.Unavailable<CudaCompiler> none(Availability<CudaCompiler> found) {
        return (Availability.Unavailable<CudaCompiler>) found;
    }

    private CompiledPtx ptx(CudaCompiler compiler, Path source, String... options) {
        return compiler.ptx(source, List.of(options), "sm_80", folder.resolve("cache"));
    }

    private String refusal(CudaCompiler compiler, Path source, String... options) {
        return String.valueOf(assertThrows(CompileException.class, () -> ptx(compiler, source, options))
                .getMessage());
    }

    private long compilations() throws IOException {
        Path log = folder.resolve("log");
        return Files.exists(log) ? Files.readAllLines(log).size() : 0;
    }

    @Test
    void withoutAToolkitEveryPlaceHasItsReason() throws IOException {
        Path root = Files.createDirectories(folder.resolve("root"));
        Files.createDirectories(root.resolve("usr/local/cuda-12.4/bin"));
        Availability.Unavailable<CudaCompiler> none =
                none(CudaCompiler.find(Map.of("PATH", folder.toString()), root, Duration.ofSeconds(1)));
        assertEquals(
                List.of(
                        root + "/usr/local/cuda: no folder " + root + "/usr/local/cuda/bin",
                        root + "/usr/local/cuda-12.4: no executable file " + root + "/usr/local/cuda-12.4/bin/nvcc",
                        root + "/opt/cuda: no folder " + root + "/opt/cuda/bin",
                        "nvcc: not on PATH"),
                none.reasons());
        assertTrue(none.remedy().contains("CUDA_HOME"), none.remedy());
    }

    @Test
    void theNewestOfTheUsualPlacesIsTakenAndPathComesLast() throws IOException {
        Path root = folder.resolve("root");
        Path onPath = toolkit(folder.resolve("elsewhere"), NVCC, PTXAS_FROM_7_1).resolve("bin");
        Map<String, String> env = Map.of("PATH", onPath + ":/usr/bin:/bin");
        assertEquals(
                onPath.resolve("nvcc"),
                available(CudaCompiler.find(env, root, Duration.ofSeconds(60))).path());
        toolkit(root.resolve("usr/local/cuda-9.2"), NVCC, PTXAS_FROM_7_1);
        Path newest = toolkit(root.resolve("usr/local/cuda-12.4"), NVCC, PTXAS_FROM_7_1);
        CudaCompiler found = available(CudaCompiler.find(env, root, Duration.ofSeconds(60)));
        assertEquals(newest.resolve("bin/nvcc"), found.path());
        assertEquals("release 12.4, V12.4.99", found.version());
    }

    @Test
    void aChosenToolkitMustWorkEvenWhereAnotherWould() throws IOException {
        toolkit(folder.resolve("usr/local/cuda"), NVCC, PTXAS_FROM_7_1);
        Path broken = toolkit(folder.resolve("broken"), "echo 'no licence' >&2; exit 3", "exit 0");
        Availability.Unavailable<CudaCompiler> none = none(CudaCompiler.find(
                Map.of("PATH", "/usr/bin:/bin", "CUDA_PATH", broken.toString()), folder, Duration.ofSeconds(60)));
        assertEquals(
                List.of("CUDA_PATH=" + broken + ": " + broken + "/bin/nvcc --version ended with 3: no licence"),
                none.reasons());
        assertTrue(none.remedy().endsWith("unset it to search the usual places"), none.remedy());

        Path stranger = toolkit(folder.resolve("stranger"), "echo 'something else 1.0'", "exit 0");
        assertEquals(
                List.of("CUDA_HOME=" + stranger + ": " + stranger + "/bin/nvcc --version says no release, but "
                        + "'something else 1.0'"),
                none(CudaCompiler.find(
                                Map.of(
                                        "CUDA_HOME",
                                        stranger.toString(),
                                        "CUDA_PATH",
                                        "/nowhere",
                                        "PATH",
                                        "/usr/bin:/bin"),
                                folder,
                                Duration.ofSeconds(60)))
                        .reasons());
    }

    @Test
    void theVersionIsLoweredToTheLeastThatPtxasTakes() throws IOException {
        CompiledPtx made = ptx(fake(), source("k"), "-DN=3");
        assertEquals("7.1", made.ptxVersion());
        assertEquals(".version 7.1\n.target sm_80\n.file 1 \"k.cu\"\n", Files.readString(made.file()));
        assertEquals(List.of("-ptx", "-arch=sm_80", "-lineinfo", "-DN=3"), made.flags());
        assertEquals("release 12.4, V12.4.99", made.compiler());
        assertEquals(Sha256.of(made.file()), made.sha256());
        assertEquals(made.sha256() + ".ptx", String.valueOf(made.file().getFileName()));
    }

    @Test
    void whatPtxasTakesWithNoVersionIsRefusedInItsWords() throws IOException {
        CudaCompiler compiler = fake(
                NVCC,
                "for last; do :; done\necho \"ptxas $(head -1 $last), line 3; error   : nothing goes\" >&2\nexit 1",
                Duration.ofSeconds(60));
        Path source = source("k");
        assertEquals(
                source + " does not compile (ptxas of nvcc release 12.4, V12.4.99):\n"
                        + "ptxas .version 8.4, line 3; error   : nothing goes",
                refusal(compiler, source));
    }

    @Test
    void theSecondTimeNothingIsCompiledUnlessAHeaderOptionOrVariableDiffers() throws IOException {
        CudaCompiler compiler = fake();
        Path source = source("k");
        CompiledPtx first = ptx(compiler, source);
        assertEquals(first, ptx(compiler, source));
        assertEquals(1, compilations());
        ptx(compiler, source, "-DN=3");
        assertEquals(2, compilations());
        compiler.ptx(source, List.of(), "sm_90", folder.resolve("cache"));
        assertEquals(3, compilations());
        Files.writeString(source.resolveSibling("factor.cuh"), "#define FACTOR 3\n");
        ptx(compiler, source);
        assertEquals(4, compilations());
        Map<String, String> env = Map.of(
                "PATH", "/usr/bin:/bin",
                "CUDA_HOME", folder.resolve("toolkit").toString(),
                "NVCC_APPEND_FLAGS", "-use_fast_math");
        CompiledPtx hidden = ptx(available(CudaCompiler.find(env, folder, Duration.ofSeconds(60))), source);
        assertEquals(5, compilations());
        assertTrue(hidden.flags().contains("NVCC_APPEND_FLAGS=-use_fast_math"), hidden::toString);
    }

    @Test
    void aDamagedTextIsMadeAgain() throws IOException {
        CudaCompiler compiler = fake();
        Path source = source("k");
        CompiledPtx first = ptx(compiler, source);
        Files.writeString(first.file(), "garbage");
        assertEquals(first, ptx(compiler, source));
        assertEquals(first.sha256(), Sha256.of(first.file()));
        assertEquals(2, compilations());
    }

    @Test
    void severalMayCompileAtOnce() throws IOException, InterruptedException, ExecutionException {
        Path source = source("k");
        CudaCompiler compiler = fake();
        CyclicBarrier start = new CyclicBarrier(3);
        List<Future<CompiledPtx>> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            for (int i = 0; i < 3; i++) {
                results.add(threads.submit(() -> {
                    start.await();
                    return ptx(compiler, source);
                }));
            }
        }
        for (Future<CompiledPtx> result : results) {
            assertEquals(Sha256.of(result.get().file()), result.get().sha256());
        }
        try (Stream<Path> kept = Files.list(folder.resolve("cache"))) {
            assertEquals(2, kept.count());
        }
    }

    @Test
    void aCompilerThatHangsIsKilled() throws IOException {
        CudaCompiler compiler = fake(
                "case \"$*\" in *--version*) echo 'release 12.4, V12.4.99'; exit;; *-E*) exit;; esac\nexec sleep 600",
                PTXAS_FROM_7_1,
                Duration.ofSeconds(1));
        String message = refusal(compiler, source("k"));
        assertTrue(message.endsWith("nvcc was killed because it had not ended after 1 s"), message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-o",
                "-o=/tmp/x",
                "--output-file=x",
                "-odir=x",
                "-c",
                "-E",
                "-MD",
                "-x=c",
                "-arch=sm_90",
                "--gpu-code=sm_90",
                "-gencode=arch=compute_90,code=sm_90",
                "-ccbin=/bin/sh",
                "-Xcompiler=-fplugin=x",
                "--keep",
                "-save-temps",
                "--options-file=x",
                "-cubin",
                "-dryrun",
                "-time=x"
            })
    void optionsThatChangeWhatIsMadeOrWhereAreRefused(String option) throws IOException {
        String message = refusal(fake(), source("k"), "-DN=1", option);
        assertTrue(message.startsWith("option " + option + " for "), message);
        assertEquals(0, compilations());
    }

    @Test
    void otherInputsAndArchitecturesAreRefused() throws IOException {
        CudaCompiler compiler = fake();
        Path source = source("k");
        assertTrue(refusal(compiler, source, "other.cu").contains("another input"));
        assertTrue(refusal(compiler, folder).endsWith("is a folder; expected a file with CUDA C++ source"));
        String message = String.valueOf(assertThrows(
                        CompileException.class,
                        () -> compiler.ptx(source, List.of(), "native -o x", folder.resolve("cache")))
                .getMessage());
        assertTrue(message.endsWith("is no architecture; expected one such as sm_80"), message);
    }

    @Test
    void aMissingHostCompilerIsNamed() throws IOException {
        CudaCompiler compiler = fake("""
                case "$*" in *--version*) echo 'release 12.4, V12.4.99'; exit;; esac
                echo 'gcc: No such file or directory' >&2
                echo 'nvcc fatal   : Failed to preprocess host compiler properties.' >&2
                exit 1
                """, PTXAS_FROM_7_1, Duration.ofSeconds(60));
        String message = refusal(compiler, source("k"));
        assertTrue(message.contains("apt-get install g++"), message);
    }

    @Test
    void theRealOneMakesTheSameTextWhereverTheSourceLies() throws IOException {
        CudaCompiler compiler = real();
        Path here = source("a/k");
        CompiledPtx first = ptx(compiler, here);
        CompiledPtx second = compiler.ptx(source("elsewhere/k"), List.of(), "sm_80", folder.resolve("other"));
        assertEquals(first.sha256(), second.sha256());
        String text = Files.readString(first.file());
        assertTrue(text.contains(".file\t1 \"k.cu\""), text);
        assertFalse(text.contains(folder.toString()), text);
        // .visible .entry twice, and the local function, whose name has the source's hash instead of its path's.
        assertTrue(text.contains(".entry twice("), text);
        assertTrue(text.contains("_INTERNAL_" + first.sourceSha256().substring(0, 8) + "_4_k_cu_"), text);
        // Lines of inlined functions and .target sm_80 need 7.0 (PTX ISA manual), and nothing here needs more.
        assertEquals("7.0", first.ptxVersion());
        assertTrue(compiler.version().matches("release [0-9]+\\.[0-9]+, V[0-9.]+"), compiler.version());
    }

    @Test
    void theRealOneSeesHeadersAndNewerInstructions() throws IOException {
        CudaCompiler compiler = real();
        Path source = source("k");
        CompiledPtx two = ptx(compiler, source);
        Files.writeString(source.resolveSibling("factor.cuh"), "#define FACTOR 3\n");
        assertNotEquals(two.sha256(), ptx(compiler, source).sha256());
        // sm_90 came with PTX 7.8 (PTX ISA manual, release history).
        assertEquals(
                "7.8",
                compiler.ptx(source, List.of(), "sm_90", folder.resolve("cache"))
                        .ptxVersion());
    }

    @Test
    void theRealOnesErrorsKeepFileAndLine() throws IOException {
        CudaCompiler compiler = real();
        Path source = source("k");
        Files.writeString(source, "#warning first of all\nextern \"C\" __global__ void k() { nowhere(); }\n");
        String message = refusal(compiler, source);
        assertTrue(
                message.startsWith(source + " does not compile (nvcc " + compiler.version() + "):\nk.cu(2): error:"),
                message);
        assertTrue(message.contains("nowhere"), message);
    }

    /** As ptxas -v writes it; the figures are made up. */
    @Test
    void registersAreThoseOfTheirKernel() throws IOException {
        String ptxas = """
                echo "ptxas info    : Compiling entry function 'first' for 'sm_90'" >&2
                echo "ptxas info    : Function properties for first" >&2
                echo "ptxas info    : Used 40 registers, used 1 barriers, 1024 bytes smem" >&2
                echo "ptxas info    : Compiling entry function 'second' for 'sm_90'" >&2
                echo "ptxas info    : Used 128 registers, used 0 barriers" >&2
                case "$*" in *-arch=sm_90*) exit 0;; esac
                echo "ptxas fatal   : Value 'sm_1' is not defined for option 'gpu-name'" >&2
                exit 255
                """;
        Path home = toolkit(folder.resolve("toolkit"), NVCC, ptxas);
        CudaCompiler compiler =
                switch (CudaCompiler.find(Map.of("CUDA_HOME", home.toString(), "PATH", System.getenv("PATH")))) {
                    case Availability.Available<CudaCompiler>(CudaCompiler found) -> found;
                    case Availability.Unavailable<CudaCompiler> none -> throw new AssertionError(none.text());
                };
        Path ptx = Files.writeString(folder.resolve("k.ptx"), ".version 7.0\n.target sm_80\n");
        assertEquals(Map.of("first", 40, "second", 128), compiler.ptxas().registers(ptx, "sm_90"));
        String refused = String.valueOf(
                assertThrows(CompileException.class, () -> compiler.ptxas().registers(ptx, "sm_1"))
                        .getMessage());
        assertTrue(refused.contains("is not defined for option"), refused);
    }
}
