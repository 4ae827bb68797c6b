package dev.panamark.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResultFileTest {
    @TempDir
    Path dir;

    @Test
    void givesEqualRowsBackToTheLastBit() {
        Row row = Samples.full();
        Row back = Row.fromJson(row.toJson());
        assertEquals(row, back);
        assertFalse(row.toJson().contains("\n"));
        // Long stays long, double stays double.
        assertEquals(2L, back.run().get("threads"));
        assertEquals(4.0e9, inner(back.work(), "flops").get("fma_f32"));
        Metric zero = Objects.requireNonNull(back.metric(Tags.ERROR_MAX_ABS));
        assertEquals(-0.0, zero.value());
        assertEquals("NaN", inner(back.check(), "worst").get("got"));
        assertEquals(
                List.copyOf(row.problem().keySet()), List.copyOf(back.problem().keySet()));
        assertEquals(
                List.copyOf(row.metrics().keySet()), List.copyOf(back.metrics().keySet()));
    }

    @Test
    void givesEqualRunsBack() {
        Path file = dir.resolve("out.json");
        RunResult run =
                Samples.run(Samples.full(), Samples.wrong()).withFinished(Instant.parse("2026-01-31T12:01:00Z"));
        ResultFile.write(run, file);
        assertEquals(run, ResultFile.read(file));
        ResultFile.write(Samples.run(), file);
        assertEquals(Samples.run(), ResultFile.read(file));
    }

    @Test
    void leavesNoTemporaryFileAndReplacesWhatALinkPointsTo() throws IOException {
        Path real = dir.resolve("real.json");
        Files.writeString(real, "old");
        Path link = Files.createSymbolicLink(dir.resolve("link.json"), real);
        ResultFile.write(Samples.run(), link);
        assertTrue(Files.isSymbolicLink(link));
        assertEquals(Samples.run(), ResultFile.read(real));
        try (Stream<Path> files = Files.list(dir)) {
            assertEquals(2, files.count());
        }
    }

    @Test
    void cutsSurrogatesThatHaveNoPartner() {
        Row row = Row.builder("cpu:0", "a.b", "", Samples.map("t", "x\uD83D"), "hot")
                .build();
        assertEquals("x\uFFFD", Row.fromJson(row.toJson()).problem().get("t"));
    }

    @Test
    void saysWhereATruncatedFileEnds() throws IOException {
        Path file = dir.resolve("out.json");
        ResultFile.write(Samples.run(Samples.wrong(), Samples.full()), file);
        String whole = Files.readString(file);
        // Cut anywhere: always one exception of this kind, never another.
        for (int cut = 0; cut < whole.length() - 2; cut += 7) {
            Files.writeString(file, whole.substring(0, cut));
            ResultFileException e = assertThrows(ResultFileException.class, () -> ResultFile.read(file));
            assertTrue(said(e).startsWith(file.toString()), e.getMessage());
        }
        Files.writeString(file, whole.substring(0, whole.indexOf("\"stall/long")));
        ResultFileException e = assertThrows(ResultFileException.class, () -> ResultFile.read(file));
        assertTrue(e.field().startsWith("rows[1].metrics"), e.getMessage());
        assertTrue(said(e).contains("cut short"), e.getMessage());
        assertEquals(whole.substring(0, whole.indexOf("\"stall/long")).lines().count(), e.line());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"panamark.result/1\"|\"panamark.result/2\"|schema|panamark.result/1",
                "\"seed\": -7|\"seed\": 1.5|seed|whole number",
                "\"seed\": -7|\"seed\": 99999999999999999999|seed|64 bits",
                "\"seed\": -7|\"sead\": -7|sead|is no field",
                "\"seed\": -7,||''|'seed' is missing",
                "\"seed\": -7|\"seed\": -7, \"seed\": 8|seed|twice",
                "\"mode\": \"cold\"|\"mode\": \"warm\"|rows[0]|cold, hot or graph",
                "\"status\": \"wrong\"|\"status\": \"bad\"|rows[0].status|unsupported",
                "\"status\": \"wrong\"|\"status\": \"ok\"|rows[0]|takes no reason",
                "\"image\": \"\"|\"image\": null|rows[0].image|expected text, found null",
                "\"n\": 64|\"n\": null|rows[0].problem.n|found null",
                "\"metrics\": { }|\"metrics\": []|rows[0].metrics|expected an object, found a list",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": null, \"unit\": \"s\", \"source\": null}}|rows[0].metrics.a/b|needs a reason",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": NaN}}|rows[0].metrics.a/b.value|found NaN",
                "\"metrics\": { }|\"metrics\": {\"a/b\": {\"value\": 1e999, \"unit\": \"s\", \"source\": \"measured\"}}|rows[0].metrics.a/b.value|finite",
                "\"metrics\": { }|\"metrics\": {\"time/floor\": {\"value\": 1, \"unit\": \"ms\", \"source\": \"measured\"}}|rows[0]|unit must be 's'",
                "\"samples\": [ ]|\"samples\": [1, \"x\"]|rows[0].samples[1]|finite number",
                "\"started\": \"2026|\"started\": \"x2026|started|2026-01-31T12:00:00Z",
            })
    void saysFileLineAndFieldOfWhatIsWrong(String from, String to, String field, String words) throws IOException {
        Path file = dir.resolve("out.json");
        ResultFile.write(Samples.run(Samples.wrong()), file);
        String text = Files.readString(file);
        assertTrue(text.contains(from), text);
        Files.writeString(file, text.replaceFirst(Pattern.quote(from), to == null ? "" : to));
        ResultFileException e = assertThrows(ResultFileException.class, () -> ResultFile.read(file));
        assertEquals(field, e.field(), e.getMessage());
        assertTrue(said(e).contains(words), e.getMessage());
        assertTrue(e.line() > 0, e.getMessage());
        assertFalse(said(e).contains("\n"), e.getMessage());
    }

    @Test
    void namesTheLineOfAWrongValue() throws IOException {
        Path file = dir.resolve("out.json");
        ResultFile.write(Samples.run(Samples.wrong()), file);
        List<String> lines = Files.readAllLines(file);
        int at = 0;
        while (!lines.get(at).contains("\"status\"")) {
            at++;
        }
        Files.writeString(file, String.join("\n", lines).replace("\"wrong\"", "17"));
        ResultFileException e = assertThrows(ResultFileException.class, () -> ResultFile.read(file));
        assertEquals(
                file + ":" + (at + 1) + ": rows[0].status: expected text, found the whole number 17", e.getMessage());
    }

    @Test
    void refusesWhatIsNoResultAtAll() throws IOException {
        Path file = dir.resolve("x.json");
        assertUnreadable(file, "there is no such file");
        assertUnreadable(dir, "is a directory");
        Files.write(file, new byte[0]);
        assertUnreadable(file, "is empty");
        Files.write(file, new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1, 0});
        assertUnreadable(file, "not JSON");
        Files.write(file, new byte[] {'{', '"', (byte) 0xff, (byte) 0xfe, '"', ':', '1', '}'});
        assertUnreadable(file, "UTF-8");
        Files.writeString(file, "[".repeat(100_000));
        assertUnreadable(file, "is no result");
        Files.writeString(file, "[]");
        assertUnreadable(file, "expected an object, found a list");
        Files.writeString(file, "{} {}");
        assertUnreadable(file, "more after its end");
    }

    private static void assertUnreadable(Path file, String words) {
        ResultFileException e = assertThrows(ResultFileException.class, () -> ResultFile.read(file));
        assertTrue(said(e).startsWith(file + ":"), e.getMessage());
        assertTrue(said(e).contains(words), e.getMessage());
    }

    @Test
    void saysWhyAFileCannotBeWritten() throws IOException {
        assertUnwritable(dir, "it is a directory");
        assertUnwritable(dir.resolve("no/such/out.json"), "does not exist; create it");
        Path plain = Files.writeString(dir.resolve("plain"), "x");
        assertUnwritable(plain.resolve("out.json"), "is not a directory");
        assertUnwritable(dir.resolve("n".repeat(300)), "too long");
    }

    @Test
    void saysThatTheDiskIsFull() {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "this system has no /dev/full");
        assertUnwritable(full, "the disk is full");
        assertTrue(Files.exists(full));
        assertFalse(Files.isRegularFile(full));
    }

    @Test
    void saysThatThereIsNoPermission() throws IOException {
        Path closed = Files.createDirectory(dir.resolve("closed"));
        assumeTrue(closed.toFile().setWritable(false), "this file system has no rights");
        assumeTrue(!Files.isWritable(closed), "the superuser may write everywhere");
        assertUnwritable(closed.resolve("out.json"), "no permission");
    }

    /** What needs a mount or another user to happen, as the JDK reports it. */
    @Test
    void saysWhatTheSystemSaid() {
        Path file = dir.resolve("out.json");
        Map<IOException, String> causes = Map.of(
                new AccessDeniedException(file.toString()),
                "no permission to write in " + dir + "; choose another place or change its rights",
                new FileSystemException(file.toString(), null, "Read-only file system"),
                "the file system is mounted read-only; choose another place",
                new FileSystemException(file.toString(), null, "Disk quota exceeded"),
                "your disk quota is used up; free some space or choose another place",
                new FileSystemException(file.toString(), null, "Operation not permitted"),
                "the system does not permit it; choose another place",
                new IOException("Input/output error"),
                "Input/output error; choose another place");
        causes.forEach((cause, words) -> assertEquals(
                "cannot write " + file + ": " + words,
                FileTrouble.writing(file, cause).getMessage()));
    }

    private static void assertUnwritable(Path file, String words) {
        ResultWriteException e =
                assertThrows(ResultWriteException.class, () -> ResultFile.write(Samples.run(Samples.wrong()), file));
        assertTrue(said(e).startsWith("cannot write " + file), e.getMessage());
        assertTrue(said(e).contains(words), e.getMessage());
    }

    @Test
    void namesStandardOutputWhenAStreamRefuses() {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        ResultWriteException e =
                assertThrows(ResultWriteException.class, () -> ResultFile.write(Samples.run(), closed));
        assertEquals("cannot write standard output: the program that reads it has ended", e.getMessage());
    }

    @Test
    void keepsTheOldFileWhenTheNewOneCannotBeWritten() throws IOException {
        Path file = Files.writeString(dir.resolve("out.json"), "old");
        // Something in the way of the temporary name.
        Path way = dir.resolve(".out.json." + ProcessHandle.current().pid() + ".tmp");
        Files.createDirectory(way);
        assertUnwritable(file, "directory");
        assertEquals("old", Files.readString(file, StandardCharsets.UTF_8));
    }

    private static String said(Throwable e) {
        return String.valueOf(e.getMessage());
    }

    private static Map<?, ?> inner(Map<String, Object> map, String key) {
        return (Map<?, ?>) Objects.requireNonNull(map.get(key));
    }
}
