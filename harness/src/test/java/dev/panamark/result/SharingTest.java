package dev.panamark.result;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that were read share what is alike in them, and nothing else. */
class SharingTest {
    @TempDir
    Path dir;

    private static Row row(long seq, double time) {
        return Row.builder("cpu:0", "attention.prefill.naive", "00ff", Samples.map("seq", seq, "dtype", "f32"), "hot")
                .invocation(0)
                .metric(
                        Tags.TIME_MEDIAN,
                        Tags.TIME_MEDIAN.value(time, Source.MEASURED).withN(100))
                .metric(Tags.UTIL_PEAK, Tags.UTIL_PEAK.missing("no datasheet figures are known"))
                .flag("still changing when warming up ended")
                .samples(List.of(time, 2 * time))
                .run(Samples.map("threads", 2, "zero", seq % 2 == 0 ? 0.0 : -0.0, "seconds", time))
                .build();
    }

    private List<Row> read(List<Row> rows) {
        Path file = dir.resolve("out.json");
        ResultFile.write(Samples.run().withRows(rows), file);
        List<Row> back = ResultFile.read(file).rows();
        assertEquals(rows, back);
        return back;
    }

    @Test
    void whatIsAlikeIsOneObject() {
        List<Row> rows = read(List.of(row(1024, 1e-3), row(1024, 2e-3)));
        Row a = rows.getFirst();
        Row b = rows.getLast();
        assertSame(a.kernel(), b.kernel());
        assertSame(a.problem(), b.problem());
        assertSame(a.flags(), b.flags());
        assertSame(a.metric(Tags.UTIL_PEAK), b.metric(Tags.UTIL_PEAK));
        Metric time = Objects.requireNonNull(a.metric(Tags.TIME_MEDIAN));
        assertSame(
                time.unit(), Objects.requireNonNull(b.metric(Tags.TIME_MEDIAN)).unit());
        // A journal's lines as well.
        Path journal = dir.resolve("run.journal");
        try (Journal j = Journal.create(journal, Samples.run())) {
            rows.forEach(j::append);
        }
        List<Row> lines = Journal.read(journal).run().rows();
        assertEquals(rows, lines);
        assertSame(lines.getFirst().problem(), lines.getLast().problem());
    }

    @Test
    void zeroAndMinusZeroStayApart() {
        List<Row> rows = read(List.of(row(0, 1e-3), row(1, 1e-3), row(2, 1e-3)));
        assertEquals(0.0, rows.get(0).run().get("zero"));
        assertEquals(-0.0, rows.get(1).run().get("zero"));
        assertEquals(0.0, rows.get(2).run().get("zero"));
    }

    /** More texts, numbers, maps and lists of keys than are remembered, and lists and samples longer than a buffer. */
    @Test
    void forgettingChangesNothing() {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 12_000; i++) {
            SequencedMap<String, Object> run = new LinkedHashMap<>();
            run.put("key " + i, "text " + i);
            run.put("numbers", List.of(i + 0.5, 3L * i, "again " + i));
            rows.add(row(i, 1e-3 + 1e-9 * i).toBuilder().run(run).build());
        }
        List<Double> samples = new ArrayList<>();
        SequencedMap<String, Object> wide = new LinkedHashMap<>();
        for (int i = 0; i < 3000; i++) {
            samples.add(i * 1e-9);
            wide.put("k" + i, (long) i);
        }
        rows.add(row(1, 1e-3).toBuilder().samples(samples).check(wide).build());
        assertEquals(12_001, read(rows).size());
    }

    @Test
    void aKeyThatStandsThereTwiceIsRefused() throws IOException {
        Path file = dir.resolve("out.json");
        ResultFile.write(Samples.run(row(1024, 1e-3)), file);
        String text = Files.readString(file);
        Files.writeString(file, text.replace("\"dtype\": \"f32\"", "\"seq\": 7"));
        ResultFileException e = assertThrows(ResultFileException.class, () -> ResultFile.read(file));
        assertEquals("rows[0].problem.seq", e.field());
        assertEquals(true, String.valueOf(e.getMessage()).contains("twice"));
    }

    /** Equal maps with their keys in another order, one inside another, and more keys than are shared. */
    @Test
    void textsStayAsTheyWere() throws IOException {
        SequencedMap<String, Object> one = new LinkedHashMap<>();
        one.put("got", 1.0);
        one.put("expected", 2.0);
        SequencedMap<String, Object> other = new LinkedHashMap<>();
        other.put("expected", 2.0);
        other.put("got", 1.0);
        SequencedMap<String, Object> many = new LinkedHashMap<>();
        for (int i = 0; i < 3 * Sharing.MOST_SHARED; i++) {
            many.put("key " + i, (double) i);
        }
        List<Row> rows = List.of(
                row(0, 1e-3).toBuilder().check(worst(one)).run(many).build(),
                row(1, 1e-3).toBuilder().check(worst(other)).run(many).build());
        List<Row> back = read(rows);
        assertEquals(
                rows.stream().map(Row::toJson).toList(),
                back.stream().map(Row::toJson).toList());
        Path twice = dir.resolve("twice.json");
        String text = Files.readString(dir.resolve("out.json"));
        Files.writeString(twice, text.replace("\"key 250\"", "\"key 120\""));
        ResultFileException e = assertThrows(ResultFileException.class, () -> ResultFile.read(twice));
        assertEquals("rows[0].run.key 120", e.field());
    }

    private static SequencedMap<String, Object> worst(SequencedMap<String, Object> element) {
        SequencedMap<String, Object> check = new LinkedHashMap<>();
        check.put("worst", element);
        check.put("all", List.of(element));
        return check;
    }
}
