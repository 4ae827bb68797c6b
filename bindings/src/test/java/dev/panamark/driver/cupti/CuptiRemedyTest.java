package dev.panamark.driver.cupti;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CuptiRemedyTest {
    @TempDir
    Path root;

    private void parameters(String text) throws IOException {
        Path file = root.resolve("proc/driver/nvidia/params");
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** Lines as the kernel module writes them, one option each. */
    @ParameterizedTest
    @CsvSource({
        "1, The kernel module keeps counters for administrators (RmProfilingAdminOnly: 1)",
        "0, The kernel module lets everybody read counters (RmProfilingAdminOnly: 0)"
    })
    void privilegesAreWhatTheKernelModuleSays(String value, String expected) throws IOException {
        parameters("ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: " + value
                + "\nPreserveVideoMemoryAllocations: 0\n");
        String remedy = CuptiRemedy.of(35, root);
        assertTrue(remedy.startsWith(expected), remedy);
        namesEveryCure(remedy);
    }

    @Test
    void withoutTheFileTheyMayBeTheReason() {
        String remedy = CuptiRemedy.of(35, root);
        assertTrue(remedy.startsWith("Counters may be for administrators only: run as root"), remedy);
        namesEveryCure(remedy);
    }

    @Test
    void anOlderModuleTellsNothing() throws IOException {
        parameters("ResmanDebugLevel: 4294967295\n");
        assertTrue(CuptiRemedy.of(35, root).startsWith("Counters may be for administrators only"));
    }

    private static void namesEveryCure(String remedy) {
        for (String cure : new String[] {
            "CAP_SYS_ADMIN", "R565", "CAP_PERFMON", "--cap-add=SYS_ADMIN", "NVreg_RestrictProfilingToAdminUsers=0"
        }) {
            assertTrue(remedy.contains(cure), cure + " in: " + remedy);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "26, dcgmi profiling --pause",
        "33, pass-through",
        "39, Nsight Compute",
        "40, enable_profiling=1",
        "41, confidential computing",
        "42, CMP",
        "43, nvidia-smi -mig 0",
        "44, turn SLI off",
        "45, WSL 2",
        "46, newer CUDA toolkit",
        "15, no newer than the CUDA release",
        "999, no other tool profiles"
    })
    void otherStatusesHaveTheirOwn(int status, String expected) {
        String remedy = CuptiRemedy.of(status, root);
        assertTrue(remedy.contains(expected), remedy);
    }

    @Test
    void everyRemedyIsOneSentenceWithoutItsEnd() {
        IntStream.rangeClosed(1, 46)
                .mapToObj(status -> CuptiRemedy.of(status, root))
                .forEach(remedy -> assertEquals(remedy.strip().replaceAll("\\.$", ""), remedy));
    }
}
