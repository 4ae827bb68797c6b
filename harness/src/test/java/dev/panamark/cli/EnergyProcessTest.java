package dev.panamark.cli;

import static dev.panamark.result.Rows.metric;
import static dev.panamark.result.Rows.value;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.panamark.driver.host.HostProcess;
import dev.panamark.result.ResultFile;
import dev.panamark.result.Row;
import dev.panamark.result.Tags;
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
        List<String> line = new ArrayList<>(List.of("setsid", "env", "--default-signal=INT,TERM,HUP"));
        line.addAll(Session.program());
        line.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.environment().put("PANAMARK_SYS", folder.resolve("sys").toString());
        builder.environment()
                .put(
                        "PANAMARK_CACHE",
                        Path.of("target", "test-cache").toAbsolutePath().toString());
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
            Process process = start("energy", "--", "sh", "-c", "cat; echo complaint >&2; sleep 0.2; exit 9");
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
                    "energy",
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
        Process process = start("energy", "--", "sh", "-c", "echo ready; exec sleep 60");
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
            Process process = start("energy", "--duration", "1h", "--samples", samples.toString());
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

    /**
     * Two kernels at 50 W (package 40, memory 10; the cores are in the package): a launch takes its time times 50 W, and
     * tokens per joule are tokens per second over 50 W.
     */
    @Test
    void aRunHasTokensPerJoule() throws Exception {
        Session.needsCompiler();
        Path json = folder.resolve("r.json");
        try (SyntheticPowercap powercap = SyntheticPowercap.running(folder.resolve("sys"))) {
            assertTrue(Files.isDirectory(powercap.sys()));
            Process process = start(
                    "run",
                    "-d",
                    "cpu:0",
                    "-b",
                    "kv.gather.*",
                    "-a",
                    "kv_len=512",
                    "--budget",
                    "30s",
                    "--min-time",
                    "100ms",
                    "--json",
                    json.toString());
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, ended(process), this::errQuietly);
            assertTrue(out.contains("tokens/J"), out);
        }
        List<Row> rows = ResultFile.read(json).rows();
        assertTrue(rows.size() >= 2, () -> rows.toString());
        for (Row row : rows) {
            double watts = SyntheticPowercap.PACKAGE_WATTS + SyntheticPowercap.MEMORY_WATTS;
            assertEquals(watts, value(row, Tags.POWER_AVERAGE), 0.02 * watts);
            // Launches of the energy window come later than those that were timed, on a machine that others share.
            double joules = value(row, Tags.ENERGY_GROSS);
            double perLaunch = joules / value(row, Tags.POWER_AVERAGE);
            double time = value(row, Tags.TIME_MEDIAN);
            assertTrue(perLaunch > time / 3 && perLaunch < time * 5, () -> perLaunch + " s, and timed " + time + " s");
            double tokens = value(row, Tags.RATE_LAYER_TOKENS) * time;
            assertEquals(tokens / joules, value(row, Tags.TOKENS_PER_JOULE_GROSS), 1e-6 * tokens / joules);
            assertEquals(
                    "rapl:package-0+rapl:package-0/dram",
                    metric(row, Tags.ENERGY_GROSS).detail().get("meter"));
        }
    }

    /** Three seconds at 50 W, and the start of a process. */
    @Test
    void sleepingCostsWhatTheMeterSays() throws Exception {
        try (SyntheticPowercap powercap = SyntheticPowercap.running(folder.resolve("sys"))) {
            assertTrue(Files.isDirectory(powercap.sys()));
            Path json = folder.resolve("e.json");
            assertEquals(0, ended(start("energy", "--json", json.toString(), "--", "sleep", "3")), this::errQuietly);
            JsonNode run = new ObjectMapper().readTree(Files.readString(json));
            double seconds = run.path("duration_s").asDouble();
            assertTrue(seconds >= 3, json::toString);
            assertEquals(
                    50 * seconds, run.path("total").path("energy").path("value").asDouble(), 0.01 * 50 * seconds);
        }
    }

    @Test
    void withoutAMeterBothSayWhyNot() throws Exception {
        Session.needsCompiler();
        Files.createDirectories(folder.resolve("sys"));
        assertEquals(0, ended(start("energy", "--", "true")), this::errQuietly);
        assertTrue(err().contains("class/powercap is not there"), this::errQuietly);
        Process process = start(
                "run",
                "-d",
                "cpu:0",
                "-b",
                "kv.gather.paged",
                "-a",
                "kv_len=64",
                "--budget",
                "20s",
                "--min-time",
                "10ms",
                "--json",
                folder.resolve("n.json").toString());
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, ended(process), this::errQuietly);
        assertTrue(out.contains("No tokens/J"), out);
        assertTrue(out.replaceAll("\\s+", " ").contains("class/powercap is not there"), out);
    }
}
