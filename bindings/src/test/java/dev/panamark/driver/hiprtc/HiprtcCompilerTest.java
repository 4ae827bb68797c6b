package dev.panamark.driver.hiprtc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.codeobject.CodeObject;
import dev.panamark.driver.codeobject.OffloadBundle;
import dev.panamark.driver.compile.CompileException;
import dev.panamark.driver.hipcc.CompiledCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Debian's 5.2.3, which compiles without a device. */
class HiprtcCompilerTest {
    private static final Path LIBRARY = Path.of("/usr/lib/x86_64-linux-gnu/libamdhip64.so.5");

    @TempDir
    Path folder;

    private Path source = Path.of("");

    @BeforeEach
    void sources() throws IOException {
        Assumptions.assumeTrue(Files.exists(LIBRARY), "no " + LIBRARY + " on this machine (libamdhip64-5 of Debian)");
        Files.writeString(folder.resolve("beside.h"), "#include \"below.h\"\n");
        Files.writeString(
                Files.createDirectory(folder.resolve("include")).resolve("below.h"), "#define VALUE (N + 1)\n");
        source = Files.writeString(folder.resolve("set.hip"), """
                #include "beside.h"
                extern "C" __attribute__((global)) void set(int *x) { *x = VALUE; }
                """);
    }

    private CompiledCode compile(List<String> options, String target) {
        return HiprtcCompiler.find(Map.of(Hiprtc.VARIABLE, LIBRARY.toString()))
                .orElseThrow(IllegalStateException::new)
                .compile(source, "closure", options, target, folder.resolve("cache"));
    }

    @Test
    void headersBesideTheSourceAndInNamedFoldersAreFound() throws IOException {
        CompiledCode made = compile(List.of("-Iinclude", "-DN=2"), "gfx90a");
        assertTrue(made.compiler().startsWith("hiprtc "), made.compiler());
        assertEquals(List.of("-O3", "--offload-arch=gfx90a", "-Iinclude", "-DN=2"), made.flags());
        byte[] bytes = Files.readAllBytes(made.file());
        CodeObject code = CodeObject.read(
                OffloadBundle.isBundle(bytes)
                        ? OffloadBundle.read(bytes).code(bytes, "gfx90a").orElseThrow()
                        : bytes);
        assertEquals("gfx90a", code.target());
        assertTrue(code.kernel("set").isPresent());
    }

    @Test
    void whatWasMadeIsKept() throws IOException {
        CompiledCode made = compile(List.of("-Iinclude", "-DN=2"), "gfx90a");
        byte[] bytes = Files.readAllBytes(made.file());
        Files.delete(folder.resolve("beside.h"));
        CompiledCode again = compile(List.of("-Iinclude", "-DN=2"), "gfx90a");
        assertEquals(made.file(), again.file());
        assertArrayEquals(bytes, Files.readAllBytes(again.file()));
    }

    @Test
    void aSourceThatDoesNotCompileIsNamedWithItsFirstErrors() {
        CompileException e = assertThrows(CompileException.class, () -> compile(List.of("-Iinclude"), "gfx90a"));
        assertTrue(String.valueOf(e.getMessage()).startsWith(source + " does not compile (hiprtc "), e.getMessage());
        assertTrue(String.valueOf(e.getMessage()).contains("error: use of undeclared identifier 'N'"), e.getMessage());
    }

    @Test
    void optionsAndTargetsAreThoseOfTheOtherCompilers() {
        assertThrows(CompileException.class, () -> compile(List.of("-save-temps"), "gfx90a"));
        assertThrows(CompileException.class, () -> compile(List.of(), "sm_90"));
    }
}
