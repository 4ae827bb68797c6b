package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code panamark energy} with counters of known power in a folder of the test, in real time. */
class EnergyCommandTest {
    @TempDir
    Path folder;

    private Session session = new Session(Path.of("unset"));
    private List<SyntheticPowercap> powercaps = List.of();

    @BeforeEach
    void start() {
        session = new Session(folder);
    }

    @AfterEach
    void stop() throws Exception {
        for (SyntheticPowercap powercap : powercaps) {
            powercap.close();
        }
    }

    private void meters() throws Exception {
        powercaps = List.of(SyntheticPowercap.running(folder.resolve("sys")));
        session.with("PANAMARK_SYS", folder.resolve("sys").toString());
    }

    private void noMeters() {
        session.with("PANAMARK_SYS", folder.resolve("nothing").toString());
    }

    private Session.Ended energy(String... args) {
        String[] all = new String[args.length + 1];
        all[0] = "energy";
        System.arraycopy(args, 0, all, 1, args.length);
        Session.Ended ended = session.run(all);
        assertFalse(ended.hasStackTrace(), () -> ended.out() + ended.err());
        return ended;
    }

    private JsonNode json(Path file) throws Exception {
        return new ObjectMapper().readTree(Files.readString(file));
    }

    /**
     * By hand: 2 s at 40 W are 80 J in the package and 20 J at 10 W in memory, 100 J in all; the start of the command
     * is in it, so there may be more, and the rest of the machine may slow that start down.
     */
    @Test
    void twoSecondsOfSleepCostWhatTheCountersSay() throws Exception {
        meters();
        Path file = folder.resolve("e.json");
        Path samples = folder.resolve("s.csv");
        Session.Ended ended = energy("--json", file.toString(), "--samples", samples.toString(), "--", "sleep", "2");
        assertEquals(0, ended.code(), ended::err);
        assertEquals("", ended.out() + ended.err(), "the answer is in the file");
        JsonNode root = json(file);
        double seconds = root.path("duration_s").asDouble();
        assertTrue(seconds >= 2 && seconds < 4, () -> "took " + seconds);
        double joules = root.path("total").path("energy").path("value").asDouble();
        assertEquals(50 * seconds, joules, 0.1 * 50 * seconds, root::toString);
        assertTrue(joules > 98, () -> joules + " J are less than 2 s at 50 W");
        JsonNode pkg = root.path("meters").path(0);
        assertEquals("rapl:package-0", pkg.path("meter").asText());
        assertEquals(40 * seconds, pkg.path("energy").path("value").asDouble(), 0.1 * 40 * seconds);
        assertEquals(40, pkg.path("power").path("value").asDouble(), 4);
        assertTrue(pkg.path("energy").path("ci95").path(0).asDouble()
                <= pkg.path("energy").path("value").asDouble());
        assertEquals("measured", pkg.path("energy").path("source").asText());
        assertEquals(
                "computed", root.path("total").path("energy").path("source").asText());
        assertEquals(
                "[\"rapl:package-0\",\"rapl:package-0/dram\"]",
                root.path("total").path("meters").toString());
        JsonNode core = root.path("meters").path(2);
        assertEquals("part of rapl:package-0", core.path("overlap").asText());
        assertFalse(core.path("in_total").asBoolean());
        assertEquals("[\"sleep\",\"2\"]", root.path("command").toString());

        // The same joules, a tenth of a second at a time.
        List<String[]> lines = Files.readAllLines(samples).stream()
                .map(l -> l.split(",", -1))
                .filter(l -> l[1].equals("rapl:package-0"))
                .toList();
        assertTrue(lines.size() >= 5 && lines.size() <= 45, () -> lines.size() + " samples");
        double sum = lines.stream().mapToDouble(l -> Double.parseDouble(l[4])).sum();
        assertEquals(40 * seconds, sum, 0.1 * 40 * seconds);
    }

