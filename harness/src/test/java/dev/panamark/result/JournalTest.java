package dev.panamark.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
    @TempDir
    Path dir;

    private Path file() {
        return dir.resolve("run.journal");
    }

    @Test
    void rowsAreInTheFileWhenAppendReturns() {
        RunResult header = Samples.run(Samples.full()); // its row is not written
        try (Journal journal = Journal.create(file(), header)) {
            assertEquals(header.withRows(List.of()), Journal.read(file()).run());
            journal.append(Samples.full());
            assertEquals(List.of(Samples.full()), Journal.read(file()).run().rows());
            journal.append(Samples.wrong());
            Journal.Recovered all = Journal.read(file());
            assertEquals(Samples.run(Samples.full(), Samples.wrong()), all.run());
            assertTrue(all.torn().isEmpty());
        }
    }

    /** A kill may cut the file after any byte: whole lines survive, and nothing else is made up. */
    @Test
    void survivesACutAnywhere() throws IOException {
        try (Journal journal = Journal.create(file(), Samples.run())) {
            journal.append(Samples.wrong());
            journal.append(Samples.full());
        }
        byte[] whole = Files.readAllBytes(file());
        int header = indexOf(whole, 0);
        int first = indexOf(whole, header + 1);
        Path cut = dir.resolve("cut.journal");
        for (int length = 0; length <= whole.length; length += 3) {
            Files.write(cut, Arrays.copyOf(whole, length));
            if (length <= header) {
                assertThrows(ResultFileException.class, () -> Journal.read(cut));
                continue;
            }
            Journal.Recovered read = Journal.read(cut);
            int rows = length <= first ? 0 : length < whole.length ? 1 : 2;
            assertEquals(rows, read.run().rows().size(), "cut at " + length);
            boolean clean = length == header + 1 || length == first + 1 || length == whole.length;
            assertEquals(clean, read.torn().isEmpty(), "cut at " + length);
            if (!clean) {
                String line = cut + ":" + (rows + 2) + ":";
                assertTrue(
                        read.torn().orElseThrow().startsWith(line), read.torn().get());
            }
        }
    }

    /** A row of some 400 KB between small ones: longer than any buffer that lines are read through. */
    @Test
    void aLineOfManySamplesIsReadWhole() throws IOException {
        List<Double> samples = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            samples.add(1e-3 + 1e-9 * i / 7);
        }
        Row large = Samples.full().toBuilder().samples(samples).build();
        try (Journal journal = Journal.create(file(), Samples.run())) {
            journal.append(Samples.wrong());
            journal.append(large);
            journal.append(Samples.full());
        }
        assertTrue(Files.size(file()) > 300_000, () -> large.toJson().length() + " characters");
        List<Row> rows = Journal.read(file()).run().rows();
        assertEquals(List.of(Samples.wrong(), large, Samples.full()), rows);
        assertEquals(samples, List.copyOf(rows.get(1).samples()));
        byte[] whole = Files.readAllBytes(file());
        Path cut = dir.resolve("cut.journal");
        Files.write(cut, Arrays.copyOf(whole, whole.length / 2));
        Journal.Recovered part = Journal.read(cut);
        assertEquals(List.of(Samples.wrong()), part.run().rows());
        assertTrue(
                part.torn().orElseThrow().startsWith(cut + ":3:"), part.torn().get());
    }

    private static int indexOf(byte[] bytes, int from) {
        int at = from;
        while (bytes[at] != '\n') {
            at++;
        }
        return at;
    }

    @Test
    void goesOnAfterATornLine() throws IOException {
        try (Journal journal = Journal.create(file(), Samples.run())) {
            journal.append(Samples.wrong());
        }
        Files.writeString(file(), "{\"device\": \"cp", StandardOpenOption.APPEND);
        SequencedMap<String, Object> code = new LinkedHashMap<>(Map.of("kernel", "mine.k", "image", "cafe"));
        RunResult kept = Journal.read(file()).run().withKernels(List.of(code));
        try (Journal journal = Journal.resume(file(), kept)) {
            assertTrue(Journal.inUse(file()), "the new file is locked as the old one was");
            journal.append(Samples.full());
        }
        Journal.Recovered read = Journal.read(file());
        assertEquals(Samples.run(Samples.wrong(), Samples.full()).withKernels(List.of(code)), read.run());
        try (Stream<Path> files = Files.list(dir)) {
            assertEquals(List.of(file()), files.toList(), "nothing else is left");
        }
        assertTrue(read.torn().isEmpty());
    }

    @Test
    void refusesADamagedLineInTheMiddle() throws IOException {
        try (Journal journal = Journal.create(file(), Samples.run())) {
            journal.append(Samples.wrong());
            journal.append(Samples.wrong());
        }
        List<String> lines = Files.readAllLines(file());
        Files.writeString(
                file(),
                lines.get(0) + "\n" + lines.get(1).replace("\"wrong\"", "\"odd\"") + "\n" + lines.get(2) + "\n");
        ResultFileException e = assertThrows(ResultFileException.class, () -> Journal.read(file()));
        assertEquals(2, e.line());
        assertEquals("status", e.field());
    }

    @Test
    void saysWhyItCannotBeWritten() throws IOException {
        try (Journal journal = Journal.create(file(), Samples.run())) {
            ResultWriteException again =
                    assertThrows(ResultWriteException.class, () -> Journal.create(journal.file(), Samples.run()));
            assertTrue(String.valueOf(again.getMessage()).contains("exists already; resume it"), again.getMessage());
        }
        ResultWriteException missing = assertThrows(
                ResultWriteException.class, () -> Journal.create(dir.resolve("no/run.journal"), Samples.run()));
        assertTrue(String.valueOf(missing.getMessage()).contains("does not exist; create it"), missing.getMessage());
        assertFalse(Files.exists(dir.resolve("no")));
    }
}
