package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.result.Journal;
import dev.panamark.result.ResultFile;
import dev.panamark.result.Row;
import dev.panamark.result.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code kill -9} at any moment, and {@code --resume}. {@code -Dpanamark.kills=N} kills more often. */
@Timeout(1200)
class KilledRunTest {
    private static final int KILLS = Integer.getInteger("panamark.kills", 8);

    @TempDir
    Path folder;

    private Session session;
    private Path json;

    @BeforeEach
    void start() {
        Session.needsCompiler();
        session = new Session(folder);
        json = session.path("result.json");
        for (String name : List.of("one.a", "one.b", "two.a", "two.b")) {
            Path file = session.doubling(name, Session.source("out[i] = 2 * x[i];"));
            try {
                Files.writeString(file, Files.readString(file).replace("n: [1000]", "n: [1000, 1500]"));
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    private List<String> line(Path file, String... more) {
        List<String> line = new ArrayList<>(List.of("run", "--json", file.toString(), "--budget", "7s"));
        line.addAll(List.of("--min-time", "100ms", "--resume"));
        for (String name : List.of("one.a", "one.b", "two.a", "two.b")) {
            line.addAll(List.of("-k", session.path(name + ".yaml").toString()));
        }
        line.addAll(List.of(more));
        return line;
    }

    private Process begin(Path file, String... more) throws IOException {
        List<String> command = new ArrayList<>(Session.program());
        command.addAll(line(file, more));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment()
                .put(
                        "PANAMARK_CACHE",
                        Path.of("target", "test-cache").toAbsolutePath().toString());
        return builder.redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(session.path("output").toFile()))
                .start();
    }

    private String output() throws IOException {
        return Files.readString(session.path("output"));
    }

    private static Set<Row.Key> keys(List<Row> rows) {
        return rows.stream().map(Row::key).collect(Collectors.toSet());
    }

    /** Rows on disk: those of the journal, as long as there is one. */
    private List<Row> onDisk() {
        Path journal = session.path("result.json.journal");
        if (Files.exists(journal)) {
            try {
                return Files.size(journal) == 0
                        ? List.of()
                        : Journal.read(journal).run().rows();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
        return Files.exists(json) ? session.rows(json) : List.of();
    }

    @Test
    void aRunThatIsKilledAtAnyMomentLosesTheRowsInFlightOnlyAndIsGoneOnWith() throws Exception {
        Path whole = session.path("whole.json");
        long start = System.nanoTime();
        Process unkilled = begin(whole);
        assertTrue(unkilled.waitFor(120, TimeUnit.SECONDS));
        long takes = System.nanoTime() - start;
        assertEquals(0, unkilled.exitValue(), this::quietOutput);
        Random random = new Random(7);
        Set<Row.Key> kept = new HashSet<>();
        int kills = 0;
        while (kills < KILLS) {
            int said = Files.exists(session.path("output")) ? output().length() : 0;
            Process process = begin(json);
            if (process.waitFor((long) (random.nextDouble() * takes), TimeUnit.NANOSECONDS)) {
                assertEquals(0, process.exitValue(), this::quietOutput);
                Files.delete(json); // it was done: begin again
                kept.clear();
                continue;
            }
            process.destroyForcibly().waitFor();
            kills++;
            Set<Row.Key> now = keys(onDisk());
            assertTrue(now.containsAll(kept), "rows that were on disk before are still there");
            long finished = output().substring(said)
                    .lines()
                    .filter(l -> l.matches("\\[\\d+/8] .* [0-9.]+ [a-z\u00b5]*s.*"))
                    .count();
            assertTrue(
                    now.size() >= kept.size() + finished,
                    () -> "a row that the run had told of is not on disk: "
                            + quietOutput().substring(said));
            kept = now;
        }
        Process last = begin(json);
        assertTrue(last.waitFor(120, TimeUnit.SECONDS));
        assertEquals(0, last.exitValue(), this::quietOutput);
        List<Row> rows = ResultFile.read(json).rows();
        assertEquals(keys(ResultFile.read(whole).rows()), keys(rows));
        assertEquals(8, rows.size(), "none is there twice");
        assertTrue(keys(rows).containsAll(kept));
        assertTrue(rows.stream().allMatch(r -> r.status() == Status.OK));
        assertEquals(
                Set.copyOf(ResultFile.read(whole).kernels()),
                Set.copyOf(ResultFile.read(json).kernels()),
                "what identifies the code survives too");
        assertFalse(Files.exists(session.path("result.json.journal")));
    }

    private String quietOutput() {
        try {
            return output();
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** As a run that was killed leaves it: a result's header and some of its rows. */
    private void leftBehind(int rows) {
        Session.Ended ended = session.run(line(json).toArray(String[]::new));
        assertEquals(0, ended.code(), () -> ended.out() + ended.err());
        var run = session.result(json);
        try (Journal journal = Journal.create(session.path("result.json.journal"), run)) {
            run.rows().subList(0, rows).forEach(journal::append);
        }
    }

    @Test
    void rowsOfTheJournalAreKeptToTheLastBit() {
        leftBehind(3);
        List<Row> before = session.rows(json).subList(0, 3);
        Session.Ended ended = session.run(line(json).toArray(String[]::new));
        assertEquals(0, ended.code(), ended::err);
        assertTrue(ended.err().contains("going on after 3 rows"), ended::err);
        List<Row> after = session.rows(json);
        assertEquals(before, after.subList(0, 3));
        assertEquals(8, after.size());
        assertTrue(session.result(json).host().get("resumed") instanceof List<?> times && times.size() == 1);
    }

    @Test
    void aKernelThatWasChangedIsMeasuredAgain() {
        leftBehind(8);
        session.doubling("one.a", Session.source("out[i] = x[i] + x[i];"));
        Session.Ended ended = session.run(line(json).toArray(String[]::new));
        assertEquals(0, ended.code(), ended::err);
        // It has one problem now, n=1000; the seven rows of the others are kept but for its second problem.
        assertTrue(ended.err().contains("going on after 6 rows"), ended::err);
        assertEquals(7, session.rows(json).size());
    }

    /** What never ran is tried again: nothing tells whether its file is still the one that excluded it. */
    @Test
    void aProblemThatWasExcludedIsTriedAgain() throws IOException {
        Path file = session.path("one.a.yaml");
        String text = Files.readString(file);
        Files.writeString(file, text.replace("images:", "where: [\"n < 1200\"]\nimages:"));
        Session.Ended first = session.run(line(json).toArray(String[]::new));
        assertEquals(0, first.code(), first::err);
        assertEquals(1, skipped());
        Files.writeString(file, text);
        Session.Ended again = session.run(line(json).toArray(String[]::new));
        assertEquals(0, again.code(), again::err);
        assertTrue(again.err().contains("going on after 6 rows"), again::err);
        assertEquals(0, skipped());
        assertEquals(8, session.rows(json).size());
    }

    private long skipped() {
        return session.rows(json).stream()
                .filter(row -> row.status() == Status.SKIPPED)
                .count();
    }

    /** Without --resume nothing is lost either, and what is said to do works. */
    @Test
    void rowsThatWereMovedOutOfTheWayCanStillBeGoneOnWith() throws IOException {
        leftBehind(3);
        List<String> anew = line(json);
        anew.remove("--resume");
        Session.Ended ended = session.run(anew.toArray(String[]::new));
        assertTrue(ended.err().contains("rename that file to result.json.journal and give --resume"), ended::err);
        Files.move(session.path("result.json.journal.1"), session.path("result.json.journal"));
        Session.Ended resumed = session.run(line(json).toArray(String[]::new));
        assertEquals(0, resumed.code(), resumed::err);
        assertTrue(resumed.err().contains("going on after 3 rows"), resumed::err);
    }

    @Test
    void anotherRunIsNotGoneOnWith() {
        leftBehind(3);
        Session.Ended other = session.run(line(json, "--seed", "2").toArray(String[]::new));
        assertEquals(2, other.code());
        assertTrue(other.err().contains("holds another run") && other.err().contains("--seed 2"), other::err);
        assertFalse(other.hasStackTrace(), other::err);
        Session.Ended longer = session.run(line(json, "--timeout", "20s", "-q").toArray(String[]::new));
        assertEquals(0, longer.code(), "what says nothing of what is measured may differ");
    }

    @Test
    void resumingNeedsAFile() {
        Session.Ended ended = session.run("run", "--resume", "-b", "ceiling.flops");
        assertEquals(2, ended.code());
        assertTrue(ended.err().contains("--resume needs --json FILE"), ended::err);
    }

    @Test
    void aFinishedRunIsLeftAsItIs() {
        Session.Ended first = session.run(line(json).toArray(String[]::new));
        assertEquals(0, first.code(), first::err);
        List<Row> rows = session.rows(json);
        assertEquals(0, session.run(line(json).toArray(String[]::new)).code());
        assertEquals(rows, session.rows(json));
    }

    @Test
    void aFileThatIsNoResultIsNotWrittenOver() throws IOException {
        Files.writeString(json, "my notes\n");
        Session.Ended ended = session.run(line(json).toArray(String[]::new));
        assertEquals(2, ended.code());
        assertTrue(ended.err().contains("result.json"), ended::err);
        assertEquals("my notes\n", Files.readString(json));
    }
}
