package dev.panamark.benchmark.coverage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class CoverageTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        return new CommandLine(new Coverage(new PrintStream(out, true, StandardCharsets.UTF_8)))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    @ParameterizedTest
    @CsvSource({"19, --runs must be from 20 to 1000000", "x, --runs", "1000001, --runs must be from 20 to 1000000"})
    void refusesWhatGivesNoTable(String runs, String message) {
        assertEquals(2, run("--runs", runs));
        assertTrue(err.toString().contains(message), err.toString());
        assertEquals(0, out.size());
    }

    /** So few runs that only gross faults would show; the whole command, with its exit code. */
    @Test
    void printsThreeTablesAndAJudgement() {
        int status = run("--runs", "20", "--seed", "1");
        String text = out.toString(StandardCharsets.UTF_8);
        assertTrue(text.startsWith("20 simulated runs a line, seed 1."), text);
        assertEquals(3, text.lines().filter(l -> l.endsWith("target")).count(), text);
        boolean missed = text.contains("MISSED");
        assertEquals(missed ? 1 : 0, status, text);
        assertTrue(text.endsWith("Every claim was kept: " + (missed ? "FAIL" : "pass") + "\n"), text);
    }
}
