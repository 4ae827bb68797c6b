package dev.panamark.driver.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostProcessTest {
    /** SIGINT is 2 and SIGTERM 15 on Linux; Java gives 128 + n for a process that signal n has ended. */
    @ParameterizedTest
    @ValueSource(ints = {2, 15})
    void aSignalArrives(int signal) throws Exception {
        // With the default action, whatever this JVM was started with: shells ignore SIGINT in the background.
        Process process =
                new ProcessBuilder("env", "--default-signal=INT", "sh", "-c", "echo there; exec sleep 60").start();
        try {
            assertEquals("there", process.inputReader().readLine());
            assertTrue(HostProcess.signal(process.pid(), signal));
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
            assertEquals(128 + signal, process.exitValue());
            assertFalse(HostProcess.signal(process.pid(), signal), "it has ended");
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void whatIsNoSignalIsRefusedInWords() {
        long self = ProcessHandle.current().pid();
        HostLibraryException e = assertThrows(HostLibraryException.class, () -> HostProcess.signal(self, 999));
        assertTrue(String.valueOf(e.getMessage()).contains("EINVAL"), e::getMessage);
        assertThrows(IllegalArgumentException.class, () -> HostProcess.signal(-1, 15));
        assertThrows(IllegalArgumentException.class, () -> HostProcess.signal(self, 0));
    }
}
