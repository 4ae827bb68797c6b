package dev.panamark.driver.nvrtc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.nvcc.CompiledPtx;
import dev.panamark.driver.nvcc.Ptxas;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NvrtcCompilerTest {
    private static final String KERNEL = """
            #include "factor.cuh"
            static __device__ __noinline__ float times(float x) { return FACTOR * x; }
            extern "C" __global__ void twice(float *x) { x[threadIdx.x] = times(x[threadIdx.x]); }
            """;

    @TempDir
    Path folder;

    private Path source(String below, String text) throws IOException {
        Path own = Files.createDirectories(folder.resolve(below));
        Files.writeString(own.resolve("factor.cuh"), "#define FACTOR 2\n");
        return Files.writeString(own.resolve("k.cu"), text);
    }

    private static NvrtcCompiler bare(Nvrtc nvrtc) {
        return NvrtcCompiler.of(nvrtc, Optional.empty(), Optional.empty(), Duration.ofMinutes(1));
    }

    private static Nvrtc real() {
        return switch (Nvrtc.find(System.getenv())) {
            case Availability.Available<Nvrtc>(Nvrtc nvrtc) -> nvrtc;
            case Availability.Unavailable<Nvrtc> none -> Assumptions.abort("no NVRTC on this machine: " + none.text());
        };
    }

    private CompiledPtx ptx(NvrtcCompiler compiler, Path source, String... options) throws IOException {
        return compiler.ptx(source, closure(source), List.of(options), "sm_80", folder.resolve("cache"));
    }

    /** Of the source and its one header, as it is here; the caller of the compiler knows how to. */
    private static String closure(Path source) throws IOException {
        return Sha256.of(List.of(Sha256.of(source), Sha256.of(source.resolveSibling("factor.cuh"))));
    }

    private String refusal(NvrtcCompiler compiler, Path source, String... options) {
        return String.valueOf(assertThrows(CompileException.class, () -> ptx(compiler, source, options))
                .getMessage());
    }

    private Ptxas ptxas(String body) throws IOException {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Path file = Files.writeString(
                bin.resolve("ptxas"),
                "#!/bin/sh\ncase \"$*\" in *--version*) echo 'ptxas: release 12.4, V12.4.99'; exit;; esac\n" + body
                        + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        Map<String, String> env = Map.of("CUDA_HOME", folder.toString(), "PATH", "/usr/bin:/bin");
        return ((Availability.Available<Ptxas>) Ptxas.find(env)).value();
    }

    @Test
    void theTextTellsItsCompilerItsFlagsAndNoPlace() throws Exception {
        NvrtcCompiler compiler = bare(FakeNvrtc.build(folder).open());
        Path source = source("a", KERNEL);
        CompiledPtx made = ptx(compiler, source, "-DN=3", "-Iinclude", "--include-path=more", "-I=third");
        assertEquals("NVRTC 12.4", made.compiler());
        assertEquals(
                List.of(
                        "--gpu-architecture=compute_80",
                        "-lineinfo",
                        "-DN=3",
                        "-Iinclude",
                        "--include-path=more",
                        "-I=third"),
                made.flags());
        assertEquals(Sha256.of(source), made.sourceSha256());
        assertEquals(Sha256.of(made.file()), made.sha256());
        assertEquals("8.4", made.ptxVersion());
        Path real = source.resolveSibling("").toRealPath();
        assertEquals(
                ".version 8.4\n.target sm_80\n.file 1 \"k.cu\"\n// --gpu-architecture=compute_80\n// -lineinfo\n// -DN=3\n// -I"
                        + real.resolve("include") + "\n// -I" + real.resolve("more") + "\n// -I" + real.resolve("third")
                        + "\n",
                Files.readString(made.file()));
    }

    @Test
    void theSecondTimeNothingIsCompiledUnlessSourceHeaderOptionOrTargetDiffers() throws Exception {
        FakeNvrtc fake = FakeNvrtc.build(folder);
        NvrtcCompiler compiler = bare(fake.open());
        Path source = source("a", KERNEL);
        CompiledPtx first = ptx(compiler, source);
        assertEquals(first, ptx(compiler, source));
        assertEquals(1, fake.compilations());
        ptx(compiler, source, "-DN=3");
        assertEquals(2, fake.compilations());
        compiler.ptx(source, closure(source), List.of(), "sm_90", folder.resolve("cache"));
        assertEquals(3, fake.compilations());
        Files.writeString(source.resolveSibling("factor.cuh"), "#define FACTOR 3\n");
        ptx(compiler, source);
        assertEquals(4, fake.compilations());
        Files.writeString(first.file(), "garbage");
        ptx(compiler, source);
        assertEquals(5, fake.compilations());
        // What a file that is put first includes is not in the hash that the caller gives.
        ptx(compiler, source, "-include=factor.cuh");
        ptx(compiler, source, "-include=factor.cuh");
        assertEquals(7, fake.compilations());
        assertEquals(0, fake.programs());
    }

    @Test
    void anotherVersionOfTheLibraryCompilesAgain() throws Exception {
        FakeNvrtc newer = FakeNvrtc.build(folder, "-DFAKE_MAJOR=12", "-DFAKE_MINOR=6");
        Path source = source("a", KERNEL);
        ptx(bare(FakeNvrtc.build(folder).open()), source);
        assertEquals("NVRTC 12.6", ptx(bare(newer.open()), source).compiler());
        assertEquals(1, newer.compilations());
    }

    @Test
    void theVersionIsLoweredWhereThereIsAPtxas() throws Exception {
        Nvrtc nvrtc = FakeNvrtc.build(folder).open();
        Ptxas from71 = ptxas("for last; do :; done\n! grep -q 'version 7.0' \"$last\"");
        Path source = source("a", KERNEL);
        NvrtcCompiler with = NvrtcCompiler.of(nvrtc, Optional.empty(), Optional.of(from71), Duration.ofMinutes(1));
        assertEquals("7.1", ptx(with, source).ptxVersion());
        assertEquals("8.4", ptx(bare(nvrtc), source).ptxVersion());
        NvrtcCompiler older =
                NvrtcCompiler.of(nvrtc, Optional.empty(), Optional.of(ptxas("exit 1")), Duration.ofMinutes(1));
        assertEquals("8.4", ptx(older, source("b", KERNEL + "// other\n")).ptxVersion());
    }

    @Test
    void anErrorOfTheSourceHasItsLines() throws Exception {
        Path source = source("a", KERNEL + """
                //fake fail nvrtcCompileProgram 6
                //fake log k.cu(1): warning: of little use
                //fake log k.cu(2): error: identifier "nowhere" is undefined
                """);
        FakeNvrtc fake = FakeNvrtc.build(folder);
        assertEquals(
                source + " does not compile (NVRTC 12.4):\nk.cu(2): error: identifier \"nowhere\" is undefined",
                refusal(bare(fake.open()), source));
        assertEquals(0, fake.programs());
    }

    @Test
    void aHeaderOfTheToolkitThatIsNotThereIsExplained() throws Exception {
        Path source = source("a", KERNEL + """
                //fake fail nvrtcCompileProgram 6
                //fake log k.cu(1): catastrophic error: could not open source file "cuda_fp16.h"
                """);
        Nvrtc nvrtc = FakeNvrtc.build(folder).open();
        String message = refusal(bare(nvrtc), source);
        assertTrue(message.contains("could not open source file \"cuda_fp16.h\"\nNVRTC brings no headers"), message);
        assertTrue(message.contains("CUDA_HOME"), message);
        ToolkitHeaders some = new ToolkitHeaders(folder, "");
        NvrtcCompiler with = NvrtcCompiler.of(nvrtc, Optional.of(some), Optional.empty(), Duration.ofMinutes(1));
        assertTrue(refusal(with, source).contains("but none of the host's C and C++ library"));
    }

    @Test
    void anOptionThatNvrtcDoesNotKnowIsNamed() throws Exception {
        Path source = source("a", KERNEL + """
                //fake fail nvrtcCompileProgram 5
                //fake log nvrtc: error: unrecognized option -O3 found
                """);
        assertEquals(
                source + ": NVRTC 12.4 does not take an option: nvrtc: error: unrecognized option -O3 found;"
                        + " expected those of NVRTC's manual; those that only nvcc knows need the CUDA toolkit",
                refusal(bare(FakeNvrtc.build(folder).open()), source, "-O3"));
    }

    @Test
    void otherStatusesAreTold() throws Exception {
        Nvrtc nvrtc = FakeNvrtc.build(folder).open();
        Path memory = source("a", KERNEL + "//fake fail nvrtcCreateProgram 1\n");
        assertEquals(
                memory
                        + " cannot be compiled by NVRTC 12.4: nvrtcCreateProgram failed with NVRTC_ERROR_OUT_OF_MEMORY (1)",
                refusal(bare(nvrtc), memory));
        Path builtins =
                source("b", KERNEL + "//fake fail nvrtcCompileProgram 7\n//fake log nvrtc: error: failed to open\n");
        assertTrue(
                refusal(bare(nvrtc), builtins).contains("failed to open\nlibnvrtc-builtins.so.12.4 belongs beside "));
        Path size = source("c", KERNEL + "//fake size 2000000000\n");
        assertTrue(refusal(bare(nvrtc), size).contains("nvrtcGetPTXSize gave 2000000000 bytes"));
        Path text = source("d", KERNEL + "//fake text nothing of PTX\n");
        assertTrue(refusal(bare(nvrtc), text).startsWith("what the compiler wrote has no .version"));
        assertFalse(Files.exists(folder.resolve("cache").resolve(Sha256.of(text) + ".ptx")));
    }

    @Test
    void aCompilationThatDoesNotEndIsLeft() throws Exception {
        Nvrtc nvrtc = FakeNvrtc.build(folder).open();
        NvrtcCompiler hasty = NvrtcCompiler.of(nvrtc, Optional.empty(), Optional.empty(), Duration.ofMillis(100));
        Path source = source("a", KERNEL + "//fake sleep 5000\n");
        assertTrue(refusal(hasty, source).endsWith("had not ended after 0 s"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-o=x", "-arch=sm_90", "--gpu-architecture=sm_90", "-time=x", "-dlto", "--device-c", "-Xcompiler=-O3",
                "-Xcudafe=x", "--pch", "--create-pch=x", "-use-pch=x", "-pch-dir=x", "-I", "-include"
            })
    void optionsThatChangeWhatIsMadeOrWhereAreRefused(String option) throws Exception {
        FakeNvrtc fake = FakeNvrtc.build(folder);
        String message = refusal(bare(fake.open()), source("a", KERNEL), "-DN=1", option);
        assertTrue(message.startsWith("option " + option + " for "), message);
        assertEquals(0, fake.compilations());
    }

    @Test
    void otherInputsAndArchitecturesAreRefused() throws Exception {
        NvrtcCompiler compiler = bare(FakeNvrtc.build(folder).open());
        Path source = source("a", KERNEL);
        assertTrue(refusal(compiler, source, "other.cu").contains("another input of NVRTC"));
        assertTrue(refusal(compiler, source, "-DA=\0").contains("zero character"));
        String message = String.valueOf(assertThrows(
                        CompileException.class,
                        () -> compiler.ptx(source, "", List.of(), "native", folder.resolve("cache")))
                .getMessage());
        assertTrue(message.endsWith("is no architecture; expected one such as sm_80"), message);
    }

    @Test
    void severalMayCompileAtOnce() throws Exception {
        FakeNvrtc fake = FakeNvrtc.build(folder);
        NvrtcCompiler compiler = bare(fake.open());
        List<Path> sources =
                List.of(source("s0", KERNEL + "//fake sleep 5\n//0\n"), source("s1", KERNEL + "//fake sleep 5\n//1\n"));
        List<Future<CompiledPtx>> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 8; i++) {
                Path source = sources.get(i % 2);
                results.add(threads.submit(() -> ptx(compiler, source)));
            }
        }
        for (Future<CompiledPtx> result : results) {
            assertEquals(Sha256.of(result.get().file()), result.get().sha256());
        }
        assertEquals(0, fake.programs());
    }

    @Test
    void theRealOneMakesTheSameTextWhereverTheSourceLies() throws Exception {
        NvrtcCompiler compiler = bare(real());
        CompiledPtx first = ptx(compiler, source("a", KERNEL));
        Path elsewhere = source("b/c", KERNEL);
        CompiledPtx second = compiler.ptx(elsewhere, closure(elsewhere), List.of(), "sm_80", folder.resolve("other"));
        assertEquals(first.sha256(), second.sha256());
        String text = Files.readString(first.file());
        assertTrue(text.contains(".file\t1 \"k.cu\""), text);
        assertFalse(text.contains(folder.toString()), text);
        assertTrue(text.contains(".entry twice("), text);
        assertTrue(text.contains(".target sm_80"), text);
        assertTrue(text.contains("_INTERNAL_" + first.sourceSha256().substring(0, 8) + "_4_k_cu_"), text);
        // The fourth line of the text that is compiled is the source's first: the kernel's body is on the third.
        assertTrue(text.contains(".loc\t1 3 "), text);
    }

    @Test
    void theRealOneFindsHeadersOfFoldersAndItsOwnStandIns() throws Exception {
        NvrtcCompiler compiler = bare(real());
        Path source = source("a", """
                #include <float.h>
                #include <stddef.h>
                #include <stdint.h>
                #include "below/more.cuh"
                #include "factor.cuh"
                static_assert(sizeof(int8_t) == 1 && sizeof(int16_t) == 2 && sizeof(uint32_t) == 4, "");
                static_assert(sizeof(int64_t) == 8 && sizeof(uintptr_t) == 8 && sizeof(ptrdiff_t) == 8, "");
                static_assert(INT64_MIN < 0 && INT32_MAX == 0x7fffffff && SIZE_MAX == ~size_t(0), "");
                static_assert(INT_MIN == INT32_MIN && UINT_MAX == 0xffffffffu && CHAR_BIT == 8, "");
                static_assert(FLT_MAX == 0x1.fffffep127f && FLT_MIN == 0x1p-126f && FLT_EPSILON == 0x1p-23f, "");
                static_assert(DBL_MAX == 0x1.fffffffffffffp1023 && DBL_EPSILON == 0x1p-52, "");
                extern "C" __global__ void k(float *x) {
                    x[0] = -INFINITY;
                    x[1] = NAN;
                    x[2] = MORE;
                    x[3] = FACTOR;
                    x[4] = OTHER;
                }
                """);
        Files.writeString(
                Files.createDirectories(source.resolveSibling("below")).resolve("more.cuh"),
                "#include \"../factor.cuh\"\n#define MORE (FACTOR + 8)\n");
        Files.writeString(
                Files.createDirectories(source.resolveSibling("include")).resolve("first.cuh"), "#define OTHER 16\n");
        String text = Files.readString(
                ptx(compiler, source, "-Iinclude", "-include=first.cuh").file());
        // IEEE 754: -infinity, 10, 2 and 16 as bits of a float.
        assertTrue(text.contains("-8388608") || text.contains("0fFF800000"), text);
        for (String value : List.of("1092616192", "1073741824", "1098907648")) {
            assertTrue(text.contains(value) || text.contains("0f%08X".formatted(Long.parseLong(value))), text);
        }
    }

    @Test
    void theRealOnesErrorsKeepFileAndLine() throws Exception {
        NvrtcCompiler compiler = bare(real());
        Path source = source("a", "#warning first of all\nextern \"C\" __global__ void k() { nowhere(); }\n");
        String message = refusal(compiler, source);
        assertTrue(
                message.startsWith(source + " does not compile (" + compiler.version() + "):\nk.cu(2): error:"),
                message);
        assertTrue(message.contains("nowhere"), message);
        Path half = source("b", "#include <cuda_fp16.h>\n");
        assertTrue(refusal(compiler, half).contains("NVRTC brings no headers"), () -> refusal(compiler, half));
        assertTrue(refusal(compiler, source, "-O3").contains("unrecognized option -O3"));
        String target = String.valueOf(assertThrows(
                        CompileException.class,
                        () -> compiler.ptx(source, "", List.of(), "sm_999", folder.resolve("cache")))
                .getMessage());
        assertTrue(target.contains("--gpu-architecture"), target);
    }
}
