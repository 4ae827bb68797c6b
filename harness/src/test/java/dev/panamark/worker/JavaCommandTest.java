package dev.panamark.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.ptx.JvmFlags;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What worker JVMs are started with. */
class JavaCommandTest {
    private static List<String> line(String device) {
        return new JavaCommand().on(device).line(Path.of("folder"), Path.of("folder", "s"));
    }

    @Test
    void onlyWorkersOfEmulatedDevicesHaveVectors() {
        assertEquals(
                List.of(),
                line("cpu:0").stream().filter(JvmFlags.vectors()::contains).toList());
        assertTrue(line("emu:h100-sxm").containsAll(JvmFlags.vectors()));
    }

    /** A JVM with them says what {@link LastWords} leaves out, and nothing else. */
    @Test
    void theFlagsAreAccepted() throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(WorkerFlags.all());
        command.addAll(JvmFlags.vectors());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), JavaCommandTest.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        assertEquals(JvmFlags.WARNING + "\nstarted\n", said);
    }

    /** Of the JVM that is started. */
    public static void main(String[] args) {
        System.out.println("started");
    }
}
