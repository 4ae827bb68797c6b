package dev.panamark.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.ptx.JvmFlags;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LastWordsTest {
    /** As HotSpot 25 begins its report of a segmentation fault in native code. */
    private static final String SEGV = """
            #
            # A fatal error has been detected by the Java Runtime Environment:
            #
            #  SIGSEGV (0xb) at pc=0x00007f2d0c00112e, pid=4242, tid=4259
            #
            # JRE version: OpenJDK Runtime Environment Temurin-25.0.3+9 (25.0.3+9) (build 25.0.3+9-LTS)
            # Java VM: OpenJDK 64-Bit Server VM Temurin-25.0.3+9 (25.0.3+9-LTS, mixed mode, sharing, serial gc, linux-amd64)
            # Problematic frame:
            # C  [saxpy.so+0x112e]  saxpy+0x1e
            #
            # No core dump will be written. Core dumps have been disabled.
            #

            ---------------  S U M M A R Y ------------
            """;

    @TempDir
    Path folder;

    private static String crash(String report) {
        return LastWords.crash(report.lines().toList());
    }

    @Test
    void aCrashNamesSignalAndFrame() {
        assertEquals("the kernel crashed the worker: SIGSEGV in [saxpy.so+0x112e] saxpy+0x1e", crash(SEGV));
    }

    @Test
    void otherSignalsAndFramesAreNamedToo() {
        assertEquals(
                "the kernel crashed the worker: SIGFPE in [k.so+0x10] divide",
                crash(SEGV.replace("SIGSEGV (0xb)", "SIGFPE (0x8)")
                        .replace("C  [saxpy.so+0x112e]  saxpy+0x1e", "C  [k.so+0x10]  divide")));
        assertEquals(
                "the kernel crashed the worker: SIGSEGV in [libjvm.so+0x7b] Unsafe_PutInt+0x1",
                crash(SEGV.replace("C  [saxpy.so+0x112e]  saxpy+0x1e", "V  [libjvm.so+0x7b]  Unsafe_PutInt+0x1")));
        assertEquals(
                "the kernel crashed the worker: SIGSEGV in J 77 c1 a.B.c()V (9 bytes)",
                crash(SEGV.replace("C  [saxpy.so+0x112e]  saxpy+0x1e", "J 77 c1 a.B.c()V (9 bytes)")));
    }

    @Test
    void aReportCutOffBeforeTheFrameStillNamesTheSignal() {
        assertEquals("the kernel crashed the worker: SIGSEGV", crash(SEGV.substring(0, SEGV.indexOf("# C  [saxpy"))));
        assertEquals("the kernel crashed the worker: a crash", LastWords.crash(List.of("#")));
    }

    @Test
    void lackOfMemoryIsNotCalledACrashOfTheKernel() {
        assertEquals(
                "the worker ended for lack of memory: Native memory allocation (mmap) failed to map 1073741824 bytes.",
                crash("""
                        #
                        # There is insufficient memory for the Java Runtime Environment to continue.
                        # Native memory allocation (mmap) failed to map 1073741824 bytes.
                        # Possible reasons:
                        #  Out of Memory Error (os_linux.cpp:2993), pid=4242, tid=4243
                        """));
    }

    private String after(String script) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-c", script)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        process.waitFor();
        return LastWords.of(folder, process);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "exit 0; the worker ended with status 0",
                "exit 3; the worker ended with status 3",
                "exit 255; the worker ended with status 255",
                "exit 200; the worker ended with status 200",
                "kill -ILL $$; the worker ended with status 132 (signal 4, SIGILL)",
                "kill -ABRT $$; the worker ended with status 134 (signal 6, SIGABRT)",
                "kill -BUS $$; the worker ended with status 135 (signal 7, SIGBUS)",
                "kill -FPE $$; the worker ended with status 136 (signal 8, SIGFPE)",
                "kill -KILL $$;"
                        + " 'the worker ended with status 137 (signal 9, SIGKILL: ended from outside, often for lack of memory)'",
                "kill -SEGV $$; the worker ended with status 139 (signal 11, SIGSEGV)",
                "kill -TERM $$; the worker ended with status 143 (signal 15, SIGTERM)",
                "kill -USR2 $$; the worker ended with status 140 (signal 12)"
            })
    void anEndIsToldByItsStatus(String script, String words) throws Exception {
        assertEquals(words, after(script));
    }

    @Test
    void theLastThreeLinesPrintedAreQuoted() throws Exception {
        assertEquals(
                "the worker ended with status 1; it last printed: b | c | d",
                after("printf 'a\\nb\\n\\n  \\nc\\n'; echo d >&2; exit 1"));
    }

    @Test
    void aKernelThatPrintsWithoutEndIsQuotedInPart() throws Exception {
        String words = after("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo the end");
        assertTrue(words.endsWith("... | the end"), words);
        assertTrue(words.length() < 500, () -> words.length() + " characters");
    }

    @Test
    void aCrashReportSaysMoreThanTheStatus() throws Exception {
        Files.writeString(folder.resolve(LastWords.CRASH_REPORT), SEGV);
        assertEquals(
                "the kernel crashed the worker: SIGSEGV in [saxpy.so+0x112e] saxpy+0x1e",
                after("echo noise; kill -ABRT $$"));
    }

    @Test
    void aLongCrashReportIsReadFromItsHead() throws Exception {
        Files.writeString(folder.resolve(LastWords.CRASH_REPORT), SEGV + "0x00: 00 00 00 00\n".repeat(20_000));
        assertTrue(after("exit 134").endsWith("saxpy+0x1e"));
    }

    @Test
    void aWorkerThatIsStillThereIsNotCalledDead() throws Exception {
        Process process = new ProcessBuilder("sleep", "60").start();
        try {
            String words = LastWords.of(folder, process);
            assertEquals("the worker closed its line without ending", words);
            assertFalse(words.contains("status"));
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void whatTheJvmSaysOfItsModulesIsNoLastWord() throws Exception {
        assertEquals(
                "the worker ended with status 1; it last printed: no room",
                after("echo '" + JvmFlags.WARNING + "'; echo no room; exit 1"));
    }
}
