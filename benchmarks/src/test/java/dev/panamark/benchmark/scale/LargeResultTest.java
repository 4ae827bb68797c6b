package dev.panamark.benchmark.scale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.panamark.result.ResultFile;
import dev.panamark.result.Row;
import dev.panamark.result.RunResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LargeResultTest {
    @TempDir
    Path dir;

    /** 2,500 rows are written in three pieces; rows of one problem differ in nothing but invocation and times. */
    @Test
    void isOneResultWithAllRows() throws IOException {
        Path file = dir.resolve("large.json");
        RowSource source = new RowSource(5, 10);
        LargeResult.write(file, source, 2500, 1);
        RunResult run = ResultFile.read(file);
        assertEquals(2500, run.rows().size());
        Set<Row.Key> keys = new HashSet<>();
        run.rows().forEach(r -> keys.add(r.key()));
        assertEquals(2500, keys.size());
        // Five invocations with their samples, then the aggregate without.
        List<Row> first = run.rows().subList(0, 6);
        assertEquals(
                List.of(10, 10, 10, 10, 10, 0),
                first.stream().map(r -> r.samples().size()).toList());
        assertEquals(1, first.stream().map(Row::problem).distinct().count());
        assertEquals(source.problem(0, 1), first);
        assertNotEquals(source.problem(0, 2), first);
    }
}