    @Test
    void theTableOfACommandGoesToStandardError() throws Exception {
        meters();
        Session.Ended ended = energy("sleep", "0.5");
        assertEquals(0, ended.code(), ended::err);
        assertEquals("", ended.out(), "standard output is the command's");
        assertTrue(ended.err().startsWith("sleep 0.5 · exit 0 · "), ended::err);
        assertTrue(ended.err().contains("rapl:package-0/dram"), ended::err);
        assertTrue(ended.err().contains("total"), ended::err);
        assertEquals("", energy("-q", "--", "sleep", "0.1").err());
    }

    @Test
    void aStretchOfTimeGoesToStandardOutput() throws Exception {
        meters();
        Session.Ended ended = energy("--duration", "500ms");
        assertEquals(0, ended.code(), ended::err);
        assertEquals("", ended.err());
        String[] total = ended.out()
                .lines()
                .filter(l -> l.startsWith("total"))
                .findFirst()
                .orElseThrow(() -> new AssertionError(ended.out()))
                .split(" +", -1);
        assertEquals(50, Double.parseDouble(total[3]), 5, "40 W and 10 W");
        Session.Ended csv = energy("--duration", "300ms", "--csv", "-");
        assertTrue(csv.out().startsWith("meter,device,uuid,scope,"), csv::out);
        assertEquals(5, csv.out().lines().count(), "header, three meters, total");
    }

    static Stream<Arguments> statuses() {
        return Stream.of(
                Arguments.of(0, List.of("true"), ""),
                Arguments.of(7, List.of("--", "sh", "-c", "exit 7"), ""),
                Arguments.of(137, List.of("--", "sh", "-c", "kill -KILL $$"), ""),
                Arguments.of(143, List.of("--", "sh", "-c", "kill -TERM $$"), ""),
                Arguments.of(
                        127, List.of("--", "no-such-program"), "'no-such-program' is not there, in no folder of PATH"),
                Arguments.of(127, List.of("--", "./no-such-program"), "'./no-such-program' is not there"),
                Arguments.of(126, List.of("--", "/proc/self/status"), "'/proc/self/status' cannot be executed"),
                Arguments.of(126, List.of("--", "/"), "'/' cannot be executed"),
                Arguments.of(125, List.of("--", ""), "name is empty"),
                Arguments.of(125, List.of("--bogus", "--", "true"), "--bogus"),
                Arguments.of(125, List.of("--json", "-", "--", "true"), "belongs to the command"),
                Arguments.of(125, List.of("--csv", "/no/such/folder/x", "--", "true"), "/no/such/folder"),
                Arguments.of(125, List.of("--csv", "x.csv", "--json", "x.csv", "--", "true"), "x.csv"),
                Arguments.of(125, List.of("--samples", "-", "--", "true"), "--samples"),
                Arguments.of(125, List.of("--duration", "1s", "--", "true"), "exclude each other"),
                Arguments.of(2, List.of(), "--duration 60s"),
                Arguments.of(2, List.of("--bogus"), "--bogus"),
                Arguments.of(2, List.of("--duration", "soon"), "soon"),
                Arguments.of(2, List.of("--duration", "1s", "--json", "-", "--csv", "-"), "'-'"),
                Arguments.of(3, List.of("--duration", "1s"), "there is no energy meter: "));
    }

    /** As with env(1) and timeout(1); a command runs whether there are meters or not. */
    @ParameterizedTest
    @MethodSource("statuses")
    void theExitStatusIsTheCommandsOrSaysWhoseFault(int status, List<String> args, String words) {
        noMeters();
        Session.Ended ended = energy(args.toArray(String[]::new));
        assertEquals(status, ended.code(), () -> ended.out() + ended.err());
        assertEquals("", ended.out());
        assertTrue(ended.err().replaceAll("\\s+", " ").contains(words), ended::err);
    }

