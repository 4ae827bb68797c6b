package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.measure.HostClock;
import dev.panamark.result.Journal;
import dev.panamark.result.ResultFile;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import dev.panamark.result.Status;
import dev.panamark.worker.Conductor;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The place where results were to go is lost while a run goes on: what was measured is not. */
class LostPlaceTest {
    @TempDir
    Path folder;

    private final StringWriter err = new StringWriter();

    private Surroundings surroundings(Path cache) {
        return new Surroundings(Map.of("PANAMARK_CACHE", cache.toString()), folder);
    }

    private static Row row(int n) {
        return Row.builder("cpu:0", "k", "", new LinkedHashMap<>(Map.of("n", (long) n)), "hot")
                .invocation(0)
                .build();
    }

    private RunStore open(Path cache, Path file, Instant started, HostClock clock) {
        RunResult header = RunResult.started(List.of(), started, new LinkedHashMap<>(), List.of(), List.of(), 1);
        return RunStore.open(surroundings(cache), file, header, clock, new PrintWriter(err, true));
    }

    private static void delete(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path p : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(p);
            }
        }
    }

    @Test
    void aFolderThatGoesAwayHasItsRowsKeptElsewhere() throws Exception {
        Path gone = Files.createDirectories(folder.resolve("gone"));
        try (RunStore store =
                open(folder.resolve("cache"), gone.resolve("r.json"), Instant.now(), HostClock.system())) {
            store.add(row(1), new LinkedHashMap<>());
            delete(gone);
            store.add(row(2), new LinkedHashMap<>());
            RunResult run = store.finish();
            assertEquals(2, run.rows().size());
            assertTrue(store.file().startsWith(folder.resolve("cache")), store.file()::toString);
            assertEquals(List.of(row(1), row(2)), ResultFile.read(store.file()).rows());
            String trouble = store.trouble().orElse("");
            assertTrue(trouble.contains("gone") && trouble.contains(store.file().toString()), trouble);
            assertFalse(Files.exists(RunStore.journal(store.file())), "the result holds all of it");
        }
    }

    @Test
    void rowsThatCanGoNowhereAreStillInTheRun() throws Exception {
        Path gone = Files.createDirectories(folder.resolve("gone"));
        Path cache = folder.resolve("cache");
        Files.writeString(cache, "a file, so no folder can be made below it");
        try (RunStore store = open(cache, gone.resolve("r.json"), Instant.now(), HostClock.system())) {
            store.add(row(1), new LinkedHashMap<>());
            delete(gone);
            assertEquals(1, store.finish().rows().size());
            String trouble = store.trouble().orElse("");
            assertTrue(trouble.contains("No file holds all results"), trouble);
            assertTrue(err.toString().contains("in memory only"), err::toString);
        }
    }

    /** The wall clock was set back by an hour after the start: a run still takes the time that it took. */
    @Test
    void aClockThatIsSetBackDoesNotEndTheRunBeforeItBegan() {
        Instant started = Instant.now().plusSeconds(3600);
        try (RunStore store = open(folder.resolve("cache"), folder.resolve("r.json"), started, HostClock.system())) {
            Instant finished = store.finish().finished();
            assertEquals(started, finished);
        }
    }

    /** A file system of 48 KiB, in a mount namespace of its own. */
    @Test
    void aDiskThatFillsUpCostsNoRow() throws Exception {
        Session.needsCompiler();
        Path small = Files.createDirectories(folder.resolve("small"));
        Path cache = folder.resolve("cache");
        Process possible = new ProcessBuilder(
                        "unshare",
                        "--user",
                        "--map-root-user",
                        "--mount",
                        "mount",
                        "-t",
                        "tmpfs",
                        "none",
                        small.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("unshare").toFile())
                .start();
        Assumptions.assumeTrue(
                possible.waitFor(20, TimeUnit.SECONDS) && possible.exitValue() == 0,
                "this system lets nobody mount in a namespace of their own (unshare --user --mount)");
        List<String> line = new ArrayList<>(List.of(
                "unshare",
                "--user",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                "mount -t tmpfs -o size=48k none \"$0\" && \"$@\"; code=$?; cp \"$0\"/* \"$0.kept/\"; exit $code",
                small.toString()));
        line.addAll(Session.program());
        line.addAll(
                List.of("run", "-d", "cpu:0", "-b", "kv.gather.*", "-a", "kv_len=64,128", "-a", "dtype=f16,bf16,f32"));
        line.addAll(List.of(
                "--budget",
                "20s",
                "--min-time",
                "1ms",
                "--json",
                small.resolve("r.json").toString()));
        Path kept = Files.createDirectories(folder.resolve("small.kept"));
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.environment().put("PANAMARK_CACHE", cache.toString());
        builder.redirectError(folder.resolve("err").toFile());
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(120, TimeUnit.SECONDS));
        String complaint = Files.readString(folder.resolve("err"));
        assertEquals(2, process.exitValue(), complaint);
        assertTrue(complaint.contains("the disk is full"), complaint);
        String last = complaint.lines().toList().getLast();
        Path result = Path.of(last.substring(last.lastIndexOf(' ') + 1));
        List<Row> rows = ResultFile.read(result).rows();
        assertTrue(rows.size() >= 18, () -> rows.size() + " rows");
        // On a machine that is busy with other things the budget may not do for all rows; the disk costs none.
        assertTrue(
                rows.stream()
                        .allMatch(
                                row -> row.status() == Status.OK || row.flags().contains(Conductor.BUDGET_SPENT)),
                out);
        List<Row> before = Journal.read(kept.resolve("r.json.journal")).run().rows();
        assertEquals(before, rows.subList(0, before.size()), "what was written before the disk was full");
        assertTrue(!before.isEmpty() && before.size() < rows.size(), () -> before.size() + " rows");
    }
}
