package dev.panamark.driver.hipcc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.codeobject.CodeObject;
import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.fake.HipKernels;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HipCompilerTest {
    @TempDir
    Path folder;

    private Path source(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private CompiledCode compile(Path source, String... options) {
        return HipKernels.compiler().compile(source, List.of(options), "gfx942", folder.resolve("cache"));
    }

    private Path script(String name, String... lines) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        assertTrue(file.toFile().setExecutable(true));
        return file;
    }

    private static Availability.Unavailable<HipCompiler> none(Availability<HipCompiler> found) {
        return (Availability.Unavailable<HipCompiler>) found;
    }

    @Test
    void aCodeObjectIsMadeOnceAndThenFound() throws IOException {
        Path k = source("k.hip", """
                #include "n.h"
                extern "C" __attribute__((global)) void set(int *x) { *x = N; }
                """);
        source("n.h", "#define N 3\n");
        CompiledCode first = compile(k);
        assertEquals(first, compile(k));
        CodeObject code = CodeObject.read(Files.readAllBytes(first.file()));
        assertEquals("gfx942", code.target());
        assertEquals(5, code.version());
        assertEquals(8, code.kernel("set").orElseThrow().kernargBytes());
        assertTrue(
                first.flags().contains("--offload-arch=gfx942"), first.flags().toString());
        source("n.h", "#define N 4\n");
        assertNotEquals(first.sha256(), compile(k).sha256(), "a header counts");
        assertNotEquals(
                CodeObject.read(Files.readAllBytes(
                                compile(k, "-mcode-object-version=6").file()))
                        .version(),
                code.version(),
                "an option of the source's comes after those that are fixed");
    }

    @Test
    void whatDoesNotCompileIsToldInTheCompilersWords() throws IOException {
        Path k = source("k.hip", "extern \"C\" __attribute__((global)) void f(int *x) { *x = y; }\n");
        CompileException e = assertThrows(CompileException.class, () -> compile(k));
        String message = String.valueOf(e.getMessage());
        assertTrue(message.startsWith(k.toRealPath() + " does not compile ("), message);
        assertTrue(message.contains("k.hip:1:58: error: use of undeclared identifier 'y'"), message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "other.hip",
                "-o",
                "-ox",
                "-c",
                "-E",
                "-x",
                "--offload-arch=gfx90a",
                "-mcpu=gfx90a",
                "-fgpu-rdc",
                "-save-temps",
                "-emit-llvm",
                "-include",
                "-"
            })
    void optionsThatChangeWhatIsMadeAreRefused(String option) throws IOException {
        Path k = source("k.hip", "");
        CompileException e = assertThrows(CompileException.class, () -> HipOptions.check(List.of(option), k));
        String message = String.valueOf(e.getMessage());
        assertTrue(message.startsWith("option ") && message.contains(option), message);
    }

    @Test
    void targetsAreThoseOfTheCompiler() {
        HipOptions.checkTarget("gfx90a", folder);
        HipOptions.checkTarget("gfx90a:sramecc+:xnack-", folder);
        HipOptions.checkTarget("gfx1100", folder);
        for (String wrong : List.of("sm_90", "gfx", "gfx942 -o x", "gfx942:fast+", "GFX942")) {
            assertThrows(CompileException.class, () -> HipOptions.checkTarget(wrong, folder), wrong);
        }
    }

    @Test
    void everyCompilerThatWasTriedIsNamed() throws IOException {
        Path old = script(
                "clang-19",
                "case $1 in --version) echo 'clang version 19.1.0'; exit;; esac",
                "echo 'clang: error: unable to execute command: Executable \"lld\" does not exist!' >&2; exit 1");
        Path mute = script("clang", "exit 3");
        Availability.Unavailable<HipCompiler> found = none(HipCompiler.find(
                Map.of("PATH", folder.toString() + ":/usr/bin:/bin"),
                List.of("hipcc-of-nobody", old.toString(), mute.toString()),
                Duration.ofSeconds(30)));
        assertEquals("hipcc-of-nobody: not on PATH", found.reasons().get(0));
        assertTrue(found.reasons().get(1).contains("Executable \"lld\" does not exist!"), found.text());
        assertTrue(found.reasons().get(2).contains("ended with 3"), found.text());
        assertTrue(found.remedy().contains("lld-19"), found.remedy());
    }

    @Test
    void theChosenCompilerIsTheOnlyOne() {
        Availability.Unavailable<HipCompiler> found =
                none(HipCompiler.find(Map.of(HipCompiler.VARIABLE, "/nowhere/hipcc", "PATH", "/usr/bin")));
        assertEquals(List.of("PANAMARK_HIPCC=/nowhere/hipcc: no such executable file"), found.reasons());
        assertTrue(found.remedy().endsWith("or unset PANAMARK_HIPCC to search the usual ones"), found.remedy());
    }

    /** ROCm's compiler brings headers and device libraries, so it is not told to do without. */
    @Test
    void rocmsCompilerIsNotToldToDoWithoutItsHeaders() throws IOException {
        Path hipcc = script(
                "hipcc",
                "case $1 in --version) echo 'HIP version: 6.3'; echo 'AMD clang version 18.0.0git'; exit;; esac",
                "echo \"$*\" >>" + folder.resolve("calls"),
                "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && [ \"$2\" != - ] && echo code >\"$2\"; shift; done");
        HipCompiler compiler = ((Availability.Available<HipCompiler>)
                        HipCompiler.find(Map.of(HipCompiler.VARIABLE, hipcc.toString(), "PATH", "/usr/bin:/bin")))
                .value();
        assertTrue(compiler.isOfRocm());
        assertEquals("AMD clang version 18.0.0git", compiler.version());
        Path k = source("k.hip", "");
        CompiledCode made = compiler.compile(k, List.of("-DN=4"), "gfx90a", folder.resolve("cache"));
        assertEquals("code\n", Files.readString(made.file()));
        assertFalse(Files.readString(folder.resolve("calls")).contains("-nogpu"));
        assertEquals(
                List.of(
                        "-x",
                        "hip",
                        "--cuda-device-only",
                        "--no-gpu-bundle-output",
                        "-O3",
                        "-mcode-object-version=5",
                        "--offload-arch=gfx90a",
                        "-DN=4"),
                made.flags());
    }

    @Test
    void clangAloneIsToldToDoWithoutRocm() throws IOException {
        HipCompiler compiler = HipKernels.compiler();
        Path k = source("k.hip", "extern \"C\" __attribute__((global)) void f() {}\n");
        List<String> flags = compile(k).flags();
        assertEquals(!compiler.isOfRocm(), flags.contains("-nogpuinc") && flags.contains("-nogpulib"));
    }
}
