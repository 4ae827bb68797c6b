package dev.panamark.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.compare.Runs;
import dev.panamark.result.Journal;
import dev.panamark.result.ResultFile;
import dev.panamark.result.RunResult;
import dev.panamark.result.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CompareCommandTest {
    @TempDir
    Path folder;

    private Session session;
    private String base;
    private String next;

    @BeforeEach
    void write() {
        session = new Session(folder);
        base = written(
                "base.json",
                Runs.run(
                        Runs.invocations("cpu:0", "a.b", 64, "sha256:0a", Runs.five(1e-3)),
                        Runs.invocations("cpu:0", "a.c", 64, "sha256:0a", Runs.five(1e-3)),
                        Runs.invocations("cpu:0", "a.gone", 64, "sha256:0a", Runs.five(1e-3))));
        next = written(
                "new.json",
                Runs.run(
                        Runs.invocations("cpu:0", "a.b", 64, "sha256:0b", Runs.five(1.05e-3)),
                        Runs.invocations("cpu:0", "a.c", 64, "sha256:0b", Runs.five(1e-3))));
    }

    private String written(String name, RunResult run) {
        ResultFile.write(run, session.path(name));
        return session.path(name).toString();
    }

    private Session.Ended compare(String... args) {
        List<String> all = new ArrayList<>(List.of("compare"));
        all.addAll(List.of(args));
        Session.Ended ended = session.run(all.toArray(String[]::new));
        assertFalse(ended.hasStackTrace(), ended::err);
        return ended;
    }

    @Test
    void theTableHasPairsAndWhatHasNone() {
        Session.Ended ended = compare(base, next);
        assertEquals(0, ended.code(), ended::err);
        assertEquals("", ended.err());
        assertTrue(ended.out().contains("1.0500"), ended::out);
        assertTrue(ended.out().contains("slower"), ended::out);
        assertTrue(ended.out().contains("a.gone n=64 on cpu:0: ok → no row"), ended::out);
        ended.out().lines().forEach(l -> assertTrue(l.length() <= 120, l));
    }

    @Test
    void aRegressionEndsWithOneAndNamesTheRow() {
        Session.Ended ended = compare(base, next, "--fail-on", "slower:3%");
        assertEquals(1, ended.code());
        assertTrue(
                ended.err().startsWith("panamark: --fail-on slower:3%: a.b n=64 hot on cpu:0: slower: new/base 1.0500"),
                ended::err);
        assertEquals(1, ended.err().lines().count(), ended::err);
        assertEquals(0, compare(base, next, "--fail-on", "slower:6%").code());
        assertEquals(0, compare(next, base, "--fail-on", "slower:3%").code());
        assertEquals(1, compare(next, base, "--fail-on", "faster").code());
        Session.Ended missing = compare(base, next, "--fail-on", "slower:6%,missing");
        assertEquals(1, missing.code());
        assertTrue(missing.err().contains("a.gone"), missing::err);
    }

    @Test
    void aKernelThatIsNowWrongFailsAnyRule() {
        String wrong = written(
                "wrong.json",
                Runs.run(
                        Runs.invocations("cpu:0", "a.b", 64, "sha256:0b", Runs.five(1e-3)),
                        List.of(Runs.bad("a.c", 64, Status.WRONG))));
        Session.Ended ended = compare(base, wrong, "--fail-on", "slower:50%");
        assertEquals(1, ended.code());
        assertTrue(ended.err().contains("a.c n=64 hot on cpu:0: NEW wrong: because of wrong"), ended::err);
        assertEquals(0, compare(base, wrong).code());
    }

    @Test
    void everyFormIsWritten() throws Exception {
        Path json = session.path("c.json");
        Path csv = session.path("c.csv");
        Session.Ended ended = compare(
                base, next, "--json", json.toString(), "--csv", csv.toString(), "--md", "-", "--threshold", "10%");
        assertEquals(0, ended.code(), ended::err);
        assertTrue(ended.out().startsWith("- BASE"), ended::out);
        assertTrue(ended.out().contains("| a.b | n=64 |"), ended::out);
        assertTrue(Files.readString(json).contains("\"schema\": \"panamark.compare/1\""));
        assertTrue(Files.readString(json).contains("\"threshold\": 0.1"));
        assertTrue(Files.readString(csv).contains("a.b,hot,64,time/device/median,s,cpu:0,cpu:0,ok,ok,0.001,"));
        Session.Ended out = compare(base, next, "--json", "-");
        assertTrue(out.out().startsWith("{") && out.out().endsWith("}\n"), out::out);
    }

    /** 5 % slower is no change that matters at 10 %. */
    @Test
    void theThresholdIsTheUsers() {
        Session.Ended ended = compare(base, next, "--threshold", "10%");
        assertTrue(ended.out().contains("2 pairs: 2 same"), ended::out);
    }

    @Test
    void aJournalIsReadLikeAResultAndATornLineIsTold() throws Exception {
        RunResult run = ResultFile.read(Path.of(next));
        Path file = session.path("killed.json.journal");
        try (Journal journal = Journal.create(file, run)) {
            run.rows().forEach(journal::append);
        }
        Session.Ended whole = compare(base, file.toString());
        assertEquals(0, whole.code(), whole::err);
        assertTrue(
                whole.out().contains("2 pairs: 1 slower, 1 undecided")
                        || whole.out().contains("1.0500"),
                whole::out);
        String text = Files.readString(file);
        Files.writeString(file, text.substring(0, text.length() - 40));
        Session.Ended torn = compare(base, file.toString());
        assertEquals(0, torn.code(), torn::err);
        assertTrue(torn.out().replaceAll("\\s+", " ").contains("was cut short when the run ended"), torn::out);
    }

    @Test
    void devicesArePairedWhenAsked() {
        String gpu =
                written("gpu.json", Runs.run(Runs.invocations("cuda:0", "a.b", 64, "sha256:cc", Runs.five(0.5e-3))));
        Session.Ended none = compare(base, gpu);
        assertEquals(3, none.code());
        assertTrue(none.err().contains("--across devices"), none::err);
        Session.Ended across = compare(base, gpu, "--across", "devices");
        assertEquals(0, across.code(), across::err);
        assertTrue(across.out().contains("cpu:0 → cuda:0"), across::out);
        assertTrue(across.out().contains("0.5000"), across::out);
    }

    @Test
    void nothingToCompareIsThree() {
        String empty = written("empty.json", Runs.run());
        Session.Ended ended = compare(base, empty);
        assertEquals(3, ended.code());
        assertTrue(ended.err().contains("empty.json has no rows"), ended::err);
        assertTrue(ended.out().contains("a.gone"), "rows without a partner are told all the same");
        String bad = written("bad.json", Runs.run(List.of(Runs.bad("a.b", 64, Status.FAILED))));
        assertEquals(3, compare(base, bad, "--fail-on", "slower").code());
    }

    static Stream<Arguments> badInput() {
        return Stream.of(
                Arguments.of(List.of("compare"), List.of("BASE")),
                Arguments.of(List.of("compare", "BASE"), List.of("NEW")),
                Arguments.of(List.of("compare", "BASE", "NEW", "NEW"), List.of("new.json")),
                Arguments.of(List.of("compare", "nowhere.json", "NEW"), List.of("nowhere.json", "no such file")),
                Arguments.of(List.of("compare", "FOLDER", "NEW"), List.of("is a directory")),
                Arguments.of(List.of("compare", "BASE", "EMPTY"), List.of("empty.txt", "is empty")),
                Arguments.of(List.of("compare", "BASE", "BINARY"), List.of("binary.bin")),
                Arguments.of(List.of("compare", "BASE", "TORN"), List.of("torn.json", "cut short")),
                Arguments.of(List.of("compare", "BASE", "VERSION"), List.of("version.json", "panamark.result/9")),
                Arguments.of(List.of("compare", "BASE", "FIELD"), List.of("field.json:", "rows[0].status", "okay")),
                Arguments.of(List.of("compare", "BASE", "JOURNAL"), List.of("bad.journal:3")),
                Arguments.of(List.of("compare", "BASE", "NEW", "--threshold", "little"), List.of("little", "1%")),
                Arguments.of(List.of("compare", "BASE", "NEW", "--threshold", "0%"), List.of("0%")),
                Arguments.of(
                        List.of("compare", "BASE", "NEW", "--fail-on", "slow:3%"), List.of("slow:3%", "slower:3%")),
                Arguments.of(List.of("compare", "BASE", "NEW", "--fail-on", "slower:"), List.of("slower:")),
                Arguments.of(List.of("compare", "BASE", "NEW", "--across", "kernels"), List.of("kernels", "DEVICES")),
                Arguments.of(List.of("compare", "BASE", "NEW", "--better", "best"), List.of("best")),
                Arguments.of(
                        List.of("compare", "BASE", "NEW", "--metric", "time/median"),
                        List.of("time/median", "time/device/median")),
                Arguments.of(List.of("compare", "BASE", "NEW", "--seed", "x"), List.of("--seed")),
                Arguments.of(List.of("compare", "BASE", "NEW", "--json", "no/folder/c.json"), List.of("no/folder")),
                Arguments.of(List.of("compare", "BASE", "NEW", "--json", "-", "--md", "-"), List.of("'-'")));
    }

    @ParameterizedTest
    @MethodSource("badInput")
    void badInputIsRefusedWithOneMessage(List<String> args, List<String> parts) throws Exception {
        Files.writeString(session.path("empty.txt"), "");
        Files.write(session.path("binary.bin"), new byte[] {0x7f, 'E', 'L', 'F', (byte) 0xff, 0, 1});
        String text = Files.readString(Path.of(next));
        Files.writeString(session.path("torn.json"), text.substring(0, text.length() / 2));
        Files.writeString(session.path("version.json"), text.replace("panamark.result/1", "panamark.result/9"));
        Files.writeString(session.path("field.json"), text.replaceFirst("\"status\": \"ok\"", "\"status\": \"okay\""));
        RunResult run = ResultFile.read(Path.of(next));
        Path journal = session.path("bad.journal");
        try (Journal j = Journal.create(journal, run)) {
            run.rows().forEach(j::append);
        }
        List<String> lines = new ArrayList<>(Files.readAllLines(journal));
        lines.set(2, "{\"device\": \"cpu:0\"}");
        Files.write(journal, lines);
        List<String> real = args.stream()
                .map(a -> switch (a) {
                    case "BASE" -> base;
                    case "NEW" -> next;
                    case "FOLDER" -> folder.toString();
                    case "EMPTY" -> session.path("empty.txt").toString();
                    case "BINARY" -> session.path("binary.bin").toString();
                    case "TORN" -> session.path("torn.json").toString();
                    case "VERSION" -> session.path("version.json").toString();
                    case "FIELD" -> session.path("field.json").toString();
                    case "JOURNAL" -> journal.toString();
                    default -> a;
                })
                .toList();
        Session.Ended ended = session.run(real.toArray(String[]::new));
        assertEquals(2, ended.code(), () -> ended.out() + ended.err());
        assertEquals("", ended.out(), "standard output carries the answer only");
        assertFalse(ended.hasStackTrace(), ended::err);
        for (String part : parts) {
            assertTrue(ended.err().contains(part), () -> "'" + part + "' is not in: " + ended.err());
        }
    }
}
