package dev.panamark.driver.nvrtc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.compile.Sha256;
import dev.panamark.driver.compile.Subprocess;
import dev.panamark.ffi.Availability;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NvrtcTest {
    private static final Path GENERATED = Path.of("src/main/java/dev/panamark/raw/nvrtc/GENERATED.properties");

    @TempDir
    Path folder;

    private static NvrtcProgram program(Nvrtc nvrtc, String statements) {
        return nvrtc.program(
                ("// source\n" + statements + "\n").getBytes(StandardCharsets.UTF_8), "k.cu", Map.of("a.h", ""));
    }

    @Test
    void withoutALibraryEveryPlaceIsNamed() throws IOException {
        Path python = Files.createDirectories(folder.resolve("venv/lib/python3.12/site-packages/nvidia/cu13/lib"));
        Availability<Nvrtc> found = Nvrtc.find(
                Map.of(
                        "CUDA_HOME",
                        "/nowhere",
                        "VIRTUAL_ENV",
                        folder.resolve("venv").toString()),
                folder);
        Assumptions.assumeTrue(
                found instanceof Availability.Unavailable, "the loader of this machine finds an NVRTC by its name");
        Availability.Unavailable<Nvrtc> none = (Availability.Unavailable<Nvrtc>) found;
        assertEquals(
                List.of(
                        "/nowhere/lib64/libnvrtc.so, libnvrtc.so.13, libnvrtc.so.12, libnvrtc.so.11.2, libnvrtc.so.11.1, "
                                + "libnvrtc.so.11.0, " + folder + "/usr/local/cuda/lib64/libnvrtc.so, " + folder
                                + "/opt/cuda/lib64/libnvrtc.so and " + python + "/libnvrtc.so are not there"),
                none.reasons());
        assertTrue(none.remedy().contains("pip install nvidia-cuda-nvrtc"), none.remedy());
        assertTrue(none.remedy().contains("PANAMARK_NVRTC"), none.remedy());
    }

    @Test
    void theChosenLibraryIsTheOnlyOne() {
        Availability.Unavailable<Nvrtc> none =
                (Availability.Unavailable<Nvrtc>) Nvrtc.find(Map.of("PANAMARK_NVRTC", "/nowhere/libnvrtc.so.13"));
        assertEquals(List.of("PANAMARK_NVRTC=/nowhere/libnvrtc.so.13 is not there"), none.reasons());
        assertTrue(none.remedy().endsWith("or unset PANAMARK_NVRTC to search the usual places"), none.remedy());
    }

    @Test
    void ofAToolkitTheNewestIsTaken() throws Exception {
        Path built = FakeNvrtc.build(folder).file();
        Path lib = Files.createDirectories(folder.resolve("cuda/lib64"));
        Files.createFile(lib.resolve("libnvrtc.so.11.2"));
        Files.copy(built, lib.resolve("libnvrtc.so.12.4.99"));
        Nvrtc found = ((Availability.Available<Nvrtc>)
                        Nvrtc.find(Map.of("CUDA_HOME", folder.resolve("cuda").toString()), folder))
                .value();
        assertEquals(lib.resolve("libnvrtc.so.12.4.99"), found.file());
        assertEquals(new NvrtcVersion(12, 4), found.version());
    }

    @Test
    void whatIsTooOldOrBrokenOrNoNvrtcIsNotTaken() throws Exception {
        FakeNvrtc old = FakeNvrtc.build(folder, "-DFAKE_MAJOR=10", "-DFAKE_MINOR=2");
        assertEquals(old.file() + " is NVRTC 10.2; 11.0 or newer is needed, which knows Ampere", old.whyNot());
        FakeNvrtc broken = FakeNvrtc.build(folder, "-DFAKE_VERSION_STATUS=11");
        assertEquals(broken.file() + ": nvrtcVersion failed with NVRTC_ERROR_INTERNAL_ERROR (11)", broken.whyNot());
        FakeNvrtc partial = FakeNvrtc.build(folder, "-DFAKE_WITHOUT_PTX");
        assertEquals(partial.file() + " has no nvrtcGetPTX, so it is no NVRTC of CUDA 11.0 or newer", partial.whyNot());
        Path text = Files.writeString(folder.resolve("libnvrtc.so.12"), "text");
        assertTrue(new FakeNvrtc(text).whyNot().startsWith("PANAMARK_NVRTC=" + text + ": "));
    }

    /** Names are those of nvrtc.h; 99 is none, and the library has no name for it. */
    @ParameterizedTest
    @CsvSource({
        "nvrtcCreateProgram, 1, NVRTC_ERROR_OUT_OF_MEMORY",
        "nvrtcCreateProgram, 2, NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "nvrtcCompileProgram, 11, NVRTC_ERROR_INTERNAL_ERROR",
        "nvrtcCompileProgram, 99, an unknown status",
        "nvrtcGetProgramLogSize, 4, NVRTC_ERROR_INVALID_PROGRAM",
        "nvrtcGetProgramLog, 4, NVRTC_ERROR_INVALID_PROGRAM",
        "nvrtcGetPTXSize, 3, NVRTC_ERROR_INVALID_INPUT",
        "nvrtcGetPTX, 4, NVRTC_ERROR_INVALID_PROGRAM",
        "nvrtcDestroyProgram, 4, NVRTC_ERROR_INVALID_PROGRAM"
    })
    void aFailedCallIsNamedWithItsStatus(String function, int status, String name) throws Exception {
        FakeNvrtc fake = FakeNvrtc.build(folder);
        Nvrtc nvrtc = fake.open();
        NvrtcException failure = assertThrows(NvrtcException.class, () -> {
            try (NvrtcProgram program = program(nvrtc, "//fake fail " + function + " " + status)) {
                program.compile(List.of());
                program.log();
                program.ptx();
            }
        });
        assertEquals(function + " failed with " + name + " (" + status + ")", failure.getMessage());
        assertEquals(function, failure.call());
        assertEquals(status, failure.code());
        assertEquals(0, fake.programs());
    }

    @Test
    void aFailedCompilationHasItsLogOrWhyThereIsNone() throws Exception {
        Nvrtc nvrtc = FakeNvrtc.build(folder).open();
        String failing = "//fake fail nvrtcCompileProgram 6\n//fake log k.cu(1): error: first\n//fake log second";
        try (NvrtcProgram program = program(nvrtc, failing)) {
            NvrtcException failure = assertThrows(NvrtcException.class, () -> program.compile(List.of()));
            assertTrue(failure.isOfSource());
            assertEquals("k.cu(1): error: first\nsecond", failure.log());
            assertEquals(
                    "nvrtcCompileProgram failed with NVRTC_ERROR_COMPILATION (6):\n" + failure.log(),
                    failure.getMessage());
        }
        try (NvrtcProgram program = program(nvrtc, failing + "\n//fake fail nvrtcGetProgramLog 11")) {
            NvrtcException failure = assertThrows(NvrtcException.class, () -> program.compile(List.of()));
            assertTrue(failure.isOfSource());
            assertEquals("(no log: nvrtcGetProgramLog failed with NVRTC_ERROR_INTERNAL_ERROR (11))", failure.log());
        }
    }

    @Test
    void aProgramIsGivenBackOnceAndThenNotUsed() throws Exception {
        FakeNvrtc fake = FakeNvrtc.build(folder);
        NvrtcProgram program = program(fake.open(), "");
        assertEquals(1, fake.programs());
        program.compile(List.of("-DN=3"));
        assertEquals(
                ".version 8.4\n.target sm_80\n.file 1 \"k.cu\"\n// -DN=3\n",
                new String(program.ptx(), StandardCharsets.UTF_8));
        program.close();
        program.close();
        assertEquals(0, fake.programs());
        assertThrows(IllegalStateException.class, program::ptx);
        assertThrows(IllegalStateException.class, program::log);
        assertThrows(IllegalStateException.class, () -> program.compile(List.of()));
    }

    @Test
    void aSizeThatNobodyCanHaveIsNotBelieved() throws Exception {
        Nvrtc nvrtc = FakeNvrtc.build(folder).open();
        try (NvrtcProgram program = program(nvrtc, "//fake size 18446744073709551615")) {
            program.compile(List.of());
            IllegalStateException failure = assertThrows(IllegalStateException.class, program::ptx);
            assertEquals(
                    "nvrtcGetPTXSize gave 18446744073709551615 bytes; at most 2^30 are believed", failure.getMessage());
        }
    }

    /** With the types of nvrtc.h the compiler compares every prototype and value of the fake. */
    @Test
    void theFakesPrototypesAreThoseOfTheHeader() throws Exception {
        Map<String, String> env = System.getenv();
        Path header = Path.of(env.getOrDefault("NVRTC_HEADER", "/usr/local/cuda/include/nvrtc.h"))
                .toAbsolutePath();
        Assumptions.assumeTrue(Files.isReadable(header), "no nvrtc.h on this machine; set NVRTC_HEADER to it");
        Properties generated = new Properties();
        try (InputStream in = Files.newInputStream(GENERATED)) {
            generated.load(in);
        }
        Assumptions.assumeTrue(
                ("sha256:" + Sha256.of(header)).equals(generated.getProperty("nvrtc.h")),
                "nvrtc.h on this machine is not the one that the bindings were made of");
        Subprocess.Ended ended = new Subprocess(env, Duration.ofMinutes(1))
                .run(
                        List.of(
                                FakeNvrtc.compiler(),
                                "-std=gnu11",
                                "-fsyntax-only",
                                "-DPANAMARK_WITH_NVRTC_H",
                                "-I" + header.resolveSibling(""),
                                FakeNvrtc.SOURCE.toString()),
                        folder,
                        "");
        assertTrue(ended.ok(), ended.err());
    }
}
