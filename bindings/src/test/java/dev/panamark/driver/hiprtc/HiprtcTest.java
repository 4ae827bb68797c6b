package dev.panamark.driver.hiprtc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.codeobject.CodeObject;
import dev.panamark.driver.codeobject.OffloadBundle;
import dev.panamark.driver.fake.FakeLibrary;
import dev.panamark.ffi.Availability;
import dev.panamark.ffi.SharedLibrary;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HiprtcTest {
    @TempDir
    Path folder;

    private Path build(String... defines) throws IOException {
        Path file = Files.createTempDirectory(folder, "hiprtc").resolve("libhiprtc.so.6");
        List<String> call = new ArrayList<>(List.of(
                FakeLibrary.compiler(),
                "-std=gnu11",
                "-O1",
                "-fPIC",
                "-shared",
                "-DFAKE_HIPRTC",
                "-o",
                file.toString()));
        call.addAll(List.of(defines));
        call.add(FakeLibrary.script("nvrtc/nvrtc.c"));
        FakeLibrary.run(call, Map.of());
        return file;
    }

    private static Hiprtc open(Path file) {
        return switch (Hiprtc.find(Map.of(Hiprtc.VARIABLE, file.toString()))) {
            case Availability.Available<Hiprtc>(Hiprtc found) -> found;
            case Availability.Unavailable<Hiprtc> none -> fail(none.text());
        };
    }

    @SuppressWarnings("restricted")
    private static long programs(Path file) throws Throwable {
        return (long) Linker.nativeLinker()
                .downcallHandle(
                        SharedLibrary.open(file.toString()).symbol("fake_open").orElseThrow(),
                        FunctionDescriptor.of(ValueLayout.JAVA_LONG))
                .invokeExact();
    }

    @Test
    void aProgramBecomesCodeWithItsLog() throws Throwable {
        Path file = build();
        Hiprtc hiprtc = open(file);
        assertEquals("hiprtc 12.4", hiprtc.version());
        assertEquals(file.toString(), hiprtc.file());
        HiprtcCode made = hiprtc.compile(
                "// source\n//fake log k.hip:1: warning: first\n",
                "k.hip",
                Map.of("a.h", ""),
                List.of("--offload-arch=gfx942"));
        assertEquals("k.hip:1: warning: first", made.log());
        String code = new String(made.code(), StandardCharsets.US_ASCII);
        assertTrue(code.contains(".file 1 \"k.hip\"\n// --offload-arch=gfx942\n"), code);
        assertEquals(0, programs(file));
    }

    /** Names are those of hiprtc.h; 99 is none, and the library has no name for it. */
    @ParameterizedTest
    @CsvSource({
        "hiprtcCreateProgram, 2, HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "hiprtcCompileProgram, 11, HIPRTC_ERROR_INTERNAL_ERROR",
        "hiprtcCompileProgram, 99, an unknown status",
        "hiprtcGetProgramLogSize, 4, HIPRTC_ERROR_INVALID_PROGRAM",
        "hiprtcGetProgramLog, 4, HIPRTC_ERROR_INVALID_PROGRAM",
        "hiprtcGetCodeSize, 3, HIPRTC_ERROR_INVALID_INPUT",
        "hiprtcGetCode, 4, HIPRTC_ERROR_INVALID_PROGRAM",
        "hiprtcDestroyProgram, 4, HIPRTC_ERROR_INVALID_PROGRAM"
    })
    void aFailedCallIsNamedWithItsStatus(String function, int status, String name) throws Throwable {
        Path file = build();
        Hiprtc hiprtc = open(file);
        HiprtcException failure = assertThrows(
                HiprtcException.class,
                () -> hiprtc.compile(
                        "// source\n//fake fail " + function + " " + status + "\n", "k.hip", Map.of(), List.of()));
        assertEquals(function + " failed with " + name + " (" + status + ")", failure.getMessage());
        assertEquals(function, failure.call());
        assertEquals(status, failure.code());
        assertEquals(0, programs(file));
    }

    @Test
    void aFailedCompilationHasItsLogOrWhyThereIsNone() throws IOException {
        Hiprtc hiprtc = open(build());
        String failing = "// source\n//fake fail hiprtcCompileProgram 6\n//fake log k.hip:1: error: first\n";
        HiprtcException failure =
                assertThrows(HiprtcException.class, () -> hiprtc.compile(failing, "k.hip", Map.of(), List.of()));
        assertTrue(failure.isOfSource());
        assertEquals("k.hip:1: error: first", failure.log());
        HiprtcException silent = assertThrows(
                HiprtcException.class,
                () -> hiprtc.compile(failing + "//fake fail hiprtcGetProgramLog 11\n", "k.hip", Map.of(), List.of()));
        assertTrue(silent.isOfSource());
        assertEquals("(no log: hiprtcGetProgramLog failed with HIPRTC_ERROR_INTERNAL_ERROR (11))", silent.log());
    }

    @Test
    void aSizeThatNobodyCanHaveIsNotBelieved() throws IOException {
        Hiprtc hiprtc = open(build());
        IllegalStateException failure = assertThrows(
                IllegalStateException.class,
                () -> hiprtc.compile("// source\n//fake size 18446744073709551615\n", "k.hip", Map.of(), List.of()));
        assertEquals(
                "hiprtcGetCodeSize gave 18446744073709551615 bytes; at most 2^30 are believed", failure.getMessage());
    }

    @Test
    void whatIsNotThereOrNoHiprtcIsNotTaken() throws IOException {
        Availability.Unavailable<Hiprtc> absent =
                (Availability.Unavailable<Hiprtc>) Hiprtc.find(Map.of(Hiprtc.VARIABLE, "/nowhere/libhiprtc.so"));
        assertEquals(List.of("PANAMARK_HIPRTC=/nowhere/libhiprtc.so is not there"), absent.reasons());
        Path partial = build("-DFAKE_WITHOUT_PTX");
        Availability.Unavailable<Hiprtc> none =
                (Availability.Unavailable<Hiprtc>) Hiprtc.find(Map.of(Hiprtc.VARIABLE, partial.toString()));
        assertEquals(List.of(partial + " has no hiprtcGetCode, so it is no hiprtc"), none.reasons());
    }

    /** Debian's 5.2.3 has the functions in the runtime's library, and compiles without a device. */
    @Test
    void theRealCompilerMakesACodeObject() {
        Path library = Path.of("/usr/lib/x86_64-linux-gnu/libamdhip64.so.5");
        Assumptions.assumeTrue(Files.exists(library), "no " + library + " on this machine (libamdhip64-5 of Debian)");
        HiprtcCode made = open(library)
                .compile(
                        "extern \"C\" __attribute__((global)) void set(int *x) { *x = 3; }\n",
                        "k.hip",
                        Map.of(),
                        List.of("--offload-arch=gfx90a"));
        byte[] bytes = made.code();
        CodeObject code = CodeObject.read(
                OffloadBundle.isBundle(bytes)
                        ? OffloadBundle.read(bytes).code(bytes, "gfx90a").orElseThrow()
                        : bytes);
        assertEquals("gfx90a", code.target());
        assertEquals(64, code.kernel("set").orElseThrow().wavefront());
        HiprtcException e = assertThrows(
                HiprtcException.class,
                () -> open(library).compile("wrong\n", "k.hip", Map.of(), List.of("--offload-arch=gfx90a")));
        assertTrue(e.isOfSource());
        assertTrue(e.log().contains("error:"), e.log());
    }
}