    @Test
    void withoutMetersTheJoulesAreNullWithTheReason() throws Exception {
        noMeters();
        Path file = folder.resolve("e.json");
        Path metrics = folder.resolve("e.prom");
        Session.Ended ended =
                energy("--json", file.toString(), "--openmetrics", metrics.toString(), "--", "sh", "-c", "exit 7");
        assertEquals(7, ended.code(), ended::err);
        assertTrue(ended.err().startsWith("panamark: no joules: "), ended::err);
        JsonNode root = json(file);
        assertTrue(root.path("total").path("energy").path("value").isNull());
        String reason = root.path("total").path("energy").path("reason").asText();
        assertTrue(reason.contains("class/powercap is not there"), reason);
        assertEquals(7, root.path("exit_status").asInt());
        assertEquals(1, root.path("absent").size());
        assertTrue(Files.readString(metrics).contains("panamark_meter_missing_info{"));
    }

    /** Five milliseconds hold fewer than ten updates of a millisecond. */
    @Test
    void tooShortATimeIsNoFigure() throws Exception {
        meters();
        Session.Ended ended = energy("--duration", "5ms");
        assertEquals(4, ended.code(), ended::out);
        assertTrue(ended.out().contains("below resolution"), ended::out);
    }

    @Test
    void stuckCountersAreNoFigure() throws Exception {
        powercaps = List.of(SyntheticPowercap.stuck(folder.resolve("sys")));
        session.with("PANAMARK_SYS", folder.resolve("sys").toString());
        Session.Ended ended = energy("--duration", "100ms");
        assertEquals(4, ended.code(), ended::out);
        assertTrue(ended.out().contains("the counter changed 0 times"), ended::out);
    }

    /** The command's work is done and its joules are known, so only the file is lost, and that is said. */
    @Test
    void aFullDiskDoesNotEndTheCommand() throws Exception {
        meters();
        Path done = folder.resolve("done");
        Session.Ended ended =
                energy("--samples", "/dev/full", "--", "sh", "-c", "sleep 0.4; echo done > " + done + "; exit 3");
        assertTrue(Files.exists(done));
        assertEquals(125, ended.code(), ended::err);
        assertTrue(ended.err().contains("/dev/full") && ended.err().contains("disk is full"), ended::err);
        assertTrue(ended.err().contains("the command ended with 3"), ended::err);
        assertTrue(ended.err().contains("rapl:package-0"), "the table is there: " + ended.err());
    }

    @Test
    void theCommandHasTheUsersEnvironment() {
        noMeters();
        session.with("PANAMARK_ADDED", "TEST_A TEST_B=old")
                .with("TEST_A", "1")
                .with("TEST_B", "new")
                .with("TEST_C", "2");
        String test = "test \"${TEST_A-none}$TEST_B$TEST_C${PANAMARK_ADDED-none}\" = noneold2none";
        assertEquals(0, energy("-q", "--", "sh", "-c", test).code());
    }

    @Test
    void doctorNamesMetersAndWhatIsInTheWay() throws Exception {
        Session.needsCompiler();
        meters();
        String text = session.run("doctor").out().replaceAll("\\s+", " ");
        assertTrue(text.contains("ok energy rapl:package-0: energy counter of cpu:0 (package), "), text);
        assertTrue(text.contains("part of rapl:package-0, so in no total"), text);
        noMeters();
        String none = session.run("doctor").out().replaceAll("\\s+", " ");
        assertTrue(none.contains("none energy") && none.contains("class/powercap is not there"), none);
    }

    /** "1234 (a) b) S ppid pgrp session tty tpgid": pgrp 10, with and without a terminal whose foreground it is. */
    @Test
    void aTerminalsForegroundIsSeen() {
        assertTrue(Terminal.isForeground("1234 (a) b) S 1 10 10 34816 10 0"));
        assertFalse(Terminal.isForeground("1234 (java) S 1 10 10 34816 11 0"));
        assertFalse(Terminal.isForeground("1234 (java) S 1 10 10 0 -1 0"));
        assertFalse(Terminal.isForeground(""));
    }
}
