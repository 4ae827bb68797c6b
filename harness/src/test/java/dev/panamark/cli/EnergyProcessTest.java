package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.host.HostProcess;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The program in a process of its own, with its real input, outputs and signals. */
class EnergyProcessTest {
    @TempDir
    Path folder;

    /** In a session of its own, so without a terminal, and with signals as a login shell has them. */
    private Process start(String... args) throws Exception {
        List<String> line = new ArrayList<>(List.of(
                "setsid",
                "env",
                "--default-signal=INT,TERM,HUP",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "energy"));
        line.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.environment().put("PANAMARK_SYS", folder.resolve("sys").toString());
        builder.redirectError(folder.resolve("err").toFile());
        return builder.start();
    }

    private String err() throws Exception {
        return Files.readString(folder.resolve("err"));
    }

    private int ended(Process process) throws Exception {
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), this::errQuietly);
        return process.exitValue();
    }

    private String errQuietly() {
        try {
            return err();
        } catch (Exception e) {
            return e.toString();
        }
    }

    private double totalJoules(String table) {
        String[] cells = table.lines()
                .filter(l -> l.startsWith("total"))
                .findFirst()
                .orElseThrow(() -> new AssertionError(table))
                .split(" +", -1);
        return Double.parseDouble(cells[1]);
    }

    @Test
    void inputAndOutputsAreTheCommands() throws Exception {
        try (SyntheticPowercap powercap = SyntheticPowercap.running(folder.resolve("sys"))) {
            assertTrue(Files.isDirectory(powercap.sys()));
            Process process = start("--", "sh", "-c", "cat; echo complaint >&2; sleep 0.2; exit 9");
            try (var in = process.getOutputStream()) {
                in.write("through\n".getBytes(StandardCharsets.UTF_8));
            }
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(9, ended(process), this::errQuietly);
            assertEquals("through\n", out);
            assertTrue(err().startsWith("complaint\n"), this::errQuietly);
            assertTrue(totalJoules(err()) > 0, this::errQuietly);
        }
    }

    /** The command handles the signal as it likes; its energy until then is reported. */
    @ParameterizedTest
    @CsvSource({"1, HUP", "2, INT", "15, TERM"})
    void signalsReachTheCommand(int number, String name) throws Exception {
        try (SyntheticPowercap powercap = SyntheticPowercap.running(folder.resolve("sys"))) {
            assertTrue(Files.isDirectory(powercap.sys()));
            Process process = start(
                    "--",
                    "sh",
                    "-c",
                    "trap 'echo caught; exit 42' " + name + "; echo ready; while :; do sleep 0.1; done");
            try (BufferedReader out = process.inputReader()) {
                assertEquals("ready", out.readLine());
                Thread.sleep(300);
                assertTrue(HostProcess.signal(process.pid(), number));
                assertEquals("caught", out.readLine(), this::errQuietly);
            }
            assertEquals(42, ended(process), this::errQuietly);
            // 0.3 s at 50 W are 15 J, and shells are slow to start on a busy machine.
            assertTrue(totalJoules(err()) >= 14, this::errQuietly);
        }
    }

    @Test
    void aCommandThatASignalEndsGivesItsNumber() throws Exception {
        Process process = start("--", "sh", "-c", "echo ready; exec sleep 60");
        try (BufferedReader out = process.inputReader()) {
            assertEquals("ready", out.readLine());
            assertTrue(HostProcess.signal(process.pid(), 15));
        }
        assertEquals(143, ended(process), this::errQuietly);
        assertTrue(err().contains("exit 143"), this::errQuietly);
    }

    @Test
    void aStretchOfTimeIsReportedAsFarAsItGot() throws Exception {
        try (SyntheticPowercap powercap = SyntheticPowercap.running(folder.resolve("sys"))) {
            assertTrue(Files.isDirectory(powercap.sys()));
            Path samples = folder.resolve("samples.csv");
            Process process = start("--duration", "1h", "--samples", samples.toString());
            // Samples are written once metering has begun.
            for (int i = 0; i < 300 && (!Files.exists(samples) || Files.size(samples) < 200); i++) {
                Thread.sleep(100);
            }
            assertTrue(HostProcess.signal(process.pid(), 2));
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(130, ended(process), this::errQuietly);
            assertTrue(totalJoules(out) > 0, out);
            assertTrue(err().contains("ended before its time"), this::errQuietly);
        }
    }
}
